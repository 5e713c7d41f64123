import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { QueryFailed } from '../../feedback/query-failed.tsx'
import type { EditableField } from '../../list/bulk/bulk-fields.ts'
import { DeleteSelected } from '../../list/bulk/delete-selected.tsx'
import { EditSelected } from '../../list/bulk/edit-selected.lazy.ts'
import { requiredSession } from '../../session/session.ts'
import { countText } from '../../ui/format/text.ts'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { readSelected } from './form/read-selected.ts'
import { type NumberQuery, numberKeys } from './queries.ts'
import { accountSelected, countSelected, nouns, type Selection } from './selection.ts'

interface ChangeNumbersProps {
  /** The fields to edit. Without them, the dialog deletes the numbers. */
  fields: readonly EditableField[] | undefined
  selection: Selection
  /** Number of phone numbers that match the filters. */
  total: number
  query: NumberQuery
  onStarted: () => void
  onClose: () => void
}

/** Dialog that edits or deletes the selected numbers. It reads those of other pages first. */
export const ChangeNumbers = ({ fields, selection, total, query, onStarted, onClose }: ChangeNumbersProps) => {
  const numbers = useQuery({
    queryKey: ['selected-numbers', query, selection.is === 'some' ? [...selection.rows.keys()] : [...selection.except]],
    queryFn: () => readSelected(selection, query),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const sids = useMemo(() => numbers.data?.map(({ phone_number_sid }) => phone_number_sid), [numbers.data])
  if (sids) {
    const dialog = { kind: 'phone_number', nouns, sids, changes: numberKeys, onStarted, onClose } as const
    if (fields === undefined) return <DeleteSelected {...dialog} />
    const account_sid = accountSelected(selection, requiredSession().actor.account_sid ?? query.account_sid)
    return <EditSelected {...dialog} fields={fields} account_sid={account_sid} />
  }
  const count = countSelected(selection, total)
  const text = countText(count, count, nouns)
  return (
    <Dialog title={fields === undefined ? `Delete ${text}?` : `Edit ${text}`} onClose={onClose}>
      {numbers.error ? (
        <QueryFailed error={numbers.error} onRetry={() => void numbers.refetch()} />
      ) : (
        <p aria-live="polite">Reading numbers…</p>
      )}
    </Dialog>
  )
}
