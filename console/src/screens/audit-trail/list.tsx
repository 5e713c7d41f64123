import type { AuditEntry } from '@patchbay/contract/audit-trail'
import { defaultPageSize } from '@patchbay/contract/lists/paging'
import { auditActions, maxAuditEntries } from '@patchbay/contract/shared/audit'
import { isRecordKind, recordKinds } from '@patchbay/contract/shared/record-kinds'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { auditTrailQuery } from '../../api/shared-queries.ts'
import { likelyProvider, prefetchWithin } from '../../lazy/prefetch.ts'
import { ClockTime, useDayGroups } from '../../list/day-groups.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { allPages } from '../../list/fetch-all-pages.ts'
import { List } from '../../list/list-frame.tsx'
import { useListSearch } from '../../list/use-list-search.ts'
import { useServerList } from '../../list/use-server-list.ts'
import { actorText } from '../../record/audit/actor-text.ts'
import { EntryDetails } from '../../record/audit/entry-details.tsx'
import { actionLabels, actionTones, kindText } from '../../record/audit/labels.ts'
import { type AuditSearch, auditTrail } from '../../routes/audit-trail.ts'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Name } from '../../ui/format/reference.tsx'
import { formatCount } from '../../ui/format/text.ts'
import { FilterChip } from '../../ui/table/filter-chip.tsx'
import type { TableColumn } from '../../ui/table/table-props.ts'
import { RecordLink } from './changed-record-link.tsx'

const daysOptions = [
  { value: 'all', label: 'all' },
  { value: '1', label: 'last 24 hours' },
  { value: '7', label: 'last 7 days' },
  { value: '30', label: 'last 30 days' },
  { value: '90', label: 'last 90 days' },
] as const

const actionOptions = [
  { value: 'all', label: 'all' },
  ...auditActions.map((value) => ({ value, label: actionLabels[value] })),
] as const

const kindOptions = [
  { value: 'all', label: 'all' },
  ...Object.entries(recordKinds).map(([value, label]) => ({ value, label })),
] as const

const kindIn = ({ kind = '' }: AuditSearch): string | undefined => (isRecordKind(kind) ? kind : undefined)

const wholeOptions = [
  { value: 'yes', label: 'the whole platform' },
  { value: 'no', label: 'this provider' },
] as const

const columns: readonly TableColumn<AuditEntry>[] = [
  { id: 'time', header: 'Time', share: 8, nowrap: true, card: 'time', cell: ({ at }) => <ClockTime iso={at} /> },
  { id: 'who', header: 'Author', share: 14, card: 'detail', cell: (entry) => <Name>{actorText(entry)}</Name> },
  {
    id: 'action',
    header: 'Action',
    share: 9,
    nowrap: true,
    card: 'state',
    cell: ({ action }) => <StateBadge tone={actionTones[action]}>{actionLabels[action]}</StateBadge>,
  },
  {
    id: 'kind',
    header: 'Record',
    share: 10,
    nowrap: true,
    priority: 3,
    card: 'end',
    cell: ({ kind }) => kindText(kind),
  },
  { id: 'name', header: 'Name', share: 18, card: 'name', cell: ({ name }) => name && <Name>{name}</Name> },
  { id: 'address', header: 'From address', share: 10, nowrap: true, priority: 5, cell: ({ address }) => address },
]

const getEntryTime = ({ at }: AuditEntry) => at
const entryKey = ({ entry_sid }: AuditEntry): string => entry_sid

const optional = <V extends string>(value: V | 'all'): Exclude<V, 'all'> | undefined =>
  value === 'all' ? undefined : (value as Exclude<V, 'all'>)

/** The trail begins with all that the user can access: for admins, the whole platform. */
const isWhole = ({ whole }: AuditSearch): boolean => whole === undefined && requiredSession().actor.scope === 'admin'

const toQuery = (search: AuditSearch, service_provider_sid: string) => ({
  page: String(search.page ?? 1),
  count: String(search.size ?? defaultPageSize),
  days: search.days,
  action: search.action,
  kind: kindIn(search),
  filter: search.filter,
  service_provider_sid: isWhole(search) ? undefined : service_provider_sid,
})

const unfiltered = { days: undefined, action: undefined, kind: undefined, filter: undefined }

export const loader = ({ search }: { search: AuditSearch }): Promise<unknown> =>
  prefetchWithin(async () => queryClient.ensureQueryData(auditTrailQuery(toQuery(search, await likelyProvider()))))

/** Lists who changed what, newest first. Admins see the whole platform, and can switch to the current service provider. */
export const AuditTrailPage = (): ReactNode => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const address = useListSearch(auditTrail)
  const { search, change } = address
  const query = toQuery(search, service_provider_sid)
  const entries = useQuery(auditTrailQuery(query))
  const list = useServerList({ address, query: entries, question: query, rowKey: entryKey, unfiltered })

  return (
    <List
      screen={auditTrail}
      description="Changes and rejected requests, with the users who made them."
      below={
        list.view.total >= maxAuditEntries &&
        `The list shows the newest ${formatCount(maxAuditEntries)} entries. Use filters to find older ones.`
      }
      nouns={['entry', 'entries']}
      view={list.view}
      columns={columns}
      rowKey={entryKey}
      toGroup={useDayGroups(getEntryTime)}
      search={{ label: 'Filter by name, SID or address', ...list.filter }}
      filters={
        <>
          {actor.scope === 'admin' && (
            <FilterChip
              label="Scope"
              unset="yes"
              value={search.whole ?? 'yes'}
              options={wholeOptions}
              onChange={(whole) => change({ whole: whole === 'no' ? whole : undefined })}
            />
          )}
          <FilterChip
            label="Date"
            unset="all"
            value={search.days ?? 'all'}
            options={daysOptions}
            onChange={(chosen) => change({ days: optional(chosen) })}
          />
          <FilterChip
            label="Action"
            unset="all"
            value={search.action ?? 'all'}
            options={actionOptions}
            onChange={(chosen) => change({ action: optional(chosen) })}
          />
          <FilterChip
            label="Record"
            unset="all"
            value={kindIn(search) ?? 'all'}
            options={kindOptions}
            onChange={(chosen) => change({ kind: optional(chosen) })}
          />
        </>
      }
      details={list.details({
        renderLabel: (entry) =>
          `${actorText(entry)} ${actionLabels[entry.action]} ${kindText(entry.kind)} ${entry.name ?? ''}`,
        render: (entry) => (
          <>
            <EntryDetails entry={entry} records={entries.data?.referenced_records ?? []} />
            <RecordLink entry={entry} />
          </>
        ),
      })}
      more={
        <ExportMenu
          endpoint="GET /patchbay/audit-trail"
          input={{ query }}
          rows={() => allPages('entries', (page) => api('GET /patchbay/audit-trail', { query: { ...query, ...page } }))}
          table="audit-trail"
        />
      }
      empty={{ title: 'Nothing is recorded yet.', hint: 'Changes appear here, with the user who made them.' }}
    />
  )
}
