import { isAtLeast } from '@patchbay/contract/api/access'
import type { Application } from '@patchbay/contract/applications'
import { defaultPageSize } from '@patchbay/contract/lists/paging'
import type { applicationAttention } from '@patchbay/contract/shared/attention-kinds'
import { vendorName } from '@patchbay/rules/speech/names'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { type ApplicationQuery, readApplications } from '../../api/read-applications.ts'
import { escapeLike } from '../../api/shared-queries.ts'
import { useErrorToast } from '../../feedback/use-action.ts'
import { likelyProvider, prefetchWithin } from '../../lazy/prefetch.ts'
import {
  AccountFilter,
  likelyAccount,
  toAccountParam,
  unlessAll,
  useChosenAccount,
} from '../../list/account-filter.tsx'
import { AttentionFilter } from '../../list/attention-filter.tsx'
import { useBulk } from '../../list/bulk/use-bulk.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { namedAccountColumn } from '../../list/named-account-column.tsx'
import { nameColumn, RecordList } from '../../list/record-list.tsx'
import { useListSearch } from '../../list/use-list-search.ts'
import { useServerList } from '../../list/use-server-list.ts'
import type { AttentionSearch } from '../../routes/account-search-params.ts'
import { addAccount } from '../../routes/accounts.ts'
import { addApplication, applicationList } from '../../routes/applications.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import type { Nouns } from '../../ui/format/text.ts'
import { RelativeTime } from '../../ui/format/time.tsx'
import type { TableColumn } from '../../ui/table/table-props.ts'
import { DeleteApplication } from './delete-application.lazy.ts'
import { applicationLink, applicationPageQuery } from './queries.ts'

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

type Search = AttentionSearch<(typeof applicationAttention)[number]>

const toFilter = ({ filter, attention }: Search): ApplicationQuery => ({
  name: filter && escapeLike(filter),
  attention,
})

const toQuery = (search: Search): ApplicationQuery => ({
  ...toFilter(search),
  page: String(search.page ?? 1),
  page_size: String(search.size ?? defaultPageSize),
})

const nouns: Nouns = ['application', 'applications']

const unfiltered = { filter: undefined, attention: undefined }

/**
 * Returns whether the list shows all accounts. The specification selects one for this list, so that only the link to
 * those with a problem, which counts them in all accounts, shows all.
 */
const showsAllAccounts = ({ account, attention }: Search): boolean =>
  attention !== undefined && unlessAll(account) === undefined && requiredSession().actor.scope !== 'account'

/** Loads the applications concurrently with the account list if the account is already known. */
export const loader = ({ search }: { search: Search }): Promise<unknown> =>
  prefetchWithin(async () => {
    const { account_sid, accounts } = likelyAccount(search.account)
    if (showsAllAccounts(search)) {
      const owner = { service_provider_sid: await likelyProvider() }
      return Promise.all([accounts, queryClient.ensureQueryData(applicationPageQuery(owner, toQuery(search)))])
    }
    const selectedSid = account_sid ?? (await accounts)?.[0]?.account_sid
    return Promise.all([
      accounts,
      selectedSid && queryClient.ensureQueryData(applicationPageQuery({ account_sid: selectedSid }, toQuery(search))),
    ])
  })

const useColumns = (isOfAll: boolean, accounts: Parameters<typeof namedAccountColumn>[0]) =>
  useMemo(() => (isOfAll ? [...columns, namedAccountColumn<Application>(accounts)] : columns), [isOfAll, accounts])

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
  const service_provider_sid = useProviderSid()
  const isOfAll = showsAllAccounts(search)
  const account_sid = isOfAll ? '' : (chosen.account_sid ?? '')
  const owner = isOfAll ? { service_provider_sid } : { account_sid }
  const query = toQuery(search)
  const applications = useQuery({ ...applicationPageQuery(owner, query), enabled: isOfAll || account_sid !== '' })
  useErrorToast(applications.error)
  const question = [owner, query]
  const list = useServerList({ address, query: applications, question, rowKey: applicationLink.rowKey, unfiltered })
  const viewOnly = viewOnlyReason(actor)
  const hasNoAccounts = chosen.accounts.data?.length === 0
  const view =
    hasNoAccounts || chosen.isFailed
      ? { ...list.view, query: chosen.accounts, rows: chosen.accounts.data && [] }
      : list.view
  const bulk = useBulk({
    kind: 'application',
    nouns,
    view,
    pagedFilters: [owner, toFilter(search)],
    columns: useColumns(isOfAll, chosen.accounts.data),
    denied: viewOnly,
    link: applicationLink,
    changes: [['applications'], ['application']],
  })

  return (
    <>
      <RecordList
        {...bulk}
        screen={applicationList}
        description="Webhooks and speech settings that control what happens on a call."
        nouns={nouns}
        view={view}
        rowKey={applicationLink.rowKey}
        search={{ label: 'Filter applications', ...list.filter }}
        filters={
          <>
            {isAtLeast(actor.scope, 'service_provider') && (
              <AccountFilter
                value={account_sid}
                all={search.attention !== undefined}
                onChange={(account) => change({ account: toAccountParam(account) })}
              />
            )}
            <AttentionFilter
              kind={search.attention}
              onRemove={() => change({ attention: undefined, account: undefined })}
            />
          </>
        }
        more={
          <ExportMenu
            endpoint={
              isOfAll
                ? 'GET /ServiceProviders/:service_provider_sid/Applications'
                : 'GET /Accounts/:account_sid/Applications'
            }
            input={{ params: owner, query }}
            rows={async () => (await readApplications(owner, toFilter(search))).data}
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
