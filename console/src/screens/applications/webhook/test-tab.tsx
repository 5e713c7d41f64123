import type { Application } from '@patchbay/contract/applications'
import { isWebsocketUrl, type TriedHook, type TriedStatus, triedStatuses } from '@patchbay/contract/webhooks/webhooks'
import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { ApiError, errorMessage } from '../../../api/api-error.ts'
import { api } from '../../../api/client.ts'
import { ErrorBanner } from '../../../feedback/error-banner.tsx'
import { useAction } from '../../../feedback/use-action.ts'
import { CopyRequest } from '../../../form/copy-request/copy-request.tsx'
import { requiredSession } from '../../../session/session.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/fields/field.tsx'
import { ReadOnlyFields } from '../../../ui/fields/field-frame.tsx'
import { FieldRow, FormSection } from '../../../ui/fields/form-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { applicationUsesQuery } from '../used-by.ts'
import { verdictText, verdictTone } from './format-report.ts'
import { Report } from './report.tsx'
import styles from './webhook.module.css'

const hookLabels: Readonly<Record<TriedHook, string>> = {
  call_hook: 'Calling webhook',
  call_status_hook: 'Call status webhook',
}

const hookOptions = Object.entries(hookLabels).map(([value, label]) => ({ value, label }))

const statusLabels: Readonly<Record<TriedStatus, string>> = {
  trying: 'Received',
  'early-media': 'Early media',
  'in-progress': 'Answered',
  completed: 'Completed',
  'no-answer': 'Canceled by the caller',
}

const statusOptions = triedStatuses.map((value) => ({ value, label: `${statusLabels[value]} (${value})` }))

/** These numbers are reserved for fictional use in North America, so they belong to no subscriber. */
const sample = { from: '+12125550123', to: '+12125550199' }

interface TryTabProps {
  application: Application
  /** True if the form has unsaved changes. */
  isDirty: boolean
}

/** Returns why the webhook cannot be tested, or undefined if it can. */
const blockedFor = (hook: TriedHook, stored: Application[TriedHook]): string | undefined => {
  if (requiredSession().actor.is_view_only) return 'You have view-only access and can’t test webhooks.'
  if (stored === null) return `There is no ${hookLabels[hook].toLowerCase()}.`
  return isWebsocketUrl(stored.url)
    ? 'Only http and https webhooks can be tested, because a WebSocket stays open for a whole call.'
    : undefined
}

interface Trial {
  hook: TriedHook
  call_status: TriedStatus
  from: string
  to: string
}

/** State of the test form. The called number defaults to the first phone number that is routed to the application. */
const useTrial = (application_sid: string) => {
  const uses = useQuery(applicationUsesQuery(application_sid)).data
  const [chosen, setChosen] = useState<Partial<Trial>>({})
  const to = uses?.phone_numbers.first[0]?.name ?? sample.to
  const trial: Trial = { hook: 'call_hook', call_status: 'completed', ...sample, to, ...chosen }
  return { trial, change: (more: Partial<Trial>) => setChosen({ ...chosen, ...more }) }
}

/** Sends a stored webhook the request that the platform would send for an incoming call. */
export const TryTab = ({ application, isDirty }: TryTabProps) => {
  const { application_sid, app_json } = application
  const { trial, change } = useTrial(application_sid)
  const sending = useAction({
    run: async (body: Trial) => {
      const report = await api('POST /patchbay/applications/:application_sid/webhook-test', {
        params: { application_sid },
        body,
      })
      return { hook: body.hook, report }
    },
    quiet: true,
  })
  const stored = application[trial.hook]
  const blocked = blockedFor(trial.hook, stored)
  const { error, data, isPending } = sending
  const wrongField = error instanceof ApiError ? error.field : undefined
  const errorAt = (name: keyof Trial) => (error && wrongField === name ? errorMessage(error) : undefined)
  const isAtField = wrongField !== undefined && Object.hasOwn(trial, wrongField)
  const send = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (blocked === undefined && !isPending) sending.mutate(trial)
  }
  return (
    <div className={styles['workbench']}>
      <FormSection
        title="Test webhook"
        description="Sends the request that the platform sends for an incoming call, signed with the account’s secret. No call is made, but everything that the webhook does is real."
      >
        {isDirty && (
          <Banner tone="warn" role="status">
            The details have unsaved changes. The test uses the saved values.
          </Banner>
        )}
        {app_json && trial.hook === 'call_hook' && (
          <Banner>
            Calls start with the verbs of this application, so the platform does not request the calling webhook.
          </Banner>
        )}
        <ReadOnlyFields value={requiredSession().actor.is_view_only}>
          <form className={styles['form']} aria-label="Test webhook" noValidate onSubmit={send}>
            <FieldRow>
              <SelectField
                label="Webhook"
                options={hookOptions}
                value={trial.hook}
                error={errorAt('hook')}
                hint={stored && (isWebsocketUrl(stored.url) ? stored.url : `${stored.method} ${stored.url}`)}
                onChange={({ target }) => change({ hook: target.value as TriedHook })}
              />
              {trial.hook === 'call_status_hook' && (
                <SelectField
                  label="Call status"
                  options={statusOptions}
                  value={trial.call_status}
                  error={errorAt('call_status')}
                  onChange={({ target }) => change({ call_status: target.value as TriedStatus })}
                />
              )}
            </FieldRow>
            <FieldRow>
              <TextField
                label="From"
                mono
                autoComplete="off"
                value={trial.from}
                error={errorAt('from')}
                onChange={({ target }) => change({ from: target.value })}
              />
              <TextField
                label="To"
                mono
                autoComplete="off"
                value={trial.to}
                error={errorAt('to')}
                onChange={({ target }) => change({ to: target.value })}
              />
            </FieldRow>
            {error && !isAtField && <ErrorBanner error={error} />}
            <div className={styles['send']}>
              <Button type="submit" variant="primary" busy={isPending} disabledReason={blocked}>
                Send
              </Button>
              <CopyRequest prepare={(use) => use(() => sending.run(trial))} blocked={blocked} />
              {blocked !== undefined && <span className="note">{blocked}</span>}
              <output>
                {data && !isPending && (
                  <StateBadge tone={verdictTone(data.report)}>
                    {`${verdictText(data.report)}, ${data.report.milliseconds} ms`}
                  </StateBadge>
                )}
              </output>
            </div>
          </form>
        </ReadOnlyFields>
      </FormSection>
      {data && <Report {...data} />}
    </div>
  )
}
