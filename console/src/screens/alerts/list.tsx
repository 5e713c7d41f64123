import type { Alert } from '@patchbay/contract/alerts'
import { isAtLeast } from '@patchbay/contract/api/access'
import { defaultPageSize } from '@patchbay/contract/lists/paging'
import { alertTypes, formatAlertType } from '@patchbay/rules/alerts/alerts'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { config } from '../../api/configuration.ts'
import { queryClient } from '../../api/query-client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { lazyContent } from '../../lazy/lazy-content.tsx'
import { likelyProvider, prefetchWithin } from '../../lazy/prefetch.ts'
import {
  AccountFilter,
  likelyAccount,
  toAccountParam,
  unlessAll,
  useChosenAccounts,
} from '../../list/account-filter.tsx'
import { DateFilter } from '../../list/date-filter.tsx'
import { toDateRange } from '../../list/date-preset-range.ts'
import { ClockTime, useDayGroups } from '../../list/day-groups.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { allPages } from '../../list/fetch-all-pages.ts'
import { List, type ListView } from '../../list/list-frame.tsx'
import { namedAccountColumn } from '../../list/named-account-column.tsx'
import { SearchableFilter } from '../../list/searchable-filter.tsx'
import { type ListAddress, useListSearch } from '../../list/use-list-search.ts'
import { useServerList } from '../../list/use-server-list.ts'
import { destinationList } from '../../routes/alert-destinations.ts'
import { type AlertSearch, alerts } from '../../routes/alerts.ts'
import { rememberFilters } from '../../routes/date-presets.ts'
import { canOpen } from '../../routes/define-screen.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Name } from '../../ui/format/reference.tsx'
import { zoneOption } from '../../ui/format/zone-option.ts'
import { FilterSelect } from '../../ui/table/filter-select.tsx'
import type { TableColumn } from '../../ui/table/table-props.ts'
import { AlertDetails } from './alert-details.tsx'
import { alertKey } from './alert-facts.ts'
import { type AlertQuery, alertsQuery, readAlerts } from './queries.ts'
import { unseenQuery, useMarkSeen } from './unseen/unseen-queries.ts'

const columns: readonly TableColumn<Alert>[] = [
  { id: 'time', header: 'Time', share: 8, nowrap: true, card: 'end', cell: ({ time }) => <ClockTime iso={time} /> },
  {
    id: 'type',
    header: 'Type',
    share: 15,
    nowrap: true,
    card: 'name',
    cell: ({ alert_type }) => <StateBadge tone="warn">{formatAlertType(alert_type)}</StateBadge>,
  },
  { id: 'message', header: 'Message', share: 34, card: 'detail', cell: ({ message }) => <Name>{message}</Name> },
]

const getAlertTime = ({ time }: Alert) => time

const knownTypes = alertTypes.map((value) => ({ value, label: formatAlertType(value) }))

/** Returns the known alert types, and the type from the URL if it is not among them. */
const typeOptions = (chosen: string) => [
  { value: '', label: 'all' },
  ...knownTypes,
  ...(chosen === '' || alertTypes.includes(chosen) ? [] : [{ value: chosen, label: chosen }]),
]

const toFilters = ({ date, since, type }: AlertSearch) => {
  if (since !== undefined) return { start: since, alert_type: type }
  const { start, end, days } = toDateRange(date)
  return { ...(days ? { days } : { start, end }), alert_type: type }
}

/** Formats the start of the period in the chosen time zone, such as `Nov 24, 09:30`. */
const formatSince = (instant: string): string =>
  new Date(instant).toLocaleString('en', {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...zoneOption(),
  })

const toQuery = (search: AlertSearch): AlertQuery => ({
  page: String(search.page ?? 1),
  count: String(search.size ?? defaultPageSize),
  ...toFilters(search),
})

/** The code of groups and acknowledgments loads when it is needed, and not with a server that does not have them. */
const loadParts = () => import('./groups/lazy-parts.ts')
const AlertGroupList = lazyContent('alert-groups', async () => (await loadParts()).AlertGroupList)
const AlertAcknowledgmentPart = lazyContent(
  'alert-acknowledgment',
  async () => (await loadParts()).AlertAcknowledgmentPart,
)

const hasGroups = (): boolean => config().extensions.has('alert-groups')

const views = [
  { value: '', label: 'none' },
  { value: 'groups', label: 'type and object' },
] as const

const UnseenGroup = lazyContent('unseen-alerts', async () => (await import('./unseen/unseen-alerts.tsx')).UnseenGroup)

const toOwner = (account_sid: string | undefined, service_provider_sid: string): OwnerSid =>
  account_sid ? { account_sid } : { service_provider_sid }

const unfiltered = { type: undefined }

export const loader = ({ search }: { search: AlertSearch }): Promise<unknown> =>
  prefetchWithin(async () => {
    const { account_sid, accounts } = likelyAccount(search.account)
    if (search.view === 'groups' && hasGroups()) return Promise.all([accounts, loadParts()])
    const owner = toOwner(unlessAll(account_sid), await likelyProvider())
    return Promise.all([
      accounts,
      queryClient.ensureQueryData(alertsQuery(owner, toQuery(search))),
      queryClient.ensureQueryData(unseenQuery(owner)),
    ])
  })

type Address = ListAddress<AlertSearch>

