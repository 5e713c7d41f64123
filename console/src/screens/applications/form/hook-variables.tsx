import { useQuery } from '@tanstack/react-query'
import { useFormContext, useWatch } from 'react-hook-form'
import { errorMessage } from '../../../api/api-error.ts'
import { lazyPart } from '../../../lazy/lazy-part.tsx'
import { useDebouncedValue } from '../../../ui/use-debounced-value.ts'
import { appEnvQuery, type HookName } from './app-env.ts'
import styles from './application-form.module.css'
import type { ApplicationValues } from './application-form.ts'

const EnvFields = lazyPart('env-fields', async () => (await import('./env-fields.tsx')).EnvFields)
const KeptFields = lazyPart('kept-env-fields', async () => (await import('./orphaned-variables.tsx')).KeptEnvFields)

/** Delay between the last keystroke in the URL field and the request to the webhook (APPS-21). */
const restMs = 500

const useHookEnv = (hook: HookName) => {
  const { control } = useFormContext<ApplicationValues>()
  const url = useWatch({ control, name: `${hook}.url` }).trim()
  return useQuery(appEnvQuery(useDebouncedValue(url, restMs)))
}

const webhookNames: Readonly<Record<HookName, string>> = {
  call_hook: 'calling webhook',
  call_status_hook: 'call status webhook',
}

/** Environment variables that a webhook requests. Variables that both webhooks request appear with the calling webhook. */
export const HookEnv = ({ hook }: { hook: HookName }) => {
  const lookUp = useHookEnv(hook)
  const calling = useHookEnv('call_hook').data ?? {}
  const requested = Object.entries(lookUp.data ?? {})
  const described = requested.filter(([name]) => hook === 'call_hook' || !Object.hasOwn(calling, name))
  const name = webhookNames[hook]
  // The status line never disappears: fields below it would otherwise move while the user clicks them.
  return (
    <>
      <output className={styles['told']}>
        {lookUp.isLoading && `Requesting environment variables from the ${name}…`}
        {lookUp.error &&
          `The environment variables of the ${name} could not be loaded: ${errorMessage(lookUp.error)}. Stored values are kept.`}
        {/* Without a description, nothing is known: the webhook can be unreachable, too. */}
        {lookUp.data === null && `The ${name} returned no description of environment variables.`}
        {lookUp.data && described.length === 0 && `The ${name} declares no further environment variables.`}
      </output>
      {described.length > 0 && <EnvFields title={`Environment variables of the ${name}`} described={described} />}
    </>
  )
}

/** Stored environment variables that neither webhook requests. */
export const KeptEnv = () => {
  const [calling, status] = [useHookEnv('call_hook'), useHookEnv('call_status_hook')]
  const { control } = useFormContext<ApplicationValues>()
  const values = useWatch({ control, name: 'env_vars' })
  const requested = { ...calling.data, ...status.data }
  const orphanedNames = Object.keys(values).filter(
    (name) => values[name] !== undefined && !Object.hasOwn(requested, name),
  )
  // Variables count as orphaned only after both webhooks have responded.
  if (calling.isLoading || status.isLoading || orphanedNames.length === 0) return null
  return <KeptFields names={orphanedNames} />
}
