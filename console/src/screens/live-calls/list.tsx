import { isAtLeast } from '@patchbay/contract/api/access'
import type { LiveCall } from '@patchbay/contract/live-calls'
import { isOver } from '@patchbay/contract/shared/call-changes'
import { useQuery } from '@tanstack/react-query'
import { PhoneForwarded, PhoneOff } from 'lucide-react'
import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { config } from '../../api/configuration.ts'
import { queryClient } from '../../api/query-client.ts'
import { lazyDialog } from '../../lazy/lazy-dialog.tsx'
import { likelyProvider, prefetchWithin } from '../../lazy/prefetch.ts'
import {
  AccountFilter,
  likelyAccount,
  likelyAccounts,
  toAccountParam,
  unlessAll,
  useChosenAccount,
  useChosenAccounts,
} from '../../list/account-filter.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { List } from '../../list/list-frame.tsx'
import { namedAccountColumn } from '../../list/named-account-column.tsx'
import type { SortableColumn } from '../../list/sort-rows.ts'
import { useClientList } from '../../list/use-client-list.ts'
import { type LiveCallSearch, liveCalls } from '../../routes/live-calls.ts'
import { oneCall } from '../../routes/recent-calls.ts'
import { ScreenLink, useScreenSearch } from '../../screen/links.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { ApplicationName } from '../../sections/application-name.tsx'
import { CallDirection } from '../../sections/call-direction.tsx'
import { hasLiveCalls, liveCallsQuery } from '../../sections/live-calls/live-calls-query.ts'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { Banner } from '../../ui/banner.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Duration } from '../../ui/format/duration.tsx'
import { PhoneNumber } from '../../ui/format/phone-number.tsx'
import { Name } from '../../ui/format/reference.tsx'
import { formatCount } from '../../ui/format/text.ts'
import { FilterChip } from '../../ui/table/filter-chip.tsx'
import { EmptyState } from '../../ui/table/list-state.tsx'
import { CallAge } from './call-age.tsx'
import { CallStatus, statusText } from './call-status.tsx'
import { Waiting } from './queues-panel.tsx'

const HangUp = lazyDialog('hang-up', async () => (await import('./actions/hang-up.tsx')).HangUp)

const Transfer = lazyDialog('transfer', async () => (await import('./actions/transfer.tsx')).Transfer)

const stateOptions = [
  { value: 'up', label: 'in progress' },
  { value: 'ended', label: 'ended recently' },
  { value: 'all', label: 'all' },
] as const
type State = (typeof stateOptions)[number]['value']

/** Returns the state filter in the URL, or `up` if it is absent or unknown. */
const stateIn = ({ state }: LiveCallSearch): State => stateOptions.find(({ value }) => value === state)?.value ?? 'up'

/**
 * Shows the elapsed time of a call in progress, or the duration of an ended call. The jambonz API server omits the
 * start time.
 */
const lengthCell = ({ call_status, duration, started_at }: LiveCall): ReactNode => {
  if (isOver(call_status)) return duration === undefined ? null : <Duration seconds={duration} />
  return started_at === undefined ? null : <CallAge since={started_at} />
}

