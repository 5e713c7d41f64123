import type { Account, UsedElsewhere } from '@patchbay/contract/accounts'
import { kindNoun } from '@patchbay/contract/shared/record-kinds'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { ConfirmByNameField, isConfirmed } from '../../feedback/confirm-by-name-field.tsx'
import { QueryFailed } from '../../feedback/query-failed.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { storeBulkChange } from '../../list/bulk/use-bulk-change.ts'
import { LinkedRecord } from '../../record/linked-record.tsx'
import { recordNouns } from '../../record/record-counts.ts'
import { Banner } from '../../ui/banner.tsx'
import { contentsEntries } from './contents.ts'
import { ContentsLink } from './contents-link.tsx'
import { accountContentsQuery } from './queries.ts'
import { countCalls, EndCallsField, endCalls, useRunningCalls } from './running-calls.tsx'

const usedElsewhereQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['account-used-elsewhere', account_sid],
    queryFn: (context) =>
      api('GET /patchbay/accounts/:account_sid/used-elsewhere', { params: { account_sid } }, queryCallOptions(context)),
    // The dialog shows current data.
    staleTime: 0,
    gcTime: 0,
  })

/** The kinds of records outside of the account, in the plural. The others are accounts. */
const toPlural = (name: string): string =>
  Object.entries(recordNouns).find(([table]) => table === name)?.[1][1] ?? 'accounts'

const Used = ({ used, onLeave }: { used: UsedElsewhere; onLeave: () => void }) => (
  <>
    <Banner tone="warn">
      Records outside of the account use these records of it. Change or delete the others first, because they are kept.
    </Banner>
    <ul aria-label="Used outside of the account">
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
  account: Account
  onClose: () => void
  /** Runs when the deletion has started. The list of accounts shows its progress. */
  onStarted: () => void | Promise<void>
}

/**
 * Dialog that deletes an account with its contents in the background. It names what is deleted and what is kept, and
 * asks for the name of the account.
 */
export const DeleteWithContents = ({ account, onClose, onStarted }: DeleteWithContentsProps) => {
  const { account_sid, name } = account
  const [typed, setTyped] = useState('')
  const [endsCalls, setEndsCalls] = useState(false)
  const contents = useQuery(accountContentsQuery(account_sid))
  const used = useQuery(usedElsewhereQuery(account_sid))
  const running = useRunningCalls(account_sid)
  const remove = useAction({
    run: async () => {
      // Calls cannot be ended without their account.
      const { failed } = endsCalls ? await endCalls(account_sid) : { failed: 0 }
      if (failed > 0)
        throw new ApiError(
          'rejected',
          0,
          `${countCalls(failed)} could not be ended, so nothing was deleted. Try again, or let them continue.`,
        )
      const body = { kind: 'account', operation: 'delete_cascade', sids: [account_sid] } as const
      return api('POST /patchbay/bulk-changes', { body: { ...body, sids: [...body.sids] } })
    },
    changes: [['live-calls']],
    after: ({ bulk_change_sid }) => {
      storeBulkChange('account', bulk_change_sid)
      return onStarted()
    },
    quiet: true,
  })
  const disabledReason = () => {
    if (contents.data === undefined || used.data === undefined) return 'It is not known what would be deleted.'
    if (used.data.length > 0) return 'Records outside of the account use records of it.'
    return isConfirmed(name, typed) ? undefined : 'Type the name of the account to confirm.'
  }
  const failed = [contents, used].find(({ isLoadingError }) => isLoadingError)
  return (
    <ConfirmAction
      action={remove}
      title="Delete account with contents?"
      confirmLabel="Delete account with contents"
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
      {used.data !== undefined && used.data.length > 0 && <Used used={used.data} onLeave={onClose} />}
      {contents.data !== undefined && (
        <>
          <p id="deleted-contents">Deleted:</p>
          <ul aria-labelledby="deleted-contents">
            {contentsEntries(contents.data).map(({ table, text }) => (
              <li key={table}>
                <ContentsLink table={table} account_sid={account_sid} label={text} onClick={onClose}>
                  {text}
                </ContentsLink>
              </li>
            ))}
            <li>Alert destinations, and links to shared calls</li>
            <li>Call data, and recordings that Patchbay stores, some time after the account</li>
          </ul>
        </>
      )}
      <p id="kept-contents">Kept:</p>
      <ul aria-labelledby="kept-contents">
        {!running.isNone && <li>{running.sentence}</li>}
        <li>The audit trail, with an entry for each deleted record</li>
        <li>Recordings in a storage of the account, and call data in other systems of the platform</li>
        <li>Records of the service provider and of other accounts</li>
      </ul>
      <EndCallsField count={running.count} checked={endsCalls} onCheck={setEndsCalls} />
      <ConfirmByNameField name={name} typed={typed} onType={setTyped} />
    </ConfirmAction>
  )
}
