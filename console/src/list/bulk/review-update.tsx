import type { NewBulkChange } from '@patchbay/contract/bulk-changes'
import { useQuery } from '@tanstack/react-query'
import { applicationQuery } from '../../api/record-queries.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { QueryFailed } from '../../feedback/query-failed.tsx'
import { dtmfOptions } from '../../record/dtmf-options.ts'
import type { AccountSummary } from '../../record/use-accounts-in-scope.ts'
import { countText } from '../../ui/format/text.ts'
import type { EditableField } from './bulk-fields.ts'
import { describeEffect } from './describe-effect.ts'
import { ListedRecords } from './listed-records.tsx'
import styles from './outcome.module.css'
import { type BulkDialogProps, useBulkChange } from './use-bulk-change.ts'
import { useDryRun } from './use-dry-run.ts'

type Value = string | boolean | null

const ApplicationName = ({ sid }: { sid: string }) => {
  const { data } = useQuery(applicationQuery(sid))
  return <bdi>{data?.name ?? sid}</bdi>
}

interface ValueTextProps {
  type: EditableField['type']
  value: Value
  accounts: readonly AccountSummary[]
}

const ValueText = ({ type, value, accounts }: ValueTextProps) => {
  if (typeof value !== 'string') return value === null ? 'None' : value ? 'Yes' : 'No'
  if (type === 'application') return <ApplicationName sid={value} />
  if (type === 'account') return <bdi>{accounts.find(({ account_sid }) => account_sid === value)?.name ?? value}</bdi>
  return dtmfOptions().find((option) => option.value === value)?.label ?? value
}

interface ReviewUpdateProps extends BulkDialogProps {
  fields: readonly EditableField[]
  values: Readonly<Record<string, Value>>
  accounts: readonly AccountSummary[]
}

/** Dialog that says what new values would do by a dry run, and changes the records after a confirmation. */
export const ReviewUpdate = (props: ReviewUpdateProps) => {
  const { kind, nouns, sids, changes, fields, values, accounts, onStarted, onClose } = props
  const change = useBulkChange({ kind, changes, onStarted })
  const { isDone, isPending, error, refetch, possible, refused } = useDryRun({
    kind,
    operation: 'update',
    values,
    sids,
  })
  const changing = possible.filter((record) => record.changes.length > 0)
  const count = countText(changing.length, changing.length, nouns)
  const body: NewBulkChange = { kind, operation: 'update', values: { ...values }, sids: changing.map(({ sid }) => sid) }
  const disabledReason = isDone ? 'None of these would change' : 'Checking what changes'
  return (
    <ConfirmAction
      action={{ ...change, mutate: () => change.mutate(body) }}
      title={`Change ${changing.length > 0 ? count : countText(sids.length, sids.length, nouns)}?`}
      confirmLabel={changing.length > 0 ? `Change ${count}` : 'Change'}
      cancelLabel="Back"
      danger={fields.some(({ name }) => values[name] === null)}
      confirmDisabledReason={changing.length > 0 ? undefined : disabledReason}
      onCancel={onClose}
    >
      <div className={styles['content']}>
        {isPending && <p aria-live="polite">Checking what changes…</p>}
        {error && <QueryFailed error={error} onRetry={() => void refetch()} />}
        {refused.length > 0 && (
          <ListedRecords
            label="Refused"
            title={`${countText(refused.length, refused.length, nouns)} cannot be changed, and will be left out.`}
            records={refused}
            explain={({ reason }) => reason}
          />
        )}
        {possible.length > 0 && (
          <ul className={styles['effects']} aria-label="New values">
            {fields.map(({ name, label, type }) => (
              <li key={name}>
                <b>{label}</b>: <ValueText type={type} value={values[name] ?? null} accounts={accounts} /> (
                {describeEffect({ name, type }, values[name] === null, possible, nouns)})
              </li>
            ))}
          </ul>
        )}
        {changing.length > 0 && <p>The change can be undone for a minute.</p>}
      </div>
    </ConfirmAction>
  )
}