const columns: readonly SortableColumn<LiveCall>[] = [
  {
    id: 'status',
    header: 'Status',
    share: 11,
    nowrap: true,
    card: 'state',
    cell: (call) => <CallStatus call={call} />,
    sortBy: statusText,
  },
  {
    id: 'direction',
    header: 'Direction',
    share: 4,
    nowrap: true,
    card: 'icon',
    cell: ({ direction }) => direction && <CallDirection direction={direction} />,
    sortBy: ({ direction = null }) => direction,
  },
  {
    id: 'from',
    header: 'From',
    share: 12,
    nowrap: true,
    card: 'detail',
    cell: ({ from }) => from && <PhoneNumber value={from} />,
    sortBy: ({ from = null }) => from,
  },
  {
    id: 'to',
    header: 'To',
    share: 12,
    nowrap: true,
    card: 'name',
    cell: ({ to }) => to && <PhoneNumber value={to} />,
    sortBy: ({ to = null }) => to,
  },
  {
    id: 'application',
    header: 'Application',
    share: 12,
    priority: 3,
    cell: ({ application_sid }) => application_sid && <ApplicationName application_sid={application_sid} />,
  },
  {
    id: 'trunk',
    header: 'Trunk',
    share: 9,
    priority: 4,
    cell: ({ originating_sip_trunk_name: trunk }) => trunk && <Name>{trunk}</Name>,
    sortBy: ({ originating_sip_trunk_name: trunk = null }) => trunk,
  },
  {
    id: 'age',
    header: 'Duration',
    share: 7,
    align: 'end',
    nowrap: true,
    card: 'end',
    cell: lengthCell,
    sortBy: ({ started_at }) => (started_at === undefined ? null : -Date.parse(started_at)),
  },
]

const rowKey = ({ call_sid }: LiveCall): string => call_sid
const getSearchableValues = (call: LiveCall) => [
  call.from ?? null,
  call.to ?? null,
  call.originating_sip_trunk_name ?? null,
  call.call_sid,
  statusText(call),
  call.direction ?? null,
]

const matchesState = (state: State, { call_status }: LiveCall): boolean =>
  state === 'all' || isOver(call_status) === (state === 'ended')

/** jambonz lists the calls of one account only. */
const listsAllAccounts = (): boolean =>
  config().extensions.has('live-calls-of-provider') && isAtLeast(requiredSession().actor.scope, 'service_provider')

export const loader = ({ search }: { search: LiveCallSearch }): Promise<unknown> =>
  prefetchWithin(async () => {
    if (!hasLiveCalls()) return
    if (listsAllAccounts()) {
      const { account_sid, accounts } = likelyAccounts(search.account)
      const owner = account_sid === undefined ? { service_provider_sid: await likelyProvider() } : { account_sid }
      await Promise.all([accounts, queryClient.ensureQueryData(liveCallsQuery(owner))])
      return
    }
    const { account_sid, accounts } = likelyAccount(unlessAll(search.account))
    const selectedSid = account_sid ?? (await accounts)?.[0]?.account_sid
    await Promise.all([
      accounts,
      selectedSid && queryClient.ensureQueryData(liveCallsQuery({ account_sid: selectedSid })),
    ])
  })

/** Returns whose calls the list shows, or no owner until that is clear. */
const useOwner = (inAddress: string | undefined) => {
  const isOfAll = listsAllAccounts()
  const service_provider_sid = useProviderSid()
  const one = useChosenAccount(unlessAll(inAddress))
  const any = useChosenAccounts(inAddress)
  const { accounts, isFailed } = one
  const { account_sid } = isOfAll ? any : one
  const owner = account_sid === undefined ? { service_provider_sid } : { account_sid }
  const isClear = account_sid !== undefined || (isOfAll && any.isKnown)
  return { account_sid, owner: isClear ? owner : undefined, accounts, isFailed: isFailed && !isClear }
}

/**
 * Lists the live calls of one account, or of all accounts of the service provider. The list refreshes every few seconds
 * while it is visible.
 */
