import type { AlertGroup, AlertGroupPage } from '@patchbay/contract/alert-groups'
import { can } from '@patchbay/contract/api/access'
import { defaultPageSize } from '@patchbay/contract/lists/paging'
import { maxGroupedDays } from '@patchbay/contract/shared/alert-objects'
import { formatAlertType } from '@patchbay/rules/alerts/alerts'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import type { OwnerSid } from '../../../api/record-queries.ts'
import { ExportMenu } from '../../../list/export-menu.tsx'
import { allPages } from '../../../list/fetch-all-pages.ts'
import { List, type ListProps } from '../../../list/list-frame.tsx'
import { namedAccountColumn } from '../../../list/named-account-column.tsx'
import type { ListAddress } from '../../../list/use-list-search.ts'
import { useServerList } from '../../../list/use-server-list.ts'
import { type AlertSearch, alerts } from '../../../routes/alerts.ts'
import { ScreenLink } from '../../../screen/links.tsx'
import { requiredSession } from '../../../session/session.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Name } from '../../../ui/format/reference.tsx'
import { formatCount } from '../../../ui/format/text.ts'
import { RelativeTime } from '../../../ui/format/time.tsx'
import { FilterChip } from '../../../ui/table/filter-chip.tsx'
import type { TableColumn } from '../../../ui/table/table-props.ts'
import { AlertDetails } from '../alert-details.tsx'
import { hashText } from '../alert-facts.ts'
import { AcknowledgedBy } from './acknowledgment-state.tsx'
import { type GroupQuery, groupsQuery, readGroups, useAcknowledge, useWithdraw } from './group-queries.ts'
import styles from './groups.module.css'
import { RepairLink } from './repair-link.tsx'

/** Returns the row key of a group, which stays the same when a new alert arrives. */
const groupKey = ({ alert_type, account_sid, object_kind, object_id }: AlertGroup): string =>
  `${alert_type}_${hashText(JSON.stringify([account_sid, object_kind, object_id]))}`

/** Returns what the alerts of a group are about. The message of a carrier's alert names it. */
const formatObject = ({ object_kind, object_id, newest }: AlertGroup): string => {
  if (object_kind === 'carrier') return newest.message
  return object_id ?? (object_kind === 'account' ? 'Account' : 'Service provider')
}

const formatAlertCount = ({ count, open_count }: AlertGroup): string =>
  open_count === count || open_count === 0
    ? formatCount(count)
    : `${formatCount(open_count)} new of ${formatCount(count)}`

const columns: readonly TableColumn<AlertGroup>[] = [
  {
    id: 'type',
    header: 'Type',
    share: 15,
    nowrap: true,
    cell: ({ alert_type, open_count }) => (
      <StateBadge tone={open_count === 0 ? 'neutral' : 'warn'}>{formatAlertType(alert_type)}</StateBadge>
    ),
  },
  {
    id: 'object',
    header: 'Object',
    share: 22,
    card: 'detail',
    cell: (group) => <Name>{formatObject(group)}</Name>,
  },
  { id: 'count', header: 'Alerts', share: 9, nowrap: true, card: 'state', cell: formatAlertCount },
  {
    id: 'first',
    header: 'First',
    share: 9,
    nowrap: true,
    priority: 5,
    cell: (group) => <RelativeTime iso={group.first_at} />,
  },
  {
    id: 'last',
    header: 'Last',
    share: 9,
    nowrap: true,
    card: 'end',
    cell: (group) => <RelativeTime iso={group.last_at} />,
  },
  {
    id: 'acknowledged',
    header: 'Acknowledged',
    share: 13,
    priority: 3,
    cell: ({ acknowledgment }) => acknowledgment && <AcknowledgedBy acknowledgment={acknowledgment} />,
  },
]

/** Says which alerts of the period are in no group. */
const describeLimits = (page: AlertGroupPage | undefined, start: string | undefined): string[] => {
  if (page === undefined) return []
  const { grouped_count, alert_count } = page
  return [
    ...(grouped_count < alert_count
      ? [
          `The groups contain the newest ${formatCount(grouped_count)} of ${formatCount(alert_count)} alerts. Select a shorter period to see the others.`,
        ]
      : []),
    ...(start !== undefined && Date.parse(start) < Date.parse(page.start)
      ? [`The groups contain the alerts of the last ${maxGroupedDays} days.`]
      : []),
  ]
}

