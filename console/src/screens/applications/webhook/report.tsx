import type { WebhookProblem, WebhookReport } from '@patchbay/contract/webhook-test'
import type { TriedHook } from '@patchbay/contract/webhooks/webhooks'
import { useId } from 'react'
import { StateBadge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { DefinitionList } from '../../../ui/definition-list.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import { CodeLines } from './code-lines.tsx'
import { problemsText, requestText, sizeText, verdictText, verdictTone } from './format-report.ts'
import styles from './webhook.module.css'

interface ReportProps {
  hook: TriedHook
  report: WebhookReport
}

const Request = ({ report: { request } }: ReportProps) => {
  const text = requestText(request)
  return (
    <FormSection
      title="Request"
      description="The request that was sent. Secrets are masked."
      action={<CopyButton value={text} label="Copy the request" displayText="The request" />}
    >
      <CodeLines label="Raw request" text={text} plain />
      {request.method === 'GET' && (
        <p className="note">
          According to the platform’s documentation, a GET request contains these nine parameters. The published server
          sends only the URL and signs the body that a POST request would have, so its SDK rejects every GET request.
          POST works in both cases.
        </p>
      )}
    </FormSection>
  )
}

const Answer = ({ report, lineId }: ReportProps & { lineId: string }) => {
  const { answer, failure, milliseconds, faults, warnings } = report
  if (answer === null)
    return (
      <FormSection title="Answer" description={`None, after ${milliseconds} ms.`}>
        <p>{failure}</p>
      </FormSection>
    )
  const { status, status_text, headers, text, bytes } = answer
  return (
    <FormSection title="Answer">
      <DefinitionList
        entries={[
          [
            'Status',
            <StateBadge key="status" tone={status < 300 ? 'good' : 'bad'}>
              {`${status} ${status_text}`.trim()}
            </StateBadge>,
          ],
          ['Time', `${milliseconds} ms`],
          ...(failure === null ? [['Size', sizeText(bytes)] as const] : []),
          ...Object.entries(headers).map(([name, value]) => [name, value, { mono: true }] as const),
        ]}
      />
      {failure !== null && <p>{failure}</p>}
      {text !== '' && (
        <CodeLines label="Response of the webhook" text={text} faults={[...faults, ...warnings]} id={lineId} />
      )}
    </FormSection>
  )
}

const showLine = (id: string) => {
  const line = document.getElementById(id)
  line?.scrollIntoView({ block: 'center' })
  line?.focus({ preventScroll: true })
}

const Fault = ({ fault: { message, line }, lineId }: { fault: WebhookProblem; lineId: string }) => (
  <li>
    {line !== null && (
      <Button size="small" onClick={() => showLine(`${lineId}${line}`)}>
        Line {line}
      </Button>
    )}
    <span>{message}</span>
  </li>
)

const Faults = ({ faults, lineId }: { faults: readonly WebhookProblem[]; lineId: string }) => (
  <ul className={styles['faults']} aria-label="Problems">
    {faults.map((fault) => (
      <Fault key={`${fault.line} ${fault.column} ${fault.message}`} fault={fault} lineId={lineId} />
    ))}
  </ul>
)

const Verdict = ({ hook, report, lineId }: ReportProps & { lineId: string }) => {
  const { verbs, faults, faults_total, warnings } = report
  if (faults.length > 0)
    return (
      <FormSection
        title="Verdict"
        description={
          hook === 'call_hook' ? 'The platform would reject the call.' : 'The platform would raise an alert.'
        }
        action={<StateBadge tone="bad">{problemsText(faults_total)}</StateBadge>}
      >
        <Faults faults={faults} lineId={lineId} />
        {faults_total > faults.length && (
          <p className="note">
            The first {faults.length} of {faults_total}.
          </p>
        )}
      </FormSection>
    )
  return (
    <FormSection title="Verdict" action={<StateBadge tone={verdictTone(report)}>{verdictText(report)}</StateBadge>}>
      {hook === 'call_status_hook' ? (
        <p>The webhook accepted the event. Its response is ignored.</p>
      ) : (
        <>
          <p>A call would start with these verbs.</p>
          <ol className={styles['verbs']} aria-label="Verbs">
            {[...verbs.entries()].map(([index, verb]) => (
              <li key={index}>
                <code>{verb}</code>
              </li>
            ))}
          </ol>
          {warnings.length > 0 && (
            <>
              <p>These verbs may fail.</p>
              <Faults faults={warnings} lineId={lineId} />
            </>
          )}
        </>
      )}
    </FormSection>
  )
}

/** Shows the request of a webhook test, the response, and how the platform would interpret it. */
export const Report = (props: ReportProps) => {
  const lineId = `${useId()}line-`
  return (
    <>
      <Request {...props} />
      <Answer {...props} lineId={lineId} />
      <Verdict {...props} lineId={lineId} />
    </>
  )
}
