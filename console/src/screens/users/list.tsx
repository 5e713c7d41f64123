import { isAtLeast, type Scope } from '@patchbay/contract/api/access'
import type { ListedUser } from '@patchbay/contract/users'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useCallback } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { AccountListFilter } from '../../list/account-filter.tsx'
import { useBulk } from '../../list/bulk/use-bulk.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { RecordList } from '../../list/record-list.tsx'
import type { SortableColumn } from '../../list/sort-rows.ts'
import { useClientList } from '../../list/use-client-list.ts'
import { scopeNames } from '../../record/scope-labels.ts'
import { clearingAccount } from '../../routes/account-search-params.ts'
import { addUser, editUser, userList } from '../../routes/users.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import type { Nouns } from '../../ui/format/text.ts'
import { FilterChip } from '../../ui/table/filter-chip.tsx'
import { DeleteUser } from './delete-user.tsx'
import { userLink, usersQuery } from './queries.ts'
import { assignableScopes, isAround, ownerLabel, userFilters } from './user-filters.ts'
import styles from './user-state.module.css'
import { UserState, userStateLabels, You } from './user-state.tsx'

const isYou = ({ user_sid }: ListedUser): boolean => user_sid === requiredSession().claims.user_sid

const columns: readonly SortableColumn<ListedUser>[] = [
  {
    id: 'name',
    header: 'User name',
    share: 11,
    cell: (user) => (
      <span className={styles.named}>
        <ScreenLink to={editUser} params={{ user_sid: user.user_sid }}>
          <bdi>{user.name}</bdi>
        </ScreenLink>
        {isYou(user) && <You />}
      </span>
    ),
    sortBy: ({ name }) => name,
  },
  {
    id: 'email',
    header: 'Email',
    share: 17,
    priority: 4,
    cell: ({ email }) => email,
    sortBy: ({ email }) => email,
  },
  {
    id: 'scope',
    header: 'Scope',
    share: 15,
    card: 'detail',
    cell: (user) => <bdi>{ownerLabel(user)}</bdi>,
    sortBy: ownerLabel,
  },
  {
    id: 'state',
    header: 'State',
    share: 14,
    nowrap: true,
    card: 'state',
    cell: (user) => <UserState user={user} />,
    sortBy: (user) => userStateLabels(user).join(' '),
  },
]

const getSearchFields = (user: ListedUser) => [user.name, user.email, ownerLabel(user)]

/** Returns the scopes to filter by: the user's own and those below. */
const scopeOptions = (own: Scope): { value: Scope | 'all'; label: string }[] => {
  const options = assignableScopes(own).map((scope) => ({ value: scope, label: scopeNames[scope] }))
  return own === 'account' ? options : [{ value: 'all', label: 'All scopes' }, ...options]
}

const nouns: Nouns = ['user', 'users']

export const loader = (): Promise<unknown> => prefetchWithin(() => queryClient.ensureQueryData(usersQuery))

/** Lists the admins and the users of the current service provider. */
export const UsersPage = (): ReactNode => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const around = useCallback(
    (users: ListedUser[]) => users.filter((user) => isAround(user, service_provider_sid)),
    [service_provider_sid],
  )
  const query = useQuery({ ...usersQuery, select: around })
  const list = useClientList({
    screen: userList,
    query,
    question: service_provider_sid,
    columns,
    order: 'name',
    rowKey: userLink.rowKey,
    searchValues: getSearchFields,
    filters: userFilters,
  })
  const { search, change } = list.address
  const chooses = isAtLeast(actor.scope, 'service_provider')
  const scopes = scopeOptions(actor.scope)
  const viewOnly = viewOnlyReason(actor)
  const bulk = useBulk({
    kind: 'user',
    nouns,
    view: list.view,
    columns: list.table.columns,
    denied: viewOnly,
    link: userLink,
    changes: [['users'], ['user']],
  })

  return (
    <>
      <RecordList
        {...list.table}
        {...bulk}
        screen={userList}
        description="People who sign in to the console, with their scope and permissions."
        nouns={nouns}
        view={clearingAccount(list.view)}
        search={{ label: 'Filter users', ...list.filter }}
        filters={
          <>
            <FilterChip
              label="Scope"
              unset={chooses ? 'all' : 'account'}
              value={search.scope ?? (chooses ? 'all' : 'account')}
              options={scopes}
              onChange={(scope) => change({ scope: scope === 'all' || !chooses ? undefined : scope })}
            />
            {chooses && <AccountListFilter address={list.address} />}
          </>
        }
        more={<ExportMenu endpoint="GET /Users" input={{}} rows={() => list.view.rows} table="users" />}
        add={{ to: addUser, label: 'Add user', denied: viewOnly }}
        row={userLink}
        deletionDenied={viewOnly}
        renderDeletion={(user, onClose) => <DeleteUser user={user} onClose={onClose} />}
        empty={{
          title: 'No users.',
          hint: 'A user signs in with a name and a password.',
        }}
      />
    </>
  )
}
