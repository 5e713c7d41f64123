import { isAtLeast } from '@patchbay/contract/api/access'
import type { Application } from '@patchbay/contract/applications'
import { defaultPageSize } from '@patchbay/contract/lists/paging'
import { vendorName } from '@patchbay/rules/speech/names'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../../api/client.ts'
import { pageIn } from '../../api/list-page.ts'
import { queryClient } from '../../api/query-client.ts'
import { escapeLike } from '../../api/shared-queries.ts'
import { useErrorToast } from '../../feedback/use-action.ts'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { AccountFilter, likelyAccount, useChosenAccount } from '../../list/account-filter.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { nameColumn, RecordList } from '../../list/record-list.tsx'
import { useListSearch } from '../../list/use-list-search.ts'
import { useServerList } from '../../list/use-server-list.ts'
import type { AccountSearch } from '../../routes/account-search-params.ts'
import { addAccount } from '../../routes/accounts.ts'
import { addApplication, applicationList } from '../../routes/applications.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { RelativeTime } from '../../ui/format/time.tsx'
import type { TableColumn } from '../../ui/table/table-props.ts'
import { DeleteApplication } from './delete-application.lazy.ts'
import { type ApplicationQuery, applicationLink, applicationPageQuery } from './queries.ts'

const columns: readonly TableColumn<Application>[] = [
  nameColumn(applicationLink, { share: 13 }),
  {
    id: 'hook',
    header: 'Calling webhook',
    share: 22,
    priority: 2,
    card: 'detail',
    cell: ({ call_hook }) => call_hook && <code>{call_hook.url}</code>,
  },
  {
    id: 'synthesis',
    header: 'Synthesis',
    share: 8,
    priority: 2,
    card: 'state',
    cell: ({ speech_synthesis_vendor: vendor }) => vendor && <bdi>{vendorName(vendor)}</bdi>,
  },
  {
    id: 'recognition',
    header: 'Recognition',
    share: 8,
    priority: 3,
    cell: ({ speech_recognizer_vendor: vendor }) => vendor && <bdi>{vendorName(vendor)}</bdi>,
  },
  {
    id: 'created',
    header: 'Created',
    share: 7,
    nowrap: true,
    priority: 4,
    cell: ({ created_at }) => <RelativeTime iso={created_at} />,
  },
]

const toFilter = ({ filter }: AccountSearch): ApplicationQuery => ({ name: filter && escapeLike(filter) })

const toQuery = (search: AccountSearch): ApplicationQuery => ({
  ...toFilter(search),
  page: String(search.page ?? 1),
  page_size: String(search.size ?? defaultPageSize),
})

const unfiltered = { filter: undefined }

/** Loads the applications concurrently with the account list if the account is already known. */
export const loader = ({ search }: { search: AccountSearch }): Promise<unknown> =>
  prefetchWithin(async () => {
    const { account_sid, accounts } = likelyAccount(search.account)
    const selectedSid = account_sid ?? (await accounts)?.[0]?.account_sid
    await Promise.all([
      accounts,
      selectedSid && queryClient.ensureQueryData(applicationPageQuery(selectedSid, toQuery(search))),
    ])
  })

const NoAccounts = () => (
  <>
    Applications belong to an account, and there is none yet. <ScreenLink to={addAccount}>Add an account</ScreenLink>
  </>
)

/** Lists the applications of one account. */
export const ApplicationsPage = (): ReactNode => {
  const { actor } = requiredSession()
  const address = useListSearch(applicationList)
  const { search, change } = address
  const chosen = useChosenAccount(search.account)
  const account_sid = chosen.account_sid ?? ''
  const query = toQuery(search)
  const applications = useQuery({ ...applicationPageQuery(account_sid, query), enabled: account_sid !== '' })
  useErrorToast(applications.error)
  const question = [account_sid, query]
  const list = useServerList({ address, query: applications, question, rowKey: applicationLink.rowKey, unfiltered })
  const viewOnly = viewOnlyReason(actor)
  const hasNoAccounts = chosen.accounts.data?.length === 0
  const view =
    hasNoAccounts || chosen.isFailed
      ? { ...list.view, query: chosen.accounts, rows: chosen.accounts.data && [] }
      : list.view

  return (
    <>
      <RecordList
        screen={applicationList}
        description="Webhooks and speech settings that control what happens on a call."
        nouns={['application', 'applications']}
        view={view}
        columns={columns}
        rowKey={applicationLink.rowKey}
        search={{ label: 'Filter applications', ...list.filter }}
        filters={
          isAtLeast(actor.scope, 'service_provider') && (
            <AccountFilter value={account_sid} onChange={(account) => change({ account })} />
          )
        }
        more={
          <ExportMenu
            endpoint="GET /Accounts/:account_sid/Applications"
            input={{ params: { account_sid }, query }}
            rows={async () =>
              pageIn(
                await api('GET /Accounts/:account_sid/Applications', {
                  params: { account_sid },
                  query: toFilter(search),
                }),
              ).data
            }
            table="applications"
          />
        }
        add={hasNoAccounts ? undefined : { to: addApplication, label: 'Add application', denied: viewOnly }}
        row={applicationLink}
        deletionDenied={viewOnly}
        renderDeletion={(application, onClose) => <DeleteApplication application={application} onClose={onClose} />}
        empty={{
          title: 'No applications.',
          hint: hasNoAccounts ? (
            <NoAccounts />
          ) : (
            'An application handles calls: its webhook returns the verbs to execute.'
          ),
        }}
      />
    </>
  )
}
