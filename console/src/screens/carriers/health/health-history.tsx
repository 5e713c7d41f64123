import type { HealthChange, HealthHistory } from '@patchbay/contract/carrier-health'
import { useQuery } from '@tanstack/react-query'
import { RefetchErrorBanner } from '../../../feedback/query-failed.tsx'
import { FormLoading } from '../../../form/form-loading.tsx'
import { healthHistoryQuery } from '../../../sections/carrier-health/queries.ts'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import { Duration } from '../../../ui/format/duration.tsx'
import { formatCount } from '../../../ui/format/text.ts'
import { DateTime } from '../../../ui/format/time.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { EmptyState } from '../../../ui/table/list-state.tsx'
import type { TableColumn } from '../../../ui/table/table-props.ts'
import styles from '../carriers.module.css'
import { describeChange } from './change-labels.ts'

const getSeconds = ({ changed_at, ended_at }: HealthChange): number | null =>
  ended_at === null ? null : (Date.parse(ended_at) - Date.parse(changed_at)) / 1000

const columns: readonly TableColumn<HealthChange>[] = [
  {
    id: 'time',
    header: 'Time',
    share: 14,
    nowrap: true,
    card: 'time',
    cell: ({ changed_at }) => <DateTime iso={changed_at} />,
  },
  {
    id: 'gateway',
    header: 'Gateway',
    share: 14,
    nowrap: true,
    card: 'name',
    cell: ({ address }) => (address === null ? 'Registration' : <code>{address}</code>),
  },
  { id: 'change', header: 'Change', share: 24, wraps: true, cell: describeChange },
  {
    id: 'duration',
    header: 'Duration',
    share: 8,
    nowrap: true,
    card: 'end',
    cell: (change) => (change.ended_at === null ? 'ongoing' : <Duration seconds={getSeconds(change)} />),
  },
]

const rowKey = ({ sip_gateway_sid, changed_at }: HealthChange): string => `${sip_gateway_sid} ${changed_at}`

const Unwatched = ({ periods }: { periods: HealthHistory['unwatched'] }) =>
  periods.length > 0 && (
    <ul className={styles['unwatched']}>
      {periods.map(({ from, until }) => (
        <li key={from}>
          Not watched from <DateTime iso={from} /> to <DateTime iso={until} />, because Patchbay did not run or Redis
          was not available.
        </li>
      ))}
    </ul>
  )

const Empty = ({ since }: { since: string | null }) =>
  since === null ? (
    <EmptyState title="No checks yet." hint="Patchbay checks carriers every 30 seconds while it runs." />
  ) : (
    <EmptyState
      title="No changes."
      hint={
        <>
          Patchbay watches the SIP gateways and the registration since <DateTime iso={since} />.
        </>
      }
    />
  )

/** The changes of the health of a carrier in the last 30 days, and the periods in which Patchbay did not watch it. */
export const HealthHistorySection = ({ voip_carrier_sid }: { voip_carrier_sid: string }) => {
  const query = useQuery(healthHistoryQuery(voip_carrier_sid))
  const { data: history, refetch } = query
  if (history === undefined) return <FormLoading queries={[query]} />
  const { data, total, watched_since, unwatched } = history
  return (
    <FormSection title="History" description="Changes of the last 30 days. Patchbay checks every 30 seconds.">
      <RefetchErrorBanner query={query} onRetry={() => void refetch()} />
      <DataTable
        caption="History of the carrier health"
        columns={columns}
        rows={data}
        rowKey={rowKey}
        state="ready"
        empty={<Empty since={watched_since} />}
      />
      {total > data.length && (
        <p>
          The newest {formatCount(data.length)} of {formatCount(total)} changes.
        </p>
      )}
      <Unwatched periods={unwatched} />
    </FormSection>
  )
}
