import type { AlertDestination, DestinationReport } from '@patchbay/contract/alert-destinations'
import { validateDestination } from '@patchbay/contract/shared/destination-kinds'
import { useFormContext, useWatch } from 'react-hook-form'
import { ApiError } from '../../../api/api-error.ts'
import { api } from '../../../api/client.ts'
import { ErrorBanner } from '../../../feedback/error-banner.tsx'
import { useDraftTest } from '../../../form/use-draft-test.ts'
import { requiredSession } from '../../../session/session.ts'
import { viewOnlyReason } from '../../../session/view-only.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import type { DestinationValues } from './destination-form.ts'

type TestedValues = Pick<DestinationValues, 'account_sid' | 'kind' | 'target'>

type Report = DestinationReport & { is_signed_provisionally?: boolean }

type TestSectionProps =
  | { /** The stored destination. */ destination: AlertDestination; service_provider_sid?: never }
  | { destination?: never /** The provider of a new destination. */; service_provider_sid: string }

const isStored = ({ kind, target }: TestedValues, destination: AlertDestination | undefined) =>
  destination?.kind === kind && destination.target === target

const sendTest = (values: TestedValues, { destination, service_provider_sid }: TestSectionProps): Promise<Report> => {
  const { account_sid, kind, target } = values
  if (destination === undefined)
    return api('POST /patchbay/alert-destinations/test', {
      body: { kind, target, account_sid: account_sid || null, service_provider_sid },
    })
  const { alert_destination_sid } = destination
  return isStored(values, destination)
    ? api('POST /patchbay/alert-destinations/:alert_destination_sid/test', { params: { alert_destination_sid } })
    : api('POST /patchbay/alert-destinations/test', { body: { kind, target, alert_destination_sid } })
}

/** Returns why the destination cannot be tested now, or undefined if it can. */
const findObstacle = (values: TestedValues, destination: AlertDestination | undefined): string | undefined => {
  const { kind, target } = values
  if (isStored(values, destination))
    return destination?.is_confirmed ? undefined : 'The email address is not confirmed yet'
  if (kind === 'email') return 'Save the email address first. It receives alerts after its owner has confirmed it.'
  return validateDestination(kind, target) === undefined ? undefined : 'Enter where the alerts are sent to first'
}

const isAtTarget = (error: Error): boolean => error instanceof ApiError && error.field === 'target'

const formatReport = ({ delivered, failure, status, milliseconds }: Report): string => {
  const outcome = delivered ? (status === null ? 'Email sent' : `Response ${status}`) : failure
  return `${outcome}, ${milliseconds} ms`
}

/** Sends a test alert to where the form says, before it is saved, and reports the outcome. */
export const TestSection = (props: TestSectionProps) => {
  const { setError } = useFormContext<DestinationValues>()
  const [account_sid, kind, target] = useWatch<DestinationValues, ['account_sid', 'kind', 'target']>({
    name: ['account_sid', 'kind', 'target'],
  })
  const values: TestedValues = { account_sid, kind, target }
  const { start, isPending, result: report, error } = useDraftTest(values, (tested) => sendTest(tested, props))
  const send = () =>
    start((failure) => {
      if (isAtTarget(failure)) setError('target', { message: failure.message }, { shouldFocus: true })
    })
  return (
    <FormSection
      title="Test"
      description="Sends a test alert to the destination above, also before it is saved."
      action={
        <Button
          busy={isPending}
          disabledReason={viewOnlyReason(requiredSession().actor) ?? findObstacle(values, props.destination)}
          onClick={send}
        >
          Send test alert
        </Button>
      }
    >
      {error && !isAtTarget(error) && <ErrorBanner error={error} />}
      <output>
        {report && (
          <>
            <StateBadge tone={report.delivered ? 'good' : 'bad'}>
              {report.delivered ? 'Delivered' : 'Not delivered'}
            </StateBadge>{' '}
            {formatReport(report)}
          </>
        )}
      </output>
      {report?.is_signed_provisionally && (
        <p className="note">
          The destination gets its signing secret when it is saved. A receiver that verifies signatures rejects this
          test.
        </p>
      )}
      {report?.text && <Banner>{report.text}</Banner>}
    </FormSection>
  )
}
