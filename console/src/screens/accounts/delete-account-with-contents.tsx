import type { Account } from '@patchbay/contract/accounts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { DeleteWithContents } from '../../sections/delete-with-contents/delete-with-contents.tsx'
import { contentsEntries } from './contents.ts'
import { ContentsLink } from './contents-link.tsx'
import { accountContentsQuery } from './queries.ts'

const usedElsewhereQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['account-used-elsewhere', account_sid],
    queryFn: (context) =>
      api('GET /patchbay/accounts/:account_sid/used-elsewhere', { params: { account_sid } }, queryCallOptions(context)),
    // The dialog shows current data.
    staleTime: 0,
    gcTime: 0,
  })

const otherContents = [
  'Alert destinations, and links to shared calls',
  'Call data, and recordings that Patchbay stores, some time after the account',
]
const keptRecords = [
  'Recordings in a storage of the account, and call data in other systems of the platform',
  'Records of the service provider and of other accounts',
]

interface DeleteAccountWithContentsProps {
  account: Account
  onClose: () => void
  /** Runs when the deletion has started. The list of accounts shows its progress. */
  onStarted: () => void | Promise<void>
}

/** Dialog that deletes an account with its contents in the background. */
export const DeleteAccountWithContents = ({ account, onClose, onStarted }: DeleteAccountWithContentsProps) => {
  const { account_sid, name } = account
  const contents = useQuery(accountContentsQuery(account_sid))
  const used = useQuery(usedElsewhereQuery(account_sid))
  const counts = (contents.data === undefined ? [] : contentsEntries(contents.data)).map(({ table, text }) => ({
    table,
    count: (
      <ContentsLink table={table} account_sid={account_sid} label={text} onClick={onClose}>
        {text}
      </ContentsLink>
    ),
  }))
  return (
    <DeleteWithContents
      kind="account"
      sid={account_sid}
      name={name}
      callOwner={{ account_sid }}
      contents={contents}
      used={used}
      counts={counts}
      otherContents={otherContents}
      keptRecords={keptRecords}
      onClose={onClose}
      onStarted={onStarted}
    />
  )
}