const RowActions = ({ group }: { group: AlertGroup }) => {
  const acknowledge = useAcknowledge()
  const withdraw = useWithdraw()
  if (!can(requiredSession().actor, 'write', group)) return null
  const { acknowledgment, open_count } = group
  if (open_count === 0 && acknowledgment !== null)
    return (
      <Button size="small" variant="ghost" busy={withdraw.isPending} onClick={() => withdraw.mutate(acknowledgment)}>
        Withdraw
      </Button>
    )
  return (
    <Button size="small" busy={acknowledge.isPending} onClick={() => acknowledge.mutate({ group })}>
      Acknowledge
    </Button>
  )
}

/** The filters of the list that select the alerts of a group. */
const toListSearch = ({ view: _view, acknowledged: _acknowledged, ...search }: AlertSearch, group: AlertGroup) => {
  const { page: _page, open: _open, account, ...others } = search
  return { ...others, type: group.alert_type, account: group.account_sid ?? account }
}

interface GroupListProps extends Pick<ListProps<AlertGroup>, 'action'> {
  address: ListAddress<AlertSearch>
  owner: OwnerSid
  isKnown: boolean
  /** Period and type. */
  filterQuery: Pick<GroupQuery, 'days' | 'start' | 'end' | 'alert_type'>
  filters: ReactNode
  accounts: readonly { account_sid: string; name: string }[] | undefined
}

const unfiltered = { type: undefined, acknowledged: undefined }
const renderActions = (group: AlertGroup) => <RowActions group={group} />

/** Lists the alerts by type and object, with the newest group first. */
export const AlertGroupList = (props: GroupListProps): ReactNode => {
  const { address, owner, isKnown, filterQuery, filters, accounts, action } = props
  const { search, change } = address
  const all = { ...filterQuery, ...(search.acknowledged ? { acknowledged: search.acknowledged } : {}) }
  const query = { page: String(search.page ?? 1), count: String(search.size ?? defaultPageSize), ...all }
  const groups = useQuery({ ...groupsQuery(owner, query), enabled: isKnown })
  const list = useServerList({
    address,
    query: groups,
    question: ['groups', owner, query],
    rowKey: groupKey,
    unfiltered,
  })
  const visibleColumns = useMemo(
    () => (owner.account_sid === undefined ? [...columns, namedAccountColumn<AlertGroup>(accounts)] : columns),
    [owner.account_sid, accounts],
  )
  const exportInput = {
    input: { params: owner, query },
    rows: () => allPages('alert-groups', (page) => readGroups(owner, { ...all, ...page })),
    table: 'alert-groups',
  }
  return (
    <List
      screen={alerts}
      description="Alerts by type and object. A new alert opens an acknowledged group again."
      nouns={['group', 'groups']}
      action={action}
      view={list.view}
      columns={visibleColumns}
      rowKey={groupKey}
      actions={renderActions}
      actionCount={3}
      filters={
        <>
          {filters}
          <FilterChip
            label="Acknowledged"
            unset="show"
            value={search.acknowledged ?? 'show'}
            options={[
              { value: 'show', label: 'show' },
              { value: 'hide', label: 'hide' },
            ]}
            onChange={(choice) => change({ acknowledged: choice === 'hide' ? choice : undefined })}
          />
        </>
      }
      above={describeLimits(groups.data, filterQuery.start).map((sentence) => (
        <p key={sentence} className={styles['note']}>
          {sentence}
        </p>
      ))}
      details={list.details({
        renderLabel: (group) => `${formatAlertType(group.alert_type)}: ${formatObject(group)}`,
        render: (group) => (
          <AlertDetails alert={group.newest}>
            <RepairLink alert={group.newest} />
            <ScreenLink to={alerts} search={toListSearch(search, group)}>
              Show the alerts of this type
            </ScreenLink>
          </AlertDetails>
        ),
      })}
      more={
        owner.account_sid === undefined ? (
          <ExportMenu endpoint="GET /patchbay/service-providers/:service_provider_sid/alert-groups" {...exportInput} />
        ) : (
          <ExportMenu endpoint="GET /patchbay/accounts/:account_sid/alert-groups" {...exportInput} />
        )
      }
      empty={{ title: 'No data.', hint: 'Alerts in the selected period appear here, grouped by type and object.' }}
      filteredTitle="No data."
    />
  )
}
