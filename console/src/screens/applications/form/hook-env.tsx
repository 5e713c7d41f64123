import { useQuery } from '@tanstack/react-query'
import { useFormContext, useWatch } from 'react-hook-form'
import { failureText } from '../../../api/failure.ts'
import { laterPart } from '../../../page/later-part.tsx'
import { useRested } from '../../../page/use-rested.ts'
import { appEnvQuery, type HookName } from './app-env.ts'
import type { ApplicationValues } from './application-form.ts'
import styles from './application-form.module.css'

const EnvFields = laterPart('env-fields', async () => (await import('./env-fields.tsx')).EnvFields)
const KeptFields = laterPart('kept-env-fields', async () => (await import('./kept-env-fields.tsx')).KeptEnvFields)

/** How long typing must rest before a webhook is asked, in milliseconds (spec 0 §9). */
const restMs = 500

const useHookEnv = (hook: HookName) => {
  const { control } = useFormContext<ApplicationValues>()
  const url = useWatch({ control, name: `${hook}.url` }).trim()
  return useQuery(appEnvQuery(useRested(url, restMs)))
}

interface HookEnvProps {
  hook: HookName
  /** "the calling webhook" */
  of: string
}

/** The environment variables that a webhook wants. What both want stands with the calling webhook. */
export const HookEnv = ({ hook, of }: HookEnvProps) => {
  const lookUp = useHookEnv(hook)
  const calling = useHookEnv('call_hook').data ?? {}
  const described = Object.entries(lookUp.data ?? {}).filter(
    ([name]) => hook === 'call_hook' || !Object.hasOwn(calling, name),
  )
  return (
    <>
      <output className={styles['told']}>
        {lookUp.isLoading && `Asking ${of} for its environment variables…`}
        {lookUp.error &&
          `The environment variables of ${of} could not be looked up: ${failureText(lookUp.error)}. What is stored stays.`}
      </output>
      {described.length > 0 && <EnvFields title={`Environment variables of ${of}`} described={described} />}
    </>
  )
}

/** What is stored and no webhook wants. */
export const KeptEnv = () => {
  const [calling, status] = [useHookEnv('call_hook'), useHookEnv('call_status_hook')]
  const { control } = useFormContext<ApplicationValues>()
  const values = useWatch({ control, name: 'env_vars' })
  const wanted = { ...calling.data, ...status.data }
  const kept = Object.keys(values).filter((name) => values[name] !== undefined && !Object.hasOwn(wanted, name))
  // Until both have answered, it is not known.
  if (calling.isLoading || status.isLoading || kept.length === 0) return null
  return <KeptFields names={kept} />
}
