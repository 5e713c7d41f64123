import type { UsedElsewhere } from '@patchbay/contract/accounts'
import type { CascadeOwnerKind } from '@patchbay/contract/bulk-changes/kinds'
import { kindNoun, recordNoun } from '@patchbay/contract/shared/record-kinds'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { ConfirmByNameField, isConfirmed } from '../../feedback/confirm-by-name-field.tsx'
import { QueryFailed } from '../../feedback/query-failed.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { storeBulkChange } from '../../list/bulk/use-bulk-change.ts'
import { LinkedRecord } from '../../record/linked-record.tsx'
import { recordNouns } from '../../record/record-counts.ts'
import { Banner } from '../../ui/banner.tsx'
import { countCalls, EndCallsField, endCalls, useRunningCalls } from '../live-calls/running-calls.tsx'

/** The kinds of records outside of the owner, in the plural. The others are accounts. */
const toPlural = (name: string): string =>
  Object.entries(recordNouns).find(([table]) => table === name)?.[1][1] ?? 'accounts'

interface UsedProps {
  noun: string
  used: UsedElsewhere
  onLeave: () => void
}

const Used = ({ noun, used, onLeave }: UsedProps) => (
  <>
    <Banner tone="warn">
      Records outside of the {noun} use these records of it. Change or delete the others first, because they are kept.
    </Banner>
    <ul aria-label={`Used outside of the ${noun}`}>
      {used.map(({ kind, sid, name, used_by }) => (
        <li key={`${sid} ${used_by}`}>
          {kindNoun(kind)} <LinkedRecord kind={kind} sid={sid} name={name} onClick={onLeave} />, used by{' '}
          {toPlural(used_by)}
        </li>
      ))}
    </ul>
  </>
)

interface DeleteWithContentsProps {
  kind: CascadeOwnerKind
  sid: string
  name: string
  /** The owner of the calls in progress. */
  callOwner: OwnerSid
  contents: UseQueryResult
  used: UseQueryResult<UsedElsewhere>
  /** The counted records, once they are known. */
  counts: readonly { table: string; count: ReactNode }[]
  /** Names what is deleted besides the counted records. */
  otherContents: readonly string[]
  keptRecords: readonly string[]
  onClose: () => void
  /** Runs when the deletion has started. The page shows its progress. */
  onStarted: () => void | Promise<void>
}

/**
 * Dialog that deletes an account or a service provider with its contents in the background. It names what is deleted and
 * what is kept, and asks for the name of the owner.
 */
export const DeleteWithContents = (props: DeleteWithContentsProps) => {
  const { kind, sid, name, callOwner, contents, used, onClose } = props
  const noun = recordNoun(kind)
  const [typed, setTyped] = useState('')
  const [endsCalls, setEndsCalls] = useState(false)
  const running = useRunningCalls(callOwner)
  const remove = useAction({
    run: async () => {
      // Calls cannot be ended without their account.
      const { failed } = endsCalls ? await endCalls(callOwner) : { failed: 0 }
      if (failed > 0)
        throw new ApiError(
          'rejected',
          0,
          `${countCalls(failed)} could not be ended, so nothing was deleted. Try again, or let them continue.`,
        )
      return api('POST /patchbay/bulk-changes', { body: { kind, operation: 'delete_cascade', sids: [sid] } })
    },
    changes: [['live-calls']],
    after: ({ bulk_change_sid }) => {
      storeBulkChange(kind, bulk_change_sid)
      return props.onStarted()
    },
    quiet: true,
  })
  const disabledReason = () => {
    if (contents.data === undefined || used.data === undefined) return 'It is not known what would be deleted.'
    if (used.data.length > 0) return `Records outside of the ${noun} use records of it.`
    return isConfirmed(name, typed) ? undefined : `Type the name of the ${noun} to confirm.`
  }
  const failed = [contents, used].find(({ isLoadingError }) => isLoadingError)
  return (
    <ConfirmAction
      action={remove}
      title={`Delete ${noun} with contents?`}
      confirmLabel={`Delete ${noun} with contents`}
      danger
      confirmDisabledReason={disabledReason()}
      onCancel={onClose}
    >
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        will be deleted in the background, after the records in it, one by one. This cannot be undone.
      </p>
      {failed?.error && <QueryFailed error={failed.error} onRetry={() => void failed.refetch()} />}
      {used.data !== undefined && used.data.length > 0 && <Used noun={noun} used={used.data} onLeave={onClose} />}
      {contents.data !== undefined && (
        <>
          <p id="deleted-contents">Deleted:</p>
          <ul aria-labelledby="deleted-contents">
            {props.counts.map(({ table, count }) => (
              <li key={table}>{count}</li>
            ))}
            {props.otherContents.map((what) => (
              <li key={what}>{what}</li>
            ))}
          </ul>
        </>
      )}
      <p id="kept-contents">Kept:</p>
      <ul aria-labelledby="kept-contents">
        {!running.isNone && <li>{running.sentence}</li>}
        <li>The audit trail, with an entry for each deleted record</li>
        {props.keptRecords.map((what) => (
          <li key={what}>{what}</li>
        ))}
      </ul>
      <EndCallsField count={running.count} checked={endsCalls} onCheck={setEndsCalls} />
      <ConfirmByNameField name={name} typed={typed} onType={setTyped} />
    </ConfirmAction>
  )
}
