import { isAtLeast } from '@patchbay/contract/access'
import type { Call } from '@patchbay/contract/recent-calls'
import { clampPage, defaultPageSize, pageCount } from '@patchbay/contract/rules/paging'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { PhoneIncoming, PhoneOutgoing } from 'lucide-react'
import { useEffect } from 'react'
import { runtime } from '../../api/configuration.ts'
import { failureText } from '../../api/failure.ts'
import { recentCallsQuery } from '../../api/queries.ts'
import { headStart } from '../../app/head-start.ts'
import { queryClient } from '../../app/query-client.ts'
import { usePageTitle } from '../../app/page-title.ts'
import { paths } from '../../app/paths.ts'
import { requiredSession } from '../../session/session.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { DataTable, type TableColumn } from '../../ui/data-table.tsx'
import { FilterBar, FilterSelect, SearchField } from '../../ui/filter-bar.tsx'
import { EmptyState, FilteredEmptyState, LoadFailed } from '../../ui/list-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Pager } from '../../ui/pager.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { formatPhoneNumber } from '@patchbay/contract/rules/phone-numbers'
import { AccountFilter, likelyAccount, useChosenAccount } from '../account-filter.tsx'
import { useDelayed } from '../use-delayed.ts'
import { CallDetails } from './call-details.tsx'
import { type CallSearch, filterSent, periodOf, rememberSearch } from './search.ts'

const dateOptions = [
  { value: 'today', label: 'today' },
  { value: 'yesterday', label: 'yesterday' },
  { value: '7', label: 'last 7 days' },
  { value: '14', label: 'last 14 days' },
  { value: '30', label: 'last 30 days' },
] as const

const directionOptions = [
  { value: 'either', label: 'either' },
  { value: 'inbound', label: 'inbound' },
  { value: 'outbound', label: 'outbound' },
] as const

const statusOptions = [
  { value: 'all', label: 'all' },
  { value: 'true', label: 'answered' },
  { value: 'false', label: 'not answered' },
] as const

/** Seconds as a clock reads them. */
export const clock = (seconds: number): string => {
  const pair = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  return `${hours > 0 ? `${hours}:` : ''}${pair((seconds % 3600) / 60)}:${pair(seconds % 60)}`
}

const Direction = ({ direction }: { direction: string | null }) => {
  if (direction === null) return '–'
  const Icon = direction === 'inbound' ? PhoneIncoming : PhoneOutgoing
  return (
    <StateBadge tone="neutral" icon={<Icon size={13} aria-hidden="true" />}>
      {direction}
    </StateBadge>
  )
}

const columns: readonly TableColumn<Call>[] = [
  { id: 'time', header: 'Time', cell: ({ attempted_at }) => <RelativeTime iso={attempted_at} /> },
  { id: 'direction', header: 'Direction', cell: ({ direction }) => <Direction direction={direction} /> },
  { id: 'from', header: 'From', cell: ({ from }) => <code>{formatPhoneNumber(from ?? '–')}</code> },
  { id: 'to', header: 'To', cell: ({ to }) => <code>{formatPhoneNumber(to ?? '–')}</code> },
  {
    id: 'status',
    header: 'Status',
    cell: ({ answered, sip_status }) => (
      <StateBadge tone={answered ? 'good' : 'warn'}>
        {answered ? 'answered' : `not answered${sip_status ? ` (${sip_status})` : ''}`}
      </StateBadge>
    ),
  },
  {
    id: 'duration',
    header: 'Duration',
    align: 'end',
    cell: ({ answered, duration }) => (answered ? clock(duration) : '–'),
  },
  { id: 'trunk', header: 'Trunk', priority: 'wide', cell: ({ trunk }) => trunk ?? '–' },
]

const keyOf = ({ attempted_at, call_sid, sip_callid, from, to }: Call): string =>
  [attempted_at, call_sid ?? sip_callid ?? `${from}-${to}`].join(' ')

const queryOf = (search: CallSearch) => {
  const { start, end, days } = periodOf(search.date ?? 'today')
  return {
    page: String(search.page ?? 1),
    count: String(search.size ?? defaultPageSize),
    ...(days ? { days } : { start, end }),
    direction: search.direction,
    answered: search.answered,
    filter: search.filter && filterSent(search.filter, runtime().extensions.has('plain-call-filter')),
  }
}

