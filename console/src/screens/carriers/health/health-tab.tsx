import type { CarrierHealth, GatewayHealth, RegistrationHealth } from '@patchbay/contract/carrier-health'
import { useQuery } from '@tanstack/react-query'
import { RefetchErrorBanner } from '../../../feedback/query-failed.tsx'
import { FormLoading } from '../../../form/form-loading.tsx'
import {
  carrierLabels,
  describeHealth,
  formatCalls,
  gatewayLabels,
  registrationLabels,
} from '../../../sections/carrier-health/health-labels.ts'
import { carrierHealthQuery } from '../../../sections/carrier-health/queries.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { type DefinitionEntry, DefinitionList } from '../../../ui/definition-list.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import { formatCount } from '../../../ui/format/text.ts'
import { RelativeTime } from '../../../ui/format/time.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { EmptyState } from '../../../ui/table/list-state.tsx'
import type { TableColumn } from '../../../ui/table/table-props.ts'
import styles from '../carriers.module.css'
import { ConnectionCheck } from '../connection-check/connection-check.tsx'
import { HealthHistorySection } from './health-history.tsx'

const Badge = ({ of: [tone, label] }: { of: (typeof gatewayLabels)[keyof typeof gatewayLabels] }) => (
  <StateBadge tone={tone}>{label}</StateBadge>
)

const stateHints: Readonly<Record<GatewayHealth['state'], string>> = {
  failing: 'The SBCs skip this gateway for outbound calls. The failure may have started earlier.',
  no_failure_known: 'The SBCs ping this gateway, and no ping failed lately.',
  not_monitored: 'Pings need an active carrier, and an active outbound gateway with “Send OPTIONS ping”.',
  unknown: 'Redis is not available.',
}

const columns: readonly TableColumn<GatewayHealth>[] = [
  {
    id: 'address',
    header: 'Gateway',
    share: 16,
    nowrap: true,
    cell: ({ ipv4, port }) => <code>{port === null ? ipv4 : `${ipv4}:${port}`}</code>,
  },
  {
    id: 'state',
    header: 'State',
    share: 10,
    nowrap: true,
    card: 'state',
    cell: ({ state }) => <Badge of={gatewayLabels[state]} />,
  },
  {
    id: 'since',
    header: 'Failing since',
    share: 10,
    nowrap: true,
    card: 'detail',
    cell: ({ failing_since }) => failing_since && <RelativeTime iso={failing_since} />,
  },
  { id: 'hint', header: 'Meaning', share: 24, wraps: true, cell: ({ state }) => stateHints[state] },
]

const rowKey = ({ sip_gateway_sid }: GatewayHealth): string => sip_gateway_sid

const toEntries = ({ state, reason, reported_at, expires_at }: RegistrationHealth): DefinitionEntry[] => [
  ['Registration', <Badge key="state" of={registrationLabels[state]} />],
  ...(reason === null ? [] : [['Response', reason] as const]),
  ...(reported_at === null ? [] : [['Reported', <RelativeTime key="reported" iso={reported_at} />] as const]),
  ...(expires_at === null
    ? []
    : [[state === 'stale' ? 'Expired' : 'Expires', <RelativeTime key="expires" iso={expires_at} />] as const]),
]

const Summary = ({ health }: { health: CarrierHealth }) => {
  const calls = formatCalls(health.calls)
  return (
    <FormSection title="Health" description={describeHealth({ ...health, calls: null })}>
      <DefinitionList
        entries={[
          ['State', <Badge key="state" of={carrierLabels[health.state]} />],
          ...(health.registration ? toEntries(health.registration) : []),
          ...(calls === undefined ? [] : [['Calls', calls] as const]),
        ]}
      />
    </FormSection>
  )
}

/** The health of a carrier and of each SIP gateway. */
export const HealthTab = ({ voip_carrier_sid }: { voip_carrier_sid: string }) => {
  const query = useQuery(carrierHealthQuery(voip_carrier_sid))
  const { data: health, refetch } = query
  if (health === undefined) return <FormLoading queries={[query]} sections={2} />
  const { gateways, gateway_count } = health
  const hidden = gateway_count - gateways.length
  return (
    <div className={styles['health']}>
      <RefetchErrorBanner query={query} onRetry={() => void refetch()} />
      <Summary health={health} />
      <DataTable
        caption="Health of the SIP gateways"
        columns={columns}
        rows={gateways}
        rowKey={rowKey}
        state="ready"
        empty={
          <EmptyState title="No SIP gateways." hint="Add a gateway in the details to see whether the SBCs reach it." />
        }
      />
      {hidden > 0 && <p>and {formatCount(hidden)} more</p>}
      <ConnectionCheck voip_carrier_sid={voip_carrier_sid} />
      <HealthHistorySection voip_carrier_sid={voip_carrier_sid} />
    </div>
  )
}
