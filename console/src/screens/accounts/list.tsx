import type { Account } from '@patchbay/contract/accounts'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { accountsQuery } from '../../api/shared-queries.ts'
import { likelyProvider, prefetchWithin } from '../../lazy/prefetch.ts'
import { useBulk } from '../../list/bulk/use-bulk.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { nameColumn, RecordList } from '../../list/record-list.tsx'
import type { SortableColumn } from '../../list/sort-rows.ts'
import { useClientList } from '../../list/use-client-list.ts'
import { accountList, addAccount } from '../../routes/accounts.ts'
import { prefetchSetupNotice, SetupNotice } from '../../sections/setup/setup-notice.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { Sid } from '../../ui/format/sid.tsx'
import type { Nouns } from '../../ui/format/text.ts'
import { RelativeTime } from '../../ui/format/time.tsx'
import { AccountState, accountStateLabel } from './account-state.tsx'
import { DeleteAccount } from './delete-account.lazy.ts'
import { accountLink } from './queries.ts'

const columns: readonly SortableColumn<Account>[] = [
  nameColumn(accountLink, { share: 14 }),
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
    card: 'detail',
    cell: ({ sip_realm }) => sip_realm && <code>{sip_realm}</code>,
    sortBy: ({ sip_realm }) => sip_realm,
  },
  {
    id: 'state',
    header: 'State',
    share: 6,
    nowrap: true,
    card: 'state',
    cell: (account) => <AccountState account={account} />,
    sortBy: accountStateLabel,
  },
  {
    id: 'created',
    header: 'Created',
    share: 8,
    nowrap: true,
    priority: 3,
    cell: ({ created_at }) => <RelativeTime iso={created_at} />,
    sortBy: ({ created_at }) => created_at,
  },
]

const nouns: Nouns = ['account', 'accounts']

const getSearchFields = ({ name, account_sid, sip_realm }: Account) => [name, account_sid, sip_realm]

export const loader = (): Promise<unknown> =>
  prefetchWithin(async () => {
    const service_provider_sid = await likelyProvider()
    return Promise.all([
      queryClient.ensureQueryData(accountsQuery(service_provider_sid)),
      prefetchSetupNotice({ service_provider_sid }),
    ])
  })

/** Lists the accounts of the current service provider. */
export const AccountsPage = (): ReactNode => {
  const service_provider_sid = useProviderSid()
  const query = useQuery(accountsQuery(service_provider_sid))
  const list = useClientList({
    screen: accountList,
    query,
    question: service_provider_sid,
    columns,
    rowKey: accountLink.rowKey,
    searchValues: getSearchFields,
  })
  const viewOnly = viewOnlyReason(requiredSession().actor)
  const bulk = useBulk({
    kind: 'account',
    nouns,
    view: list.view,
    columns: list.table.columns,
    denied: viewOnly,
    link: accountLink,
    changes: [['accounts'], ['account']],
  })

  return (
    <>
      <SetupNotice key={service_provider_sid} owner={{ service_provider_sid }} />
      <RecordList
        {...list.table}
        {...bulk}
        screen={accountList}
        description="Tenants of this service provider, each with its own users, applications, and phone numbers."
        nouns={nouns}
        view={list.view}
        search={{ label: 'Filter accounts', ...list.filter }}
        more={
          <ExportMenu
            endpoint="GET /ServiceProviders/:service_provider_sid/Accounts"
            input={{ params: { service_provider_sid } }}
            rows={() => list.view.rows}
            table="accounts"
          />
        }
        add={{ to: addAccount, label: 'Add account', denied: viewOnly }}
        row={accountLink}
        deletionDenied={viewOnly}
        renderDeletion={(account, onClose) => <DeleteAccount account={account} onClose={onClose} />}
        empty={{
          title: 'No Accounts.',
          hint: 'An account contains users, applications, and phone numbers. Add one to start.',
        }}
      />
    </>
  )
}
