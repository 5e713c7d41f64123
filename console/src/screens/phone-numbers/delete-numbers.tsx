import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { QueryFailed } from '../../feedback/query-failed.tsx'
import { DeleteSelected } from '../../list/bulk/delete-selected.tsx'
import { countText } from '../../ui/format/text.ts'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { readSelected } from './form/read-selected.ts'
import { type NumberQuery, numberKeys } from './queries.ts'
import { countSelected, nouns, type Selection } from './selection.ts'

interface DeleteNumbersProps {
  selection: Selection
  /** Number of phone numbers that match the filters. */
  total: number
  query: NumberQuery
  onStarted: () => void
  onClose: () => void
}

/** Dialog that deletes the selected numbers. It reads those of other pages first. */
export const DeleteNumbers = ({ selection, total, query, onStarted, onClose }: DeleteNumbersProps) => {
  const numbers = useQuery({
    queryKey: ['selected-numbers', query, selection.is === 'some' ? [...selection.rows.keys()] : [...selection.except]],
    queryFn: () => readSelected(selection, query),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const sids = useMemo(() => numbers.data?.map(({ phone_number_sid }) => phone_number_sid), [numbers.data])
  if (sids)
    return (
      <DeleteSelected
        kind="phone_number"
        nouns={nouns}
        sids={sids}
        changes={numberKeys}
        onStarted={onStarted}
        onClose={onClose}
      />
    )
  const count = countSelected(selection, total)
  return (
    <Dialog title={`Delete ${countText(count, count, nouns)}?`} onClose={onClose}>
      {numbers.error ? (
        <QueryFailed error={numbers.error} onRetry={() => void numbers.refetch()} />
      ) : (
        <p aria-live="polite">Reading numbers…</p>
      )}
    </Dialog>
  )
}