const isFiltered = ({ direction, answered, filter }: CallSearch): boolean => Boolean(direction ?? answered ?? filter)

const without = ({
  direction: _direction,
  answered: _answered,
  filter: _filter,
  page: _page,
  ...rest
}: CallSearch): CallSearch => rest

/** The calls are asked for beside the accounts wherever the account is known before their list. */
export const readRecentCalls = (search: CallSearch) =>
  headStart(async () => {
    const { account_sid, accounts } = likelyAccount(search.account)
    const chosen = account_sid ?? (await accounts)?.[0]?.account_sid
    await Promise.all([accounts, chosen && queryClient.ensureQueryData(recentCallsQuery(chosen, queryOf(search)))])
  })

/** Calls of one account, newest first. The address holds every filter. */
export const RecentCalls = () => {
  usePageTitle('Recent calls')
  const { actor } = requiredSession()
  const search = useSearch({ from: '/internal/recent-calls' })
  const navigate = useNavigate()
  const account_sid = useChosenAccount(search.account)
  const calls = useQuery({
    ...recentCallsQuery(account_sid ?? '', queryOf(search)),
    enabled: account_sid !== undefined,
  })

  const show = (changed: CallSearch) => {
    rememberSearch(changed)
    void navigate({ to: paths.recentCalls, search: changed, replace: true })
  }
  /** Any other filter starts at the first page. */
  const change = (part: CallSearch) => {
    const { page: _page, ...rest } = { ...search, ...part }
    show(rest)
  }
  const [text, setText] = useDelayed(search.filter ?? '', (filter) => change({ filter: filter || undefined }))

  const total = calls.data?.total ?? 0
  const size = search.size ?? defaultPageSize
  const page = search.page ?? 1
  // A page past the end (records went, or the page size grew) becomes the last one there is.
  const lastPage = clampPage(page, pageCount(total, size))
  const isPast = calls.data !== undefined && !calls.isPlaceholderData && lastPage !== page
  useEffect(() => {
    if (isPast) void navigate({ to: paths.recentCalls, search: { ...search, page: lastPage }, replace: true })
  }, [isPast, lastPage, navigate, search])

  return (
    <>
      <PageHeader
        title="Recent calls"
        description="What happened on each call: who, when, how long, and how it ended."
      />
      <FilterBar>
        {isAtLeast(actor.scope, 'service_provider') && (
          <AccountFilter value={account_sid} onChange={(account) => change({ account })} />
        )}
        <FilterSelect
          label="Date"
          value={search.date ?? 'today'}
          options={dateOptions}
          onChange={(date) => change({ date: date === 'today' ? undefined : date })}
        />
        <FilterSelect
          label="Direction"
          value={search.direction ?? 'either'}
          options={directionOptions}
          onChange={(direction) => change({ direction: direction === 'either' ? undefined : direction })}
        />
        <FilterSelect
          label="Status"
          value={search.answered ?? 'all'}
          options={statusOptions}
          onChange={(answered) => change({ answered: answered === 'all' ? undefined : answered })}
        />
        <SearchField label="Filter" value={text} onChange={setText} />
      </FilterBar>
      {calls.isError && !calls.data ? (
        <LoadFailed message={failureText(calls.error)} onRetry={() => void calls.refetch()} />
      ) : calls.data && total === 0 && isFiltered(search) ? (
        <FilteredEmptyState title="No data." onClear={() => show(without(search))} />
      ) : calls.data && total === 0 ? (
        <EmptyState title="No data." hint="Calls of this account in the chosen days will stand here." />
      ) : (
        <DataTable
          caption="Recent calls"
          columns={columns}
          rows={calls.data?.data ?? []}
          rowKey={keyOf}
          state={calls.isPending ? 'loading' : calls.isPlaceholderData ? 'refreshing' : 'ready'}
          details={{
            label: ({ from, to }) => `Call from ${from ?? '–'} to ${to ?? '–'}`,
            render: (call) => <CallDetails call={call} />,
          }}
        />
      )}
      {calls.data && (
        <Pager
          total={total}
          page={lastPage}
          size={size}
          onPage={(wanted) => show({ ...search, page: wanted === 1 ? undefined : wanted })}
          onSize={(wanted) => change({ size: wanted === defaultPageSize ? undefined : wanted })}
        />
      )}
    </>
  )
}
