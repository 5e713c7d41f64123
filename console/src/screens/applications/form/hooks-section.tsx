import { copiesCallUrl, hookMethods, isWebsocketUrl } from '@patchbay/contract/webhooks/webhooks'
import { useRef } from 'react'
import { useFormContext } from 'react-hook-form'
import { HookFields } from '../../../form/hook-fields.tsx'
import { FormSection } from '../../../ui/form-frame.tsx'
import type { ApplicationValues } from './application-form.ts'
import { HookEnv, KeptEnv } from './hook-variables.tsx'

/** Copies the URL of the calling webhook to the status webhook while the user types. */
const useCopiedUrl = () => {
  const { getValues, setValue } = useFormContext<ApplicationValues>()
  const copied = useRef<string>(undefined)
  return (url: string) => {
    if (!copiesCallUrl(url, getValues('call_status_hook.url'), copied.current)) return
    copied.current = url
    setValue('call_status_hook.url', url, { shouldDirty: true })
    if (isWebsocketUrl(url)) setValue('call_status_hook.method', 'GET', { shouldDirty: true })
  }
}

/** Form sections for the two webhooks of an application. */
export const HooksSection = () => {
  const copyUrl = useCopiedUrl()
  return (
    <>
      <FormSection
        title="Calling webhook"
        description="Requested when a call arrives. The response is a list of verbs to execute."
      >
        <HookFields
          hook="call_hook"
          title="Calling webhook"
          hint="Responds with verbs. A WebSocket (ws:// or wss://) stays open for the whole call."
          methods={hookMethods}
          required
          onUrl={copyUrl}
        />
        <HookEnv hook="call_hook" />
      </FormSection>
      <FormSection title="Call status webhook" description="Receives call status events: ringing, answered, completed.">
        <HookFields
          hook="call_status_hook"
          title="Call status webhook"
          hint="The response is ignored."
          methods={hookMethods}
          required
        />
        <HookEnv hook="call_status_hook" />
        <KeptEnv />
      </FormSection>
    </>
  )
}
