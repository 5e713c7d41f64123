import { isWebhookUrl } from '@patchbay/contract/webhooks/webhooks'
import { useRef, useState } from 'react'
import { api } from '../../../api/client.ts'
import { queryClient } from '../../../api/query-client.ts'
import { applicationQuery } from '../../../api/record-queries.ts'
import { useAction } from '../../../feedback/use-action.ts'
import { ApplicationField } from '../../../fields/application-field.tsx'
import { FormDialog } from '../../../form/form-dialog.tsx'
import { SelectField } from '../../../ui/fields/field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { CallNamed } from './call-label.tsx'
import type { CallActProps } from './hang-up.tsx'

const targets = [
  { value: 'application', label: 'An application' },
  { value: 'webhook', label: 'A webhook' },
] as const
type Target = (typeof targets)[number]['value']

type Destination = { application_sid: string } | { url: string }

/** Returns the calling webhook of an application, from which the transferred call gets its next verbs. */
const fetchCallHook = async (application_sid: string) => {
  const { call_hook } = await queryClient.fetchQuery({ ...applicationQuery(application_sid), staleTime: 0 })
  if (call_hook === null) throw new Error('This application has no calling webhook')
  const { url, method, username, password } = call_hook
  return { url, method, ...(username && password ? { username, password } : {}) }
}

/** Dialog that transfers a call to another application of its account, or to a webhook. */
export const Transfer = ({ live, onClose }: CallActProps) => {
  const { account_sid, call_sid } = live
  const [target, setTarget] = useState<Target>('application')
  const [application, setApplication] = useState('')
  const [url, setUrl] = useState('')
  const [error, setError] = useState<string>()
  const field = useRef<HTMLElement>(null)
  const transfer = useAction({
    run: async (to: Destination) => {
      const call_hook = 'url' in to ? { url: to.url, method: 'POST' } : await fetchCallHook(to.application_sid)
      return api(
        'PUT /Accounts/:account_sid/Calls/:call_sid',
        { params: { account_sid, call_sid }, body: { call_hook } },
        { once: true },
      )
    },
    done: () => 'The call is being transferred',
    changes: [['live-calls']],
    after: onClose,
    quiet: true,
  })
  const readDestination = (): Destination | undefined => {
    const inputError =
      target === 'application'
        ? application === '' && 'Choose an application'
        : !isWebhookUrl(url.trim()) && 'Enter an address such as https://example.org/call'
    setError(inputError || undefined)
    if (!inputError) return target === 'application' ? { application_sid: application } : { url: url.trim() }
    field.current?.focus()
    return undefined
  }
  const choose = (chosen: Target) => {
    setTarget(chosen)
    setError(undefined)
  }
  return (
    <FormDialog
      title="Transfer the call"
      size="medium"
      submitLabel="Transfer"
      action={transfer}
      readInput={readDestination}
      onClose={onClose}
    >
      <p>
        <CallNamed {...live} /> leaves its current verb and continues with the application or webhook that you choose.
      </p>
      <SelectField
        label="Transfer to"
        options={targets}
        value={target}
        onChange={(event) => choose(event.target.value === 'webhook' ? 'webhook' : 'application')}
      />
      {target === 'application' ? (
        <ApplicationField
          label="Application"
          hint="The platform requests its calling webhook and executes the verbs in the response."
          required
          owner={{ account_sid }}
          value={application}
          onChange={(chosen) => {
            setApplication(chosen)
            setError(undefined)
          }}
          error={error}
          ref={field}
        />
      ) : (
        <TextField
          label="Webhook URL"
          hint="The platform sends it a POST request and executes the verbs in the response."
          required
          mono
          maxLength={1024}
          autoComplete="off"
          value={url}
          onChange={(event) => {
            setUrl(event.target.value)
            setError(undefined)
          }}
          error={error}
          ref={field as React.RefObject<HTMLInputElement | null>}
        />
      )}
    </FormDialog>
  )
}
