import type { DryRunRecord } from '@patchbay/contract/bulk-changes'
import { maxDryRunRecords } from '@patchbay/contract/bulk-changes/bulk-change-limits'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { chunk } from '../../api/batches.ts'
import { api } from '../../api/client.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { ConfirmByNameField, isConfirmed } from '../../feedback/confirm-by-name-field.tsx'
import { QueryFailed } from '../../feedback/query-failed.tsx'
import { recordNouns } from '../../record/record-counts.ts'
import { Banner } from '../../ui/banner.tsx'
import { countText, formatCount, type Nouns } from '../../ui/format/text.ts'
import styles from './outcome.module.css'
import { type BulkDialogProps, useBulkChange } from './use-bulk-change.ts'

/** Records beyond this number are only counted. */
const maxListed = 100

const nounsByName: Readonly<Record<string, Nouns>> = {
  ...recordNouns,
  sip_gateways: ['SIP gateway', 'SIP gateways'],
  smpp_gateways: ['SMPP gateway', 'SMPP gateways'],
  lcr_routes: ['route', 'routes'],
}

type Counted = DryRunRecord['blocked_by']

const formatCounted = (counted: Counted): string =>
  counted
    .map(({ name, total }) => {
      const noun = name.replaceAll('_', ' ')
      return countText(total, total, nounsByName[name] ?? [noun, noun])
    })
    .join(', ')

const sumUp = (records: readonly DryRunRecord[]): Counted => {
  const totals = new Map<string, number>()
  for (const { name, total } of records.flatMap(({ deletes }) => deletes))
    totals.set(name, (totals.get(name) ?? 0) + total)
  return [...totals].map(([name, total]) => ({ name, total }))
}

const Blocked = ({ records, nouns }: { records: readonly DryRunRecord[]; nouns: Nouns }) => (
  <>
    <Banner tone="warn">{countText(records.length, records.length, nouns)} cannot be deleted, and will be kept.</Banner>
    <ul className={styles['list']} aria-label="Not deleted">
      {records.slice(0, maxListed).map(({ sid, name, reason, blocked_by }) => (
        <li key={sid}>
          <bdi>{name ?? sid}</bdi>: {blocked_by.length > 0 ? `used by ${formatCounted(blocked_by)}` : reason}
        </li>
      ))}
      {records.length > maxListed && <li>and {formatCount(records.length - maxListed)} more</li>}
    </ul>
  </>
)

/**
 * Dialog that deletes the selected records after a dry run. The user confirms it by typing how many records will be
 * deleted.
 */
export const DeleteSelected = ({ kind, nouns, sids, changes, onStarted, onClose }: BulkDialogProps) => {
  const [typed, setTyped] = useState('')
  const change = useBulkChange({ kind, changes, onStarted })
  const dryRun = useQuery({
    queryKey: ['bulk-dry-run', kind, sids],
    queryFn: async () => {
      const records: DryRunRecord[] = []
      for (const some of chunk(sids, maxDryRunRecords))
        records.push(...(await api('POST /patchbay/bulk-changes/dry-run', { body: { kind, sids: some } })).records)
      return records
    },
    gcTime: 0,
    // The deletion changes what the dry run has found, while the dialog shows it.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const deletable = dryRun.data?.filter(({ reason }) => reason === null) ?? []
  const blocked = dryRun.data?.filter(({ reason }) => reason !== null) ?? []
  const contents = sumUp(deletable)
  const count = String(deletable.length)
  const disabledReason =
    dryRun.data === undefined
      ? 'Checking what can be deleted'
      : deletable.length === 0
        ? 'None of these can be deleted'
        : isConfirmed(count, typed)
          ? undefined
          : `Type ${count} to confirm`
  const remove = () =>
    change.mutate({ kind, operation: 'delete', values: undefined, sids: deletable.map(({ sid }) => sid) })
  return (
    <ConfirmAction
      action={{ ...change, mutate: remove }}
      title={`Delete ${countText(sids.length, sids.length, nouns)}?`}
      confirmLabel={dryRun.data ? `Delete ${countText(deletable.length, deletable.length, nouns)}` : 'Delete'}
      danger
      confirmDisabledReason={disabledReason}
      onCancel={onClose}
    >
      <div className={styles['content']}>
        {dryRun.isPending && <p aria-live="polite">Checking what can be deleted…</p>}
        {dryRun.error && <QueryFailed error={dryRun.error} onRetry={() => void dryRun.refetch()} />}
        {blocked.length > 0 && <Blocked records={blocked} nouns={nouns} />}
        {deletable.length > 0 && (
          <>
            <p>
              {countText(deletable.length, deletable.length, nouns)} will be deleted
              {contents.length > 0 && `, and with them ${formatCounted(contents)}`}. This cannot be undone.
            </p>
            <ConfirmByNameField name={count} typed={typed} onType={setTyped} />
          </>
        )}
      </div>
    </ConfirmAction>
  )
}
