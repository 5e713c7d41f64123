import { isAtLeast } from '@patchbay/contract/access'
import type { Application } from '@patchbay/contract/applications'
import { defaultPageSize } from '@patchbay/contract/lists/paging'
import { vendorName } from '@patchbay/contract/speech/names'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useCallback, useState } from 'react'
import { api } from '../../api/client.ts'
import { pageIn } from '../../api/list-page.ts'
import { escapeLike } from '../../api/queries.ts'
import { AccountFilter, likelyAccount, useChosenAccount } from '../../page/account-filter.tsx'
import type { AccountSearch } from '../../page/account-search.ts'
import { prefetchWithin } from '../../page/head-start.ts'
import { ScreenLink } from '../../page/links.tsx'
import { List } from '../../page/list.tsx'
import { AddLink, RowActions } from '../../page/list-acts.tsx'
import { queryClient } from '../../page/query-client.ts'
import { ExportMenu } from '../../page/take-along.tsx'
import { useListSearch } from '../../page/use-list-search.ts'
import { useServerList } from '../../page/use-paged-list.ts'
import { useErrorToast } from '../../page/use-told-failure.ts'
import { viewOnlyReason } from '../../page/view-only.ts'
import { requiredSession } from '../../session/session.ts'
import type { TableColumn } from '../../ui/data-table.tsx'
import { SearchField } from '../../ui/filter-bar.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { addAccount } from '../accounts/screens.ts'
import { DeleteApplication } from './delete-later.ts'
import { type ApplicationQuery, applicationPageQuery } from './queries.ts'
import { addApplication, applicationList, editApplication } from './screens.ts'

const rowKey = ({ application_sid }: Application) => application_sid

const columns: readonly TableColumn<Application>[] = [
  {
    id: 'name',
    header: 'Name',
    share: 13,
    cell: ({ application_sid, name }) => (
      <ScreenLink to={editApplication} params={{ application_sid }}>
        <bdi>{name}</bdi>
      </ScreenLink>
    ),
  },
  {
    id: 'hook',
    header: 'Calling webhook',
    share: 22,
    minWidth: 'medium',
    cell: ({ call_hook }) => call_hook && <code>{call_hook.url}</code>,
  },
  {
    id: 'synthesis',
    header: 'Synthesis',
    share: 8,
    named: true,
    cell: ({ speech_synthesis_vendor: vendor }) => vendor && <bdi>{vendorName(vendor)}</bdi>,
  },
  {
    id: 'recognition',
    header: 'Recognition',
    share: 8,
    minWidth: 'wide',
    named: true,
    cell: ({ speech_recognizer_vendor: vendor }) => vendor && <bdi>{vendorName(vendor)}</bdi>,
  },
  {
    id: 'created',
    header: 'Created',
    share: 7,
    minWidth: 'wide',
    cell: ({ created_at }) => <RelativeTime iso={created_at} />,
  },
]

const filterOf = ({ filter }: AccountSearch): ApplicationQuery => ({ name: filter && escapeLike(filter) })

const queryOf = (search: AccountSearch): ApplicationQuery => ({
  ...filterOf(search),
  page: String(search.page ?? 1),
  page_size: String(search.size ?? defaultPageSize),
})

const unfiltered = { filter: undefined }

/** Asked for beside the accounts wherever the account is known before their list. */
export const read = ({ search }: { search: AccountSearch }): Promise<unknown> =>
  prefetchWithin(async () => {
    const { account_sid, accounts } = likelyAccount(search.account)
    const chosen = account_sid ?? (await accounts)?.[0]?.account_sid
    await Promise.all([accounts, chosen && queryClient.ensureQueryData(applicationPageQuery(chosen, queryOf(search)))])
  })

const NoAccounts = () => (
  <>
    An application belongs to an account, and there is none yet. <ScreenLink to={addAccount}>Add an account</ScreenLink>
  </>
)

const useActions = (viewOnly: string | undefined, onDelete: (application: Application) => void) =>
  useCallback(
    (application: Application) => (
      <RowActions
        to={editApplication}
        params={{ application_sid: application.application_sid }}
        name={application.name}
        denied={viewOnly}
        onDelete={() => onDelete(application)}
      />
    ),
    [viewOnly, onDelete],
  )

/** The applications of one account. */
export const Screen = (): ReactNode => {
  const { actor } = requiredSession()
  const address = useListSearch(applicationList)
  const { search, change } = address
  const chosen = useChosenAccount(search.account)
  const account_sid = chosen.account_sid ?? ''
  const query = queryOf(search)
  const applications = useQuery({ ...applicationPageQuery(account_sid, query), enabled: account_sid !== '' })
  useErrorToast(applications.error)
  const question = JSON.stringify([account_sid, query])
  const list = useServerList({ address, query: applications, question, rowKey, unfiltered })
  const [deleting, setDeleting] = useState<Application>()
  const viewOnly = viewOnlyReason(actor)
  const actions = useActions(viewOnly, setDeleting)
  const hasNoAccounts = chosen.accounts.data?.length === 0
  const view = hasNoAccounts ? { ...list.view, query: chosen.accounts, rows: [] } : list.view

  return (
    <>
      <List
        screen={applicationList}
        description="What answers calls: a webhook that is asked what to do, and the voices and ears it uses."
        nouns={['application', 'applications']}
        view={chosen.isFailed ? { ...view, query: chosen.accounts } : view}
        columns={columns}
        rowKey={rowKey}
        actions={actions}
        actionCount={2}
        action={
          !hasNoAccounts && (
            <AddLink to={addApplication} denied={viewOnly}>
              Add application
            </AddLink>
          )
        }
        filters={
          <>
            {isAtLeast(actor.scope, 'service_provider') && (
              <AccountFilter value={account_sid} onChange={(account) => change({ account })} />
            )}
            <SearchField label="Filter applications" {...list.filter} />
          </>
        }
        more={
          <ExportMenu
            endpoint="GET /Accounts/:account_sid/Applications"
            input={{ params: { account_sid }, query }}
            rows={async () =>
              pageIn(
                await api('GET /Accounts/:account_sid/Applications', {
                  params: { account_sid },
                  query: filterOf(search),
                }),
              ).data
            }
            table="applications"
          />
        }
        empty={{
          title: 'No applications.',
          hint: hasNoAccounts ? (
            <NoAccounts />
          ) : (
            'An application is what a phone number leads to: its webhook says what happens on a call.'
          ),
          action: !viewOnly && !hasNoAccounts && <AddLink to={addApplication}>Add application</AddLink>,
        }}
      />
      {deleting && <DeleteApplication application={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  )
}
