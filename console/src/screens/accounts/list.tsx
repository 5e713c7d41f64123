import { can } from '@patchbay/contract/access'
import type { Account } from '@patchbay/contract/accounts'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useCallback, useState } from 'react'
import { accountsQuery } from '../../api/queries.ts'
import { prefetchWithin, likelyProvider } from '../../lazy/prefetch.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { List } from '../../list/list.tsx'
import { AddLink, RowActions } from '../../list/list-actions.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { queryClient } from '../../api/query-client.ts'
import type { SortableColumn } from '../../list/sort-rows.ts'
import { ExportMenu } from '../../list/export-menu.tsx'
import { useClientList } from '../../list/use-client-list.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { requiredSession } from '../../session/session.ts'
import { SearchField } from '../../ui/filter-bar.tsx'
import { Sid } from '../../ui/sid.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { AccountState, accountStateLabel } from './account-state.tsx'
import { DeleteAccount } from './delete-account.lazy.ts'
import { accountList, addAccount, editAccount } from '../../routes/accounts.ts'

const columns: readonly SortableColumn<Account>[] = [
  {
    id: 'name',
    header: 'Name',
    share: 14,
    cell: ({ account_sid, name }) => (
      <ScreenLink to={editAccount} params={{ account_sid }}>
        <bdi>{name}</bdi>
      </ScreenLink>
    ),
    sortBy: ({ name }) => name,
  },
  {
    id: 'sid',
    header: 'SID',
    share: 7,
    cell: ({ account_sid, name }) => <Sid value={account_sid} of={name} />,
  },
  {
    id: 'realm',
    header: 'SIP realm',
    share: 22,
    cell: ({ sip_realm }) => sip_realm && <code>{sip_realm}</code>,
    sortBy: ({ sip_realm }) => sip_realm,
  },
  {
    id: 'state',
    header: 'State',
    share: 6,
    cell: (account) => <AccountState account={account} />,
    sortBy: accountStateLabel,
  },
  {
    id: 'created',
    header: 'Created',
    share: 8,
    nowrap: true,
    minWidth: 'wide',
    cell: ({ created_at }) => <RelativeTime iso={created_at} />,
    sortBy: ({ created_at }) => created_at,
  },
]

const getSearchFields = ({ name, account_sid, sip_realm }: Account) => [name, account_sid, sip_realm]
const rowKey = ({ account_sid }: Account) => account_sid

export const loader = (): Promise<unknown> =>
  prefetchWithin(async () => queryClient.ensureQueryData(accountsQuery(await likelyProvider())))

/** Lists the accounts of the current service provider. */
export const AccountsPage = (): ReactNode => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const query = useQuery(accountsQuery(service_provider_sid))
  const list = useClientList({
    screen: accountList,
    query,
    question: service_provider_sid,
    columns,
    rowKey,
    searchValues: getSearchFields,
  })
  const [deleting, setDeleting] = useState<Account>()
  const viewOnly = viewOnlyReason(actor)

  const actions = useCallback(
    (account: Account) => (
      <RowActions
        to={editAccount}
        params={{ account_sid: account.account_sid }}
        name={account.name}
        denied={can(actor, 'write', account) ? undefined : viewOnly}
        onDelete={() => setDeleting(account)}
      />
    ),
    [actor, viewOnly, setDeleting],
  )

  return (
    <>
      <List
        {...list.table}
        screen={accountList}
        description="The tenants of this service provider, each with its own users, applications and numbers."
        nouns={['account', 'accounts']}
        view={list.view}
        action={
          <AddLink to={addAccount} denied={viewOnly}>
            Add account
          </AddLink>
        }
        filters={<SearchField label="Filter accounts" {...list.filter} />}
        actions={actions}
        actionCount={2}
        more={
          <ExportMenu
            endpoint="GET /ServiceProviders/:service_provider_sid/Accounts"
            input={{ params: { service_provider_sid } }}
            rows={() => list.view.rows ?? []}
            table="accounts"
          />
        }
        empty={{
          title: 'No Accounts.',
          hint: 'An account holds users, applications and numbers.',
          action: !viewOnly && <AddLink to={addAccount}>Add account</AddLink>,
        }}
      />
      {deleting && <DeleteAccount account={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  )
}
