import { can } from '@patchbay/contract/access'
import type { Account } from '@patchbay/contract/accounts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { failureText } from '../../api/failure.ts'
import { accountsQuery } from '../../api/queries.ts'
import { headStart, likelyProvider } from '../../app/head-start.ts'
import { queryClient } from '../../app/query-client.ts'
import { usePageTitle } from '../../app/page-title.ts'
import { paths } from '../../app/paths.ts'
import { useProviders } from '../../app/provider-choice.ts'
import { viewOnlyReason } from '../../app/view-only.ts'
import { requiredSession } from '../../session/session.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button, buttonClass, IconButton, iconButtonClass } from '../../ui/button.tsx'
import { DataTable, type TableColumn } from '../../ui/data-table.tsx'
import { FilterBar, SearchField } from '../../ui/filter-bar.tsx'
import { EmptyState, FilteredEmptyState, LoadFailed } from '../../ui/list-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Sid } from '../../ui/sid.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { matches } from '../match.ts'
import { DeleteAccount } from './delete-account.tsx'

const columns: readonly TableColumn<Account>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ account_sid, name }) => (
      <Link to={paths.editAccount} params={{ account_sid }}>
        {name}
      </Link>
    ),
  },
  { id: 'sid', header: 'SID', cell: ({ account_sid, name }) => <Sid value={account_sid} of={name} /> },
  { id: 'realm', header: 'SIP realm', cell: ({ sip_realm }) => (sip_realm === null ? '–' : <code>{sip_realm}</code>) },
  {
    id: 'state',
    header: 'State',
    cell: ({ is_active }) => (
      <StateBadge tone={is_active ? 'good' : 'neutral'}>{is_active ? 'Active' : 'Inactive'}</StateBadge>
    ),
  },
  { id: 'created', header: 'Created', cell: ({ created_at }) => <RelativeTime iso={created_at} /> },
]

const AddLink = () => (
  <Link to={paths.addAccount} className={buttonClass('primary')}>
    <Plus size={16} aria-hidden="true" />
    Add account
  </Link>
)

export const readAccountList = () =>
  headStart(async () => queryClient.ensureQueryData(accountsQuery(await likelyProvider())))

/** The accounts of the current service provider; the filter works on what is shown. */
export const AccountList = () => {
  usePageTitle('Accounts')
  const { actor } = requiredSession()
  const { current } = useProviders()
  const { filter = '' } = useSearch({ from: '/internal/accounts' })
  const navigate = useNavigate()
  const accounts = useQuery(accountsQuery(current?.service_provider_sid ?? ''))
  const [deleting, setDeleting] = useState<Account>()
  const setFilter = (text: string) =>
    void navigate({ to: paths.accounts, search: text === '' ? {} : { filter: text }, replace: true })

  const viewOnly = viewOnlyReason(actor)
  const rows = (accounts.data ?? []).filter(({ name, account_sid, sip_realm }) =>
    matches(filter, [name, account_sid, sip_realm]),
  )
  const actions = (account: Account) => (
    <>
      <Link
        to={paths.editAccount}
        params={{ account_sid: account.account_sid }}
        className={iconButtonClass()}
        aria-label={`Edit ${account.name}`}
      >
        <Pencil size={15} aria-hidden="true" />
      </Link>
      <IconButton
        label={`Delete ${account.name}`}
        disabledReason={can(actor, 'write', account) ? undefined : viewOnly}
        onClick={() => setDeleting(account)}
      >
        <Trash2 size={15} aria-hidden="true" />
      </IconButton>
    </>
  )

  return (
    <>
      <PageHeader
        title="Accounts"
        description="The tenants of this service provider, each with its own users, applications and numbers."
        actions={
          viewOnly ? (
            <Button variant="primary" disabledReason={viewOnly}>
              Add account
            </Button>
          ) : (
            <AddLink />
          )
        }
      />
      <FilterBar>
        <SearchField label="Filter accounts" value={filter} onChange={setFilter} />
      </FilterBar>
      {accounts.isError ? (
        <LoadFailed message={failureText(accounts.error)} onRetry={() => void accounts.refetch()} />
      ) : accounts.data?.length === 0 ? (
        <EmptyState
          title="No Accounts."
          hint="An account holds users, applications and numbers."
          action={!viewOnly && <AddLink />}
        />
      ) : accounts.data && rows.length === 0 ? (
        <FilteredEmptyState onClear={() => setFilter('')} />
      ) : (
        <DataTable
          caption="Accounts"
          columns={columns}
          rows={rows}
          rowKey={({ account_sid }) => account_sid}
          state={accounts.isPending ? 'loading' : accounts.isFetching && accounts.isStale ? 'refreshing' : 'ready'}
          actions={actions}
        />
      )}
      {deleting && <DeleteAccount account={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  )
}