const AlertFilters = ({ address, account_sid }: { address: Address; account_sid: string | undefined }) => {
  const { search, change } = address
  return (
    <>
      {isAtLeast(requiredSession().actor.scope, 'service_provider') && (
        <AccountFilter all value={account_sid} onChange={(account) => change({ account: toAccountParam(account) })} />
      )}
      <DateFilter
        value={search.date}
        otherPeriod={search.since && `since ${formatSince(search.since)}`}
        onChange={(date) => change({ date, since: undefined })}
      />
      <SearchableFilter
        label="Type"
        value={search.type ?? ''}
        options={typeOptions(search.type ?? '')}
        onChange={(type) => change({ type: type || undefined })}
      />
      {hasGroups() && (
        <FilterSelect
          label="Group by"
          value={search.view ?? ''}
          options={views}
          onChange={(view) => change({ view: view || undefined, acknowledged: undefined })}
        />
      )}
    </>
  )
}

/**
 * Returns the group of new alerts that the list does not contain when it opens, such as those of earlier days. Alerts are
 * seen when the list or the group displays them.
 */
const useUnseenGroup = (
  owner: OwnerSid,
  isKnown: boolean,
  { rows, query }: ListView<Alert>,
  groupColumns: readonly TableColumn<Alert>[],
): ReactNode => {
  const { data: unseen } = useQuery({ ...unseenQuery(owner), enabled: isKnown })
  const [listed, setListed] = useState<ReadonlySet<string>>()
  const current = query.isPlaceholderData ? undefined : rows
  if (listed === undefined && (current || query.error)) setListed(new Set(current?.map(alertKey)))
  const isReady = listed !== undefined && unseen !== undefined
  const hasHidden = isReady && unseen.alerts.some((alert) => !listed.has(alertKey(alert)))
  useMarkSeen(owner, isReady && !hasHidden ? unseen.until : null)
  return hasHidden && <UnseenGroup owner={owner} unseen={unseen} listed={listed} columns={groupColumns} />
}

interface SingleAlertsProps {
  address: Address
  owner: OwnerSid
  /** The accounts are loading or failed to load, and the remembered choice of one cannot be checked yet. */
  accounts: ReturnType<typeof useChosenAccounts>
  filters: ReactNode
  action: ReactNode
}

/** Lists single alerts, newest first. */
const SingleAlerts = ({ address, owner, accounts: { accounts, isKnown }, filters, action }: SingleAlertsProps) => {
  const { search } = address
  const query = toQuery(search)
  const alertsPage = useQuery({ ...alertsQuery(owner, query), enabled: isKnown })
  const list = useServerList({ address, query: alertsPage, question: [owner, query], rowKey: alertKey, unfiltered })
  const accountList = accounts.data
  const visibleColumns = useMemo(() => {
    if (owner.account_sid !== undefined) return columns
    return [...columns, namedAccountColumn<Alert>(accountList)]
  }, [owner.account_sid, accountList])
  const above = useUnseenGroup(owner, isKnown, list.view, visibleColumns)
  const exportInput = {
    input: { params: owner, query },
    rows: () => allPages('alerts', (page) => readAlerts(owner, { ...toFilters(search), ...page })),
    table: 'alerts',
  }
  return (
    <List
      screen={alerts}
      description="Failed webhooks, unavailable speech services, and exceeded limits."
      nouns={['alert', 'alerts']}
      action={action}
      view={{ ...list.view, query: !isKnown && accounts.isError ? accounts : alertsPage }}
      columns={visibleColumns}
      above={above}
      toGroup={useDayGroups(getAlertTime)}
      rowKey={alertKey}
      filters={filters}
      details={list.details({
        renderLabel: ({ alert_type, message }) => `${formatAlertType(alert_type)}: ${message}`,
        render: (alert) => (
          <AlertDetails alert={alert}>{hasGroups() && <AlertAcknowledgmentPart alert={alert} />}</AlertDetails>
        ),
      })}
      more={
        owner.account_sid === undefined ? (
          <ExportMenu endpoint="GET /ServiceProviders/:service_provider_sid/Alerts" {...exportInput} />
        ) : (
          <ExportMenu endpoint="GET /Accounts/:account_sid/Alerts" {...exportInput} />
        )
      }
      empty={{ title: 'No data.', hint: 'Alerts in the chosen period appear here.' }}
      filteredTitle="No data."
    />
  )
}

/**
 * Lists alerts, single or grouped: those of one account, or those of the current service provider and all its accounts.
 */
export const AlertsPage = (): ReactNode => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const address = useListSearch(alerts, rememberFilters)
  const { search } = address
  const chosen = useChosenAccounts(search.account)
  const { account_sid, accounts, isKnown } = chosen
  const owner = toOwner(account_sid, service_provider_sid)
  const filters = <AlertFilters address={address} account_sid={account_sid} />
  const action = canOpen(destinationList, actor) && (
    <ScreenLink to={destinationList} className={buttonClass('secondary')}>
      Destinations
    </ScreenLink>
  )
  const content = { address, owner, filters, action }
  return search.view === 'groups' && hasGroups() ? (
    <AlertGroupList {...content} isKnown={isKnown} filterQuery={toFilters(search)} accounts={accounts.data} />
  ) : (
    <SingleAlerts key={JSON.stringify([owner, search.since])} {...content} accounts={chosen} />
  )
}
