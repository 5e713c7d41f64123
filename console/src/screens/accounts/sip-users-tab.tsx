import type { Account } from '@patchbay/contract/accounts'
import type { RegisteredUser } from '@patchbay/contract/registered-sip-users'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { QueryFailed, RefetchErrorBanner } from '../../feedback/query-failed.tsx'
import { FormLoading } from '../../form/form-loading.tsx'
import { matches } from '../../list/use-client-list.ts'
import { registeredNames } from '../../record/fetch-registered-usernames.ts'
import { formatExpiry, registrationEntries, registrationQuery } from '../../sections/sip-registration.tsx'
import { requiredSession } from '../../session/session.ts'
import { DefinitionList } from '../../ui/definition-list.tsx'
import { Name } from '../../ui/format/reference.tsx'
import { countText } from '../../ui/format/text.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { FilterBar, SearchField } from '../../ui/table/filter-bar.tsx'
import { ListBar } from '../../ui/table/list-bar.tsx'
import { EmptyState, FilteredEmptyState } from '../../ui/table/list-state.tsx'
import type { TableColumn, TableDetails } from '../../ui/table/table-props.ts'

type User = Partial<RegisteredUser> & { name: string }

/**
 * Returns the users with their registrations. The API rejects this request for view-only users, who use the list of
 * names instead.
 */
const registeredUsersQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['registered-sip-users', account_sid, 'all'],
    // This POST only reads. As a background request, its failure does not warn about an incomplete change or sign the
    // user out.
    queryFn: (context): Promise<User[]> =>
      api(
        'POST /Accounts/:account_sid/RegisteredSipUsers',
        { params: { account_sid }, body: [] },
        { ...queryCallOptions(context), background: true },
      ),
  })

const namedUsersQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['registered-sip-users', account_sid, 'names'],
    queryFn: async (context): Promise<User[]> =>
      (await registeredNames(account_sid, queryCallOptions(context))).map((name) => ({ name })),
  })

const toTextOrNull = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const mono = (text: string | null) => text && <code>{text}</code>
const nameColumn: TableColumn<User> = { id: 'name', header: 'Name', share: 14, cell: ({ name }) => <Name>{name}</Name> }

const columns: readonly TableColumn<User>[] = [
  nameColumn,
  { id: 'contact', header: 'Contact', share: 32, card: 'detail', cell: ({ contact }) => mono(contact ?? null) },
  { id: 'protocol', header: 'Protocol', share: 8, nowrap: true, card: 'state', cell: ({ protocol }) => protocol },
  { id: 'proxy', header: 'Proxy', share: 16, priority: 3, cell: (user) => mono(toTextOrNull(user['proxy'])) },
  { id: 'expires', header: 'Expires', share: 10, nowrap: true, card: 'end', cell: formatExpiry },
]

const rowKey = ({ name }: User): string => name
const getSearchFields = ({ name, contact, protocol, proxy }: User) => [
  name,
  contact ?? null,
  protocol ?? null,
  toTextOrNull(proxy),
]
const nouns = ['registered user', 'registered users'] as const

/** Details of one registration, for view-only users, who can read only one registration at a time. */
const Registration = ({ account_sid, name }: { account_sid: string; name: string }) => {
  const registration = useQuery(registrationQuery(account_sid, name))
  const { data } = registration
  if (data === undefined) return <FormLoading queries={[registration]} sections={1} />
  return <DefinitionList entries={registrationEntries(data)} />
}

const RegisteredUsers = ({ account_sid, realm }: { account_sid: string; realm: string }) => {
  const namesOnly = requiredSession().actor.is_view_only
  const users = useQuery({ ...registeredUsersQuery(account_sid), enabled: !namesOnly })
  const named = useQuery({ ...namedUsersQuery(account_sid), enabled: namesOnly })
  const query = namesOnly ? named : users
  const [filter, setFilter] = useState('')
  const { data, error } = query
  const rows = useMemo(() => (data ?? []).filter((user) => matches(filter, getSearchFields(user))), [data, filter])
  const details = useMemo<TableDetails<User>>(
    () => ({ render: ({ name }) => <Registration account_sid={account_sid} name={name} /> }),
    [account_sid],
  )
  const refresh = () => void query.refetch()
  if (data === undefined && error !== null) return <QueryFailed error={error} onRetry={refresh} />
  const empty =
    data?.length === 0 ? (
      <EmptyState title="No SIP user is registered." hint={`Devices that register with ${realm} appear here.`} />
    ) : (
      <FilteredEmptyState onClear={() => setFilter('')} />
    )
  return (
    <>
      <FilterBar
        search={<SearchField label="Filter SIP users" value={filter} onChange={setFilter} />}
        actions={
          <ListBar
            count={data && countText(rows.length, data.length, nouns)}
            updatedAt={query.dataUpdatedAt}
            isRefreshing={query.isFetching}
            onRefresh={refresh}
          />
        }
      />
      <RefetchErrorBanner query={query} onRetry={refresh} />
      <DataTable
        caption="Registered SIP users"
        columns={namesOnly ? [nameColumn] : columns}
        rows={rows}
        rowKey={rowKey}
        state={data === undefined ? 'loading' : 'ready'}
        empty={empty}
        {...(namesOnly ? { details } : {})}
      />
    </>
  )
}

/** Lists the devices that are registered with the SIP realm of an account, according to the registrar. */
export const SipUsersTab = ({ account }: { account: Account }) =>
  config().switches.has('no-registrations') ? (
    <EmptyState
      title="Registrations are not available."
      hint="The platform stores them in Redis, and no Redis is connected."
    />
  ) : (
    <RegisteredUsers account_sid={account.account_sid} realm={account.sip_realm ?? ''} />
  )
