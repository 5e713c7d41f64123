import { isAtLeast } from '@patchbay/contract/api/access'
import { defaultPageSize } from '@patchbay/contract/lists/paging'
import type { Call } from '@patchbay/contract/recent-calls'
import { formatParties } from '@patchbay/rules/calls/call-parties'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { config } from '../../api/configuration.ts'
import { liveRefresh } from '../../api/live-refresh.ts'
import { queryClient } from '../../api/query-client.ts'
import { type CallQuery, readCalls } from '../../api/read-calls.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { likelyProvider, prefetchWithin } from '../../lazy/prefetch.ts'
import { AccountFilter, likelyAccounts, toAccountParam, useChosenAccounts } from '../../list/account-filter.tsx'
import { DateFilter } from '../../list/date-filter.tsx'
import { toDateRange } from '../../list/date-preset-range.ts'
import { ClockTime, useDayGroups } from '../../list/day-groups.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { allPages } from '../../list/fetch-all-pages.ts'
import { List } from '../../list/list-frame.tsx'
import { namedAccountColumn } from '../../list/named-account-column.tsx'
import { useListSearch } from '../../list/use-list-search.ts'
import { useServerList } from '../../list/use-server-list.ts'
import { listSettingsQuery, pickColumns, useChosenColumns } from '../../list/views/list-settings.ts'
import { rememberFilters } from '../../routes/date-presets.ts'
import { type CallSearch, recentCalls } from '../../routes/recent-calls.ts'
import { CallDirection } from '../../sections/call-direction.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { Duration } from '../../ui/format/duration.tsx'
import { PhoneNumber } from '../../ui/format/phone-number.tsx'
import { usePhoneNumberFormat } from '../../ui/format/phone-number-format.ts'
import { Name } from '../../ui/format/reference.tsx'
import { FilterChip } from '../../ui/table/filter-chip.tsx'
import type { TableColumn } from '../../ui/table/table-props.ts'
import { LazyCall } from './call-details.lazy.ts'
import {
  getRefreshIntervalMs,
  hasMoreFilters,
  toDayRange,
  toExtendedFilters,
  toFilterParam,
  unnarrowed,
} from './call-filters.ts'
import { callState } from './call-state.tsx'
import { callToolsQuery, FilterTools } from './filter-tools.tsx'
import { recentCallsQuery } from './queries.ts'
import { timesColumn } from './times-column.tsx'

/** The CSV download loads with its first use. */
const downloadCsv = async (owner: OwnerSid, query: CallQuery) =>
  (await import('../../list/fetch-export.ts')).fetchExport(owner, 'recent-calls.csv', query)

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

const columns: readonly TableColumn<Call>[] = [
  {
    id: 'time',
    header: 'Time',
    share: 6,
    nowrap: true,
    card: 'time',
    cell: ({ attempted_at }) => <ClockTime iso={attempted_at} />,
  },
  {
    id: 'direction',
    header: 'Direction',
    headerCell: <span className="visually-hidden">Direction</span>,
    share: 2,
    nowrap: true,
    card: 'icon',
    cell: ({ direction }) => direction && <CallDirection direction={direction} />,
  },
  {
    id: 'from',
    header: 'From',
    share: 12,
    nowrap: true,
    card: 'detail',
    cell: ({ from }) => from && <PhoneNumber value={from} />,
  },
  { id: 'to', header: 'To', share: 12, nowrap: true, card: 'name', cell: ({ to }) => to && <PhoneNumber value={to} /> },
  {
    id: 'status',
    header: 'Status',
    share: 11,
    nowrap: true,
    card: 'state',
    cell: callState,
  },
  {
    id: 'duration',
    header: 'Duration',
    share: 6,
    align: 'end',
    nowrap: true,
    card: 'end',
    cell: ({ answered, duration }) => (answered ? <Duration seconds={duration} /> : null),
  },
  timesColumn([]),
  { id: 'trunk', header: 'Trunk', share: 9, priority: 3, cell: ({ trunk }) => trunk && <Name>{trunk}</Name> },
]

/** The default columns, and those that users can add. The column of accounts depends on the list. */
const allColumns: readonly TableColumn<Call>[] = [
  ...columns,
  {
    id: 'sip_status',
    header: 'SIP status',
    share: 6,
    align: 'end',
    nowrap: true,
    priority: 4,
    cell: (call) => call.sip_status,
  },
  { id: 'reason', header: 'Reason', share: 12, priority: 5, cell: (call) => call.termination_reason },
  { id: 'host', header: 'Handled by', share: 9, nowrap: true, priority: 6, cell: (call) => call.host },
  { id: 'remote_host', header: 'Remote host', share: 9, nowrap: true, priority: 6, cell: (call) => call.remote_host },
]

/** Returns the row key. A call can have one record for each of its legs. */
const callKey = ({ attempted_at, call_sid, sip_callid, from, to }: Call): string =>
  [call_sid ?? sip_callid ?? `${from}-${to}`, attempted_at].join('_')

const getCallTime = ({ attempted_at }: Call) => attempted_at

