import type { ConnectionCheck as Check } from '@patchbay/contract/carrier-connection-check'
import { useQuery } from '@tanstack/react-query'
import { ErrorBanner } from '../../../feedback/error-banner.tsx'
import { registrationLabels } from '../../../sections/carrier-health/health-labels.ts'
import { requiredSession } from '../../../session/session.ts'
import { viewOnlyReason } from '../../../session/view-only.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { DefinitionList } from '../../../ui/definition-list.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import { RelativeTime } from '../../../ui/format/time.tsx'
import { noRecentCall, summarizeCheck } from './check-labels.ts'
import { GatewayResults } from './gateway-results.tsx'
import { connectionCheckQuery, hasConnectionCheck } from './queries.ts'

const Results = ({ check, showsRegistration }: { check: Check; showsRegistration: boolean }) => {
  const { checked_at, registration, last_call_at, gateways } = check
  const [tone, label] = registrationLabels[registration?.state ?? 'unknown']
  return (
    <>
      <DefinitionList
        entries={[
          ['Result', summarizeCheck(check)],
          ['Checked', <RelativeTime key="checked" iso={checked_at} />],
          ...(showsRegistration && registration
            ? [
                [
                  'Registration',
                  <>
                    <StateBadge tone={tone}>{label}</StateBadge> {registration.reason}
                  </>,
                ] as const,
              ]
            : []),
          ['Last call', last_call_at === null ? noRecentCall : <RelativeTime key="call" iso={last_call_at} />],
        ]}
      />
      {gateways.length > 0 && <GatewayResults gateways={gateways} />}
    </>
  )
}

interface ConnectionCheckProps {
  voip_carrier_sid: string
  /** Checks when the part is shown, unless a result exists. */
  startsImmediately?: boolean
  /** Shows the registration, unless the page already does. */
  showsRegistration?: boolean
}

const Section = ({ voip_carrier_sid, startsImmediately = false, showsRegistration = false }: ConnectionCheckProps) => {
  const denied = viewOnlyReason(requiredSession().actor)
  const { data, error, isFetching, refetch } = useQuery({
    ...connectionCheckQuery(voip_carrier_sid),
    enabled: startsImmediately && denied === undefined,
  })
  return (
    <FormSection
      title="Connection"
      description="Patchbay sends a SIP OPTIONS request to each active gateway. The Patchbay server may have another address than your SBCs."
      action={
        <Button busy={isFetching} disabledReason={denied} onClick={() => void refetch()}>
          {data === undefined ? 'Check connection' : 'Check again'}
        </Button>
      }
    >
      <output className="visually-hidden">
        {isFetching ? 'Checking the connection…' : data === undefined ? '' : summarizeCheck(data)}
      </output>
      {error && <ErrorBanner error={error} what="The connection could not be checked" />}
      {data ? (
        <Results check={data} showsRegistration={showsRegistration} />
      ) : (
        <p>{isFetching ? 'Checking the connection…' : 'Not checked yet.'}</p>
      )}
    </FormSection>
  )
}

/**
 * Checks the connection to a carrier, and shows the results until the next check. Hidden if the server cannot check
 * connections.
 */
export const ConnectionCheck = (props: ConnectionCheckProps) => hasConnectionCheck() && <Section {...props} />