const LiveCalls = () => {
  const { actor } = requiredSession()
  const chooses = isAtLeast(actor.scope, 'service_provider')
  const search = useScreenSearch(liveCalls)
  const state = stateIn(search)
  const { account_sid, owner, accounts, isFailed } = useOwner(search.account)
  const calls = useQuery({ ...liveCallsQuery(owner ?? { account_sid: '' }), enabled: owner !== undefined })
  const { data, dataUpdatedAt } = calls
  const matchingCalls = useMemo(() => data?.calls.filter((call) => matchesState(state, call)), [data, state])
  const isOfAll = owner?.service_provider_sid !== undefined
  const visibleColumns = useMemo(
    () => (isOfAll ? [...columns, namedAccountColumn<LiveCall>(accounts.data)] : columns),
    [isOfAll, accounts.data],
  )
  const list = useClientList({
    screen: liveCalls,
    query: { ...calls, data: matchingCalls },
    // Every refetch counts as a new query, so its rows replace the old ones immediately.
    question: `${account_sid ?? ''} ${dataUpdatedAt}`,
    columns: visibleColumns,
    rowKey,
    searchValues: getSearchableValues,
  })
  const { change } = list.address
  const [ending, setEnding] = useState<LiveCall>()
  const [moving, setMoving] = useState<LiveCall>()
  const viewOnly = viewOnlyReason(actor)

  const actions = useCallback(
    (call: LiveCall) => {
      const { call_sid, from = '', to = '' } = call
      if (isOver(call.call_status))
        return (
          <ScreenLink
            to={oneCall}
            params={{ account_sid: call.account_sid, call_sid }}
            aria-label={`Show the call from ${from} to ${to}`}
          >
            Show
          </ScreenLink>
        )
      return (
        <>
          <IconButton
            label={`Transfer the call from ${from} to ${to}`}
            disabledReason={viewOnly}
            onClick={() => setMoving(call)}
          >
            <PhoneForwarded size={15} aria-hidden="true" />
          </IconButton>
          <IconButton
            label={`Hang up the call from ${from} to ${to}`}
            disabledReason={viewOnly}
            onClick={() => setEnding(call)}
          >
            <PhoneOff size={15} aria-hidden="true" />
          </IconButton>
        </>
      )
    },
    [viewOnly, setEnding, setMoving],
  )

  return (
    <>
      <List
        {...list.table}
        screen={liveCalls}
        description="Calls in progress. Refreshes every few seconds."
        nouns={['call', 'calls']}
        view={{ ...list.view, query: isFailed ? accounts : calls }}
        search={{ label: 'Filter', ...list.filter }}
        filters={
          <>
            {chooses && (
              <AccountFilter
                all={listsAllAccounts()}
                value={account_sid ?? ''}
                onChange={(account) => change({ account: toAccountParam(account) })}
              />
            )}
            <FilterChip
              label="Calls"
              unset="up"
              value={state}
              options={stateOptions}
              onChange={(selected) => change({ state: selected === 'up' ? undefined : selected })}
            />
          </>
        }
        above={
          <>
            {data?.isCut && (
              <Banner tone="warn" title={`Only the ${formatCount(data.calls.length)} newest calls are listed.`}>
                Choose an account to see all of its calls.
              </Banner>
            )}
            {account_sid !== undefined && <Waiting account_sid={account_sid} />}
          </>
        }
        actions={actions}
        actionCount={2}
        more={
          <ExportMenu
            {...(isOfAll
              ? {
                  endpoint: 'GET /patchbay/service-providers/:service_provider_sid/live-calls',
                  input: { params: owner },
                }
              : { endpoint: 'GET /Accounts/:account_sid/Calls', input: { params: { account_sid } } })}
            rows={() => list.view.rows}
            table="live-calls"
          />
        }
        empty={
          state === 'ended'
            ? { title: 'No recently ended calls.', hint: 'Calls appear here for one hour after they end.' }
            : { title: 'No calls in progress.', hint: 'Calls appear here from the first ring until they end.' }
        }
      />
      {ending && <HangUp live={ending} onClose={() => setEnding(undefined)} />}
      {moving && <Transfer live={moving} onClose={() => setMoving(undefined)} />}
    </>
  )
}

/** Shows an explanation instead of the list if Patchbay has no connection to the platform's Redis. */
export const LiveCallsPage = (): ReactNode =>
  hasLiveCalls() ? (
    <LiveCalls />
  ) : (
    <>
      <ScreenHeader screen={liveCalls} description="Calls in progress." />
      <EmptyState title="Live calls need Redis." hint="The platform stores them in Redis, and no Redis is connected." />
    </>
  )