const toQuery = (search: CallSearch) => {
  const { start, end, days } = toDayRange(search) ?? toDateRange(search.date)
  return {
    page: String(search.page ?? 1),
    count: String(search.size ?? defaultPageSize),
    ...(days ? { days } : { start, end }),
    direction: search.direction,
    answered: search.answered,
    trunk: search.trunk,
    ...toExtendedFilters(search),
    filter: search.filter && toFilterParam(search.filter, hasMoreFilters()),
  }
}

const unfiltered = { direction: undefined, answered: undefined, filter: undefined, ...unnarrowed }

/** Loads the calls concurrently with the account list if the account is already known. */
export const loader = ({ search }: { search: CallSearch }): Promise<unknown> =>
  prefetchWithin(async () => {
    const { account_sid, accounts } = likelyAccounts(search.account)
    const owner = account_sid === undefined ? { service_provider_sid: await likelyProvider() } : { account_sid }
    await Promise.all([
      accounts,
      queryClient.ensureQueryData(callToolsQuery),
      queryClient.ensureQueryData(listSettingsQuery('recent-calls')),
      queryClient.ensureQueryData(recentCallsQuery(owner, toQuery(search))),
    ])
  })

const CallName = ({ call }: { call: Call }) => `Call from ${formatParties(call, usePhoneNumberFormat())}`

/** Lists the calls of one account, or of all accounts of the service provider, newest first. The URL contains every filter. */
export const RecentCallsPage = (): ReactNode => {
  const { actor } = requiredSession()
  const address = useListSearch(recentCalls, rememberFilters)
  const { search, change } = address
  // The specification names a default for the date (CALLS-02), and none for the account.
  const { account_sid, accounts, isKnown } = useChosenAccounts(search.account)
  const service_provider_sid = useProviderSid()
  const isOfAll = account_sid === undefined
  const owner = isOfAll ? { service_provider_sid } : { account_sid }
  const query = toQuery(search)
  const chosenIds = useChosenColumns('recent-calls', search.columns)?.join()
  const chosenColumns = useMemo(() => pickColumns(allColumns, chosenIds?.split(','), columns), [chosenIds])
  const visibleColumns = useMemo(
    () => (isOfAll ? [...chosenColumns, namedAccountColumn<Call>(accounts.data)] : chosenColumns),
    [isOfAll, accounts.data, chosenColumns],
  )
  const calls = useQuery({
    ...recentCallsQuery(owner, query),
    ...liveRefresh(getRefreshIntervalMs(search)),
    enabled: isKnown,
  })
  const rows = calls.data?.data
  const drawnColumns = useMemo(
    () => visibleColumns.map((column) => (column.id === 'times' ? timesColumn(rows ?? []) : column)),
    [visibleColumns, rows],
  )
  const list = useServerList({ address, query: calls, question: [owner, query], rowKey: callKey, unfiltered })

  const tools = {
    search,
    change,
    account_sid: account_sid ?? '',
    columns: { all: allColumns, defaults: columns, current: chosenColumns },
  }

  return (
    <List
      screen={recentCalls}
      description="Completed calls with their duration and result. Open a call to see its trace, logs, and recording."
      nouns={['call', 'calls']}
      view={{ ...list.view, query: isKnown || !accounts.isError ? calls : accounts }}
      columns={drawnColumns}
      rowKey={callKey}
      toGroup={useDayGroups(getCallTime)}
      search={{ label: 'Filter', ...list.filter }}
      filters={
        <>
          {isAtLeast(actor.scope, 'service_provider') && (
            <AccountFilter
              value={account_sid}
              all
              onChange={(account) => change({ account: toAccountParam(account), application_sid: undefined })}
            />
          )}
          {!(search.from ?? search.until) && <DateFilter value={search.date} onChange={(date) => change({ date })} />}
          <FilterChip
            label="Direction"
            unset="either"
            value={search.direction ?? 'either'}
            options={directionOptions}
            onChange={(direction) => change({ direction: direction === 'either' ? undefined : direction })}
          />
          <FilterChip
            label="Status"
            unset="all"
            value={search.answered ?? 'all'}
            options={statusOptions}
            onChange={(answered) => change({ answered: answered === 'all' ? undefined : answered })}
          />
          <FilterTools {...tools} />
        </>
      }
      details={list.details({
        renderLabel: (call) => <CallName call={call} />,
        render: (call) => <LazyCall call={call} />,
      })}
      more={
        <>
          <FilterTools {...tools} views />
          <ExportMenu
            endpoint={
              isOfAll
                ? 'GET /ServiceProviders/:service_provider_sid/RecentCalls'
                : 'GET /Accounts/:account_sid/RecentCalls'
            }
            input={{ params: owner, query }}
            rows={() => allPages('calls', (page) => readCalls(owner, { ...query, ...page }))}
            table="recent-calls"
            serverTable={config().extensions.has('call-tables') ? () => downloadCsv(owner, query) : undefined}
          />
        </>
      }
      empty={{ title: 'No data.', hint: 'Calls in the chosen period appear here.' }}
      filteredTitle="No data."
    />
  )
}
