import { isAtLeast } from '@patchbay/contract/api/access'
import type { Client } from '@patchbay/contract/clients'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { AccountListFilter } from '../../list/account-filter.tsx'
import { useBulk } from '../../list/bulk/use-bulk.tsx'
import { accountColumn } from '../../list/columns.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { nameColumn, RecordList } from '../../list/record-list.tsx'
import type { SortableColumn } from '../../list/sort-rows.ts'
import { useClientList } from '../../list/use-client-list.ts'
import {
  type AccountSummary,
  readKnownAccounts,
  useJoinAccounts,
  useKnownAccounts,
} from '../../record/use-accounts-in-scope.ts'
import { accountFilters, clearingAccount } from '../../routes/account-search-params.ts'
import { editAccount } from '../../routes/accounts.ts'
import { addClient, clientList } from '../../routes/clients.ts'
import { ScreenLink, useScreenSearch } from '../../screen/links.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import type { Nouns } from '../../ui/format/text.ts'
import { ClientState, clientStateLabel, RegistrationState, registrationText } from './client-state.tsx'
import { DeleteClient } from './delete-client.tsx'
import { canReadRegistrations, clientLink, clientsQuery, getRegistrationKey, registeredQuery } from './queries.ts'

type ClientRow = Client & { account: AccountSummary }

/** Returns the SIP address of a client, or null if its account has no SIP realm. */
const getSipAddress = ({ username, account }: ClientRow): string | null =>
  account.sip_realm && `${username}@${account.sip_realm}`

const userNameColumn: SortableColumn<ClientRow> = nameColumn(clientLink, {
  header: 'User name',
  share: 12,
  // Clients of different accounts can have the same user name.
  sortBy: ({ username, account }) => `${username ?? ''} ${account.name}`,
})

const addressColumn: SortableColumn<ClientRow> = {
  id: 'address',
  header: 'SIP address',
  share: 30,
  priority: 3,
  card: 'detail',
  cell: (client) => {
    const address = getSipAddress(client)
    return address && <code>{address}</code>
  },
  sortBy: getSipAddress,
}

const stateColumn: SortableColumn<ClientRow> = {
  id: 'state',
  header: 'State',
  share: 7,
  nowrap: true,
  card: 'state',
  cell: (client) => <ClientState client={client} />,
  sortBy: clientStateLabel,
}

/** The cells stay empty while the registrations load. */
const registrationColumn = (registered: ReadonlySet<string> | undefined): SortableColumn<ClientRow> => ({
  id: 'registration',
  header: 'Registration',
  share: 10,
  nowrap: true,
  priority: 2,
  cell: (client) => registered && <RegistrationState isRegistered={registered.has(getRegistrationKey(client))} />,
  sortBy: (client) => (registered ? registrationText(registered.has(getRegistrationKey(client))) : null),
})

const useColumns = (withAccount: boolean, isKnown: boolean, registered: ReadonlySet<string> | undefined) =>
  useMemo(
    () => [
      userNameColumn,
      addressColumn,
      ...(withAccount ? [accountColumn({ share: 13 })] : []),
      stateColumn,
      ...(isKnown ? [registrationColumn(registered)] : []),
    ],
    [withAccount, isKnown, registered],
  )

const nouns: Nouns = ['SIP client', 'SIP clients']

const getSearchFields = (client: ClientRow) => [client.username, client.account.name, getSipAddress(client)]

/** Shows the SIP realm with which devices of the selected account register. */
const Realm = ({ account: { account_sid, name, sip_realm } }: { account: AccountSummary }) =>
  sip_realm ? (
    <>
      Devices of <bdi>{name}</bdi> register with <code>{sip_realm}</code>, each with a user name and a password.
    </>
  ) : (
    <>
      Devices of <bdi>{name}</bdi> cannot register yet: its{' '}
      <ScreenLink to={editAccount} params={{ account_sid }}>
        SIP realm
      </ScreenLink>{' '}
      must be set first.
    </>
  )

export const loader = (): Promise<unknown> =>
  prefetchWithin(() => Promise.all([queryClient.ensureQueryData(clientsQuery), readKnownAccounts()]))

/** Lists the SIP clients of all accounts of the current service provider. */
export const ClientsPage = (): ReactNode => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const canChooseAccount = isAtLeast(actor.scope, 'service_provider')
  const accounts = useKnownAccounts().data
  const clients = useJoinAccounts(useQuery(clientsQuery))
  const { account: filtered } = useScreenSearch(clientList)
  const selectedAccount = accounts?.find(
    ({ account_sid }) => account_sid === (canChooseAccount ? filtered : actor.account_sid),
  )
  const isKnown = canReadRegistrations(selectedAccount)
  const registered = useQuery({ ...registeredQuery(selectedAccount?.account_sid ?? ''), enabled: isKnown })
  const refetch: typeof clients.refetch = (...options) => {
    if (isKnown) void registered.refetch()
    return clients.refetch(...options)
  }
  const columns = useColumns(canChooseAccount, isKnown, registered.data)
  const list = useClientList({
    screen: clientList,
    query: { ...clients, refetch },
    question: service_provider_sid,
    columns,
    order: 'name',
    rowKey: clientLink.rowKey,
    searchValues: getSearchFields,
    ...(canChooseAccount ? { filters: accountFilters } : {}),
  })
  const viewOnly = viewOnlyReason(actor)
  const bulk = useBulk({
    kind: 'client',
    nouns,
    view: list.view,
    columns: list.table.columns,
    denied: viewOnly,
    link: clientLink,
    changes: [['clients'], ['client']],
  })

  const taken = () => (list.view.rows ?? []).map(({ account: _account, ...client }) => client)

  return (
    <>
      <RecordList
        {...list.table}
        {...bulk}
        screen={clientList}
        description="Phones and softphones that register with the SIP realm of an account."
        below={selectedAccount && <Realm account={selectedAccount} />}
        nouns={nouns}
        view={clearingAccount(list.view)}
        search={{ label: 'Filter clients', ...list.filter }}
        filters={canChooseAccount && <AccountListFilter address={list.address} />}
        more={<ExportMenu endpoint="GET /Clients" input={{}} rows={taken} table="clients" />}
        add={{ to: addClient, label: 'Add SIP client', denied: viewOnly }}
        row={clientLink}
        deletionDenied={viewOnly}
        renderDeletion={(client, onClose) => <DeleteClient client={client} onClose={onClose} />}
        empty={{
          title: 'No sip clients.',
          hint: 'A SIP client contains the credentials of a phone or softphone. Add one to register a device.',
        }}
      />
    </>
  )
}
