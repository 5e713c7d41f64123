import type { DryRunRecord } from '@patchbay/contract/bulk-changes'
import { useState } from 'react'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { ConfirmByNameField, isConfirmed } from '../../feedback/confirm-by-name-field.tsx'
import { QueryFailed } from '../../feedback/query-failed.tsx'
import { recordNouns } from '../../record/record-counts.ts'
import { countText, type Nouns } from '../../ui/format/text.ts'
import { ListedRecords } from './listed-records.tsx'
import styles from './outcome.module.css'
import { type BulkDialogProps, useBulkChange } from './use-bulk-change.ts'
import { useDryRun } from './use-dry-run.ts'

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

const describeUse = (count: number, nouns: Nouns): string =>
  count === 1
    ? `${countText(1, 1, nouns)} is in use by other records, which lose it.`
    : `${countText(count, count, nouns)} are in use by other records, which lose them.`

/**
 * Dialog that deletes the selected records after a dry run. The user confirms it by typing how many records will be
 * deleted.
 */
export const DeleteSelected = ({ kind, nouns, sids, changes, onStarted, onClose }: BulkDialogProps) => {
  const [typed, setTyped] = useState('')
  const change = useBulkChange({ kind, changes, onStarted })
  const { isDone, isPending, error, refetch, possible, refused } = useDryRun({
    kind,
    operation: 'delete',
    values: undefined,
    sids,
  })
  const contents = sumUp(possible)
  const used = possible.filter(({ used_by }) => used_by.length > 0)
  const count = String(possible.length)
  const disabledReason = !isDone
    ? 'Checking what can be deleted'
    : possible.length === 0
      ? 'None of these can be deleted'
      : isConfirmed(count, typed)
        ? undefined
        : `Type ${count} to confirm`
  const remove = () =>
    change.mutate({ kind, operation: 'delete', values: undefined, sids: possible.map(({ sid }) => sid) })
  return (
    <ConfirmAction
      action={{ ...change, mutate: remove }}
      title={`Delete ${countText(sids.length, sids.length, nouns)}?`}
      confirmLabel={isDone ? `Delete ${countText(possible.length, possible.length, nouns)}` : 'Delete'}
      danger
      confirmDisabledReason={disabledReason}
      onCancel={onClose}
    >
      <div className={styles['content']}>
        {isPending && <p aria-live="polite">Checking what can be deleted…</p>}
        {error && <QueryFailed error={error} onRetry={() => void refetch()} />}
        {refused.length > 0 && (
          <ListedRecords
            label="Not deleted"
            title={`${countText(refused.length, refused.length, nouns)} cannot be deleted, and will be kept.`}
            records={refused}
            explain={({ blocked_by, reason }) =>
              blocked_by.length > 0 ? `used by ${formatCounted(blocked_by)}` : reason
            }
          />
        )}
        {used.length > 0 && (
          <ListedRecords
            label="In use"
            title={describeUse(used.length, nouns)}
            records={used}
            explain={({ used_by }) => `used by ${formatCounted(used_by)}`}
          />
        )}
        {possible.length > 0 && (
          <>
            <p>
              {countText(possible.length, possible.length, nouns)} will be deleted
              {contents.length > 0 && `, and with them ${formatCounted(contents)}`}. This cannot be undone.
            </p>
            <ConfirmByNameField name={count} typed={typed} onType={setTyped} />
          </>
        )}
      </div>
    </ConfirmAction>
  )
}
