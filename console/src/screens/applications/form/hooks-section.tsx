import { copiesCallUrl, hookMethods, isWebhookUrl, isWebsocketUrl } from '@patchbay/contract/webhooks/webhooks'
import { useEffect, useEffectEvent, useState } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { HookFields } from '../../../form/hook-fields.tsx'
import { Button } from '../../../ui/button.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import type { ApplicationValues } from './application-form.ts'
import { HookEnv, KeptEnv } from './hook-variables.tsx'

type StatusHook = Pick<ApplicationValues['call_status_hook'], 'url' | 'method'>

/**
 * Copies the URL of the calling webhook to the status webhook when it is entered. Returns whether the status webhook
 * contains the copy, and a function that restores it. After that, nothing is copied any more.
 */
const useCopiedUrl = () => {
  const { control, getValues, setValue } = useFormContext<ApplicationValues>()
  const statusUrl = useWatch({ control, name: 'call_status_hook.url' })
  const [copy, setCopy] = useState<{ url: string; before: StatusHook }>()
  const [isUndone, setUndone] = useState(false)
  const write = ({ url, method }: StatusHook) => {
    setValue('call_status_hook.url', url, { shouldDirty: true, shouldValidate: true })
    setValue('call_status_hook.method', method, { shouldDirty: true })
  }
  const copyUrl = (url: string, next?: EventTarget | null) => {
    const current = getValues('call_status_hook')
    // A user who goes straight to the field of the copy enters another URL there.
    if (next instanceof HTMLInputElement && next.name === 'call_status_hook.url') return
    // An invalid URL would show its error at both webhooks.
    if (isUndone || url === current.url || !isWebhookUrl(url) || !copiesCallUrl(url, current.url, copy?.url)) return
    setCopy({ url, before: copy?.before ?? { url: current.url, method: current.method } })
    write({ url, method: isWebsocketUrl(url) ? 'GET' : current.method })
  }
  // The focus stays in the field if the user saves with Enter or with the button.
  const copyBeforeSave = useEffectEvent(() => copyUrl(getValues('call_hook.url')))
  useEffect(() => {
    const onSubmit = ({ target }: SubmitEvent) => {
      // Other forms of the page, such as that of the webhook test, do not save the application.
      if (target instanceof HTMLFormElement && target.elements.namedItem('call_hook.url')) copyBeforeSave()
    }
    document.addEventListener('submit', onSubmit, true)
    return () => document.removeEventListener('submit', onSubmit, true)
  }, [])
  return {
    isCopied: copy !== undefined && statusUrl === copy.url,
    copyUrl,
    undo: () => {
      if (copy !== undefined) write(copy.before)
      setCopy(undefined)
      setUndone(true)
    },
  }
}

/** Form sections for the two webhooks of an application. */
export const HooksSection = () => {
  const { isCopied, copyUrl, undo } = useCopiedUrl()
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
          onUrlEntered={copyUrl}
        />
        <HookEnv hook="call_hook" />
      </FormSection>
      <FormSection title="Call status webhook" description="Receives call status events: ringing, answered, completed.">
        <HookFields
          hook="call_status_hook"
          title="Call status webhook"
          hint={
            <>
              The response is ignored. <span role="status">{isCopied && 'Copied from the calling webhook. '}</span>
              {isCopied && (
                <Button variant="ghost" size="small" onClick={undo}>
                  Undo
                </Button>
              )}
            </>
          }
          methods={hookMethods}
          required
        />
        <HookEnv hook="call_status_hook" />
        <KeptEnv />
      </FormSection>
    </>
  )
}
