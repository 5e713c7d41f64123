import type { BulkChange } from '@patchbay/contract/bulk-changes'
import type { BulkKindName } from '@patchbay/contract/bulk-changes/kinds'
import { isRecordKind, recordKinds } from '@patchbay/contract/shared/record-kinds'
import { type QueryKey, useQuery } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { isNotFound } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { useAction } from '../../feedback/use-action.ts'
import { LinkedRecord } from '../../record/linked-record.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { countText, formatCount, type Nouns } from '../../ui/format/text.ts'
import { ProgressLine } from '../../ui/progress-line.tsx'
import styles from './outcome.module.css'
import selection from './selection.module.css'
import { UndoButton } from './undo-button.tsx'
import { storeBulkChange } from './use-bulk-change.ts'

const pollMs = 1000

/** Names the kind of a record, if those of the bulk change have several. */
const RecordKindLabel = ({ operation, kind }: { operation: BulkChange['operation']; kind: string }) =>
  operation === 'delete_cascade' && `${isRecordKind(kind) ? recordKinds[kind] : kind} `

const Failures = ({ change: { operation, failures, failed } }: { change: BulkChange }) => (
  <ul className={styles['list']} aria-label="Not changed">
    {failures.map(({ kind, sid, name, reason }, nth) => (
      // An account can fail twice: its update, and its deletion.
      // oxlint-disable-next-line react/no-array-index-key
      <li key={`${sid} ${nth}`}>
        <RecordKindLabel operation={operation} kind={kind} />
        <LinkedRecord kind={kind} sid={sid} name={name} />: {reason}
      </li>
    ))}
    {failed > failures.length && <li>and {formatCount(failed - failures.length)} more</li>}
  </ul>
)

/** Returns what became of the records, or of the owner that was to be deleted with its contents. */
const describeOutcome = (change: BulkChange, nouns: Nouns): string => {
  const { operation, undoes, status, total, done, failed, name } = change
  if (operation !== 'delete_cascade') {
    const verb = operation === 'delete' ? 'Deleted' : undoes ? 'Restored' : 'Changed'
    return `${verb} ${countText(done, total, nouns)}.`
  }
  const owner = `${nouns[0]} ${name ?? ''}`.trim()
  if (status === 'finished' && failed === 0) return `Deleted ${owner} with its contents.`
  return `Kept ${owner}. ${countText(done, done, ['record', 'records'])} of it ${done === 1 ? 'was' : 'were'} deleted.`
}

interface OutcomeProps extends Pick<BulkProgressProps, 'kind' | 'nouns'> {
  change: BulkChange
  /** Time at which the outcome was read, in milliseconds since the Unix epoch. */
  readAt: number
  onClose: () => void
}

/** Says how a bulk change ended: how many records were changed, and which were not, with the reasons. */
const Outcome = ({ change, kind, nouns, readAt, onClose }: OutcomeProps) => {
  const { status, stop_reason, failed } = change
  const ending = {
    canceled: ' Canceled by you.',
    stopped: ` Stopped: ${stop_reason ?? ''}.`,
    finished: '',
    running: '',
  }
  const text = describeOutcome(change, nouns) + ending[status]
  const close = (
    <>
      <UndoButton key={readAt} kind={kind} change={change} />
      <Button size="small" onClick={onClose}>
        Close
      </Button>
    </>
  )
  if (failed === 0 && status === 'finished')
    return (
      <div className={selection['selection']} role="status">
        <span>{text}</span>
        {close}
      </div>
    )
  return (
    <Banner tone="warn" role="alert" title={text} action={close}>
      {failed > 0 && <Failures change={change} />}
    </Banner>
  )
}

interface BulkProgressProps {
  kind: BulkKindName
  nouns: Nouns
  sid: string
  changes: readonly QueryKey[]
}

/** Follows a bulk change until it ends, and shows its outcome until the user closes it. */
export const BulkProgress = ({ kind, nouns, sid, changes }: BulkProgressProps) => {
  const close = useCallback(() => storeBulkChange(kind, undefined), [kind])
  const params = { bulk_change_sid: sid }
  const {
    data: change,
    error,
    dataUpdatedAt,
  } = useQuery({
    queryKey: ['bulk-change', sid],
    queryFn: (context) => api('GET /patchbay/bulk-changes/:bulk_change_sid', { params }, queryCallOptions(context)),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? pollMs : false),
  })
  const cancel = useAction({
    run: () => api('POST /patchbay/bulk-changes/:bulk_change_sid/cancel', { params }),
    changes: [['bulk-change', sid]],
  })
  const ended = change !== undefined && change.status !== 'running'
  useEffect(() => {
    if (!ended) return
    // An account or a service provider contains records of all lists.
    if (change.operation === 'delete_cascade') void queryClient.invalidateQueries()
    else for (const queryKey of changes) void queryClient.invalidateQueries({ queryKey })
    // The keys of the queries do not change.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [ended])
  // Another user has signed in, or the bulk change ended more than a week ago.
  const isUnknown = isNotFound(error)
  useEffect(() => {
    if (isUnknown) close()
  }, [isUnknown, close])
  if (change === undefined) return null
  if (ended) return <Outcome change={change} kind={kind} nouns={nouns} readAt={dataUpdatedAt} onClose={close} />
  const { operation, undoes, name, done, failed, total } = change
  const labels = {
    update: undoes ? 'Restoring' : 'Changing',
    delete: 'Deleting',
    delete_cascade: `Deleting ${nouns[0]} ${name ?? ''}`.trim(),
  }
  return (
    <div className={selection['selection']} role="group" aria-label="Bulk change">
      <ProgressLine label={labels[operation]} done={done + failed} of={total} />
      <Button size="small" busy={cancel.isPending} onClick={() => cancel.mutate(undefined)}>
        Cancel
      </Button>
    </div>
  )
}
