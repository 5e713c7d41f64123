import type { AlertDestination } from '@patchbay/contract/alert-destinations'
import { isAtLeast } from '@patchbay/contract/api/access'
import { destinationKindLabels } from '@patchbay/contract/shared/destination-kinds'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { likelyProvider, prefetchWithin } from '../../lazy/prefetch.ts'
import { useBulk } from '../../list/bulk/use-bulk.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { nameColumn, RecordList } from '../../list/record-list.tsx'
import type { SortableColumn } from '../../list/sort-rows.ts'
import { useClientList } from '../../list/use-client-list.ts'
import { readKnownAccounts, useKnownAccounts } from '../../record/use-accounts-in-scope.ts'
import { addDestination, destinationList } from '../../routes/alert-destinations.ts'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Name } from '../../ui/format/reference.tsx'
import type { Nouns } from '../../ui/format/text.ts'
import { DateTime } from '../../ui/format/time.tsx'
import { DeleteDestination } from './delete-destination.tsx'
import { destinationLink, destinationsQuery } from './queries.ts'

interface DestinationRow extends AlertDestination {
  /** Display name of the owner. */
  owner: string
}

const State = ({ is_active, is_confirmed, failing_since }: AlertDestination) => {
  if (!is_active) return <StateBadge tone="neutral">Off</StateBadge>
  if (!is_confirmed) return <StateBadge tone="warn">Waiting for confirmation</StateBadge>
  return failing_since === null ? <StateBadge tone="good">On</StateBadge> : <StateBadge tone="bad">Failing</StateBadge>
}

const destinationColumn: SortableColumn<DestinationRow> = nameColumn(destinationLink, { share: 16 })

const ownerColumn: SortableColumn<DestinationRow> = {
  id: 'owner',
  header: 'Alerts of',
  share: 14,
  priority: 4,
  cell: ({ owner }) => <Name>{owner}</Name>,
  sortBy: ({ owner }) => owner,
}

const otherColumns: readonly SortableColumn<DestinationRow>[] = [
  {
    id: 'kind',
    header: 'Kind',
    share: 8,
    nowrap: true,
    priority: 3,
    cell: ({ kind }) => destinationKindLabels[kind],
    sortBy: ({ kind }) => kind,
  },
  {
    id: 'target',
    header: 'Sent to',
    share: 22,
    card: 'detail',
    cell: ({ target }) => <Name>{target}</Name>,
    sortBy: ({ target }) => target,
  },
  { id: 'state', header: 'State', share: 12, nowrap: true, card: 'state', cell: State },
  {
    id: 'delivered',
    header: 'Last delivered',
    share: 12,
    nowrap: true,
    priority: 3,
    cell: ({ last_delivered_at }) => last_delivered_at && <DateTime iso={last_delivered_at} />,
    sortBy: ({ last_delivered_at }) => last_delivered_at,
  },
]

const columns = [destinationColumn, ownerColumn, ...otherColumns]
const accountUserColumns = [destinationColumn, ...otherColumns]

const searchableValues = ({ name, owner, target, kind }: DestinationRow) => [
  name,
  owner,
  target,
  destinationKindLabels[kind],
]

const useDestinations = (service_provider_sid: string) => {
  const destinations = useQuery(destinationsQuery(service_provider_sid))
  const accounts = useKnownAccounts().data
  const { data } = destinations
  const rows = useMemo(() => {
    const names = new Map(accounts?.map(({ account_sid, name }) => [account_sid, name]))
    return data?.map((row) => ({
      ...row,
      owner: row.account_sid === null ? 'Service provider' : (names.get(row.account_sid) ?? row.account_sid),
    }))
  }, [data, accounts])
  return { ...destinations, data: rows }
}

const nouns: Nouns = ['destination', 'destinations']

export const loader = (): Promise<unknown> =>
  prefetchWithin(async () =>
    Promise.all([queryClient.ensureQueryData(destinationsQuery(await likelyProvider())), readKnownAccounts()]),
  )

/** Lists the alert destinations of the current service provider and its accounts, or of the caller's own account. */
export const AlertDestinationsPage = (): ReactNode => {
  const { actor } = requiredSession()
  const { account_sid } = actor
  const service_provider_sid = useProviderSid()
  const list = useClientList({
    screen: destinationList,
    query: useDestinations(service_provider_sid),
    question: service_provider_sid,
    columns: isAtLeast(actor.scope, 'service_provider') ? columns : accountUserColumns,
    order: 'name',
    rowKey: destinationLink.rowKey,
    searchValues: searchableValues,
  })
  const viewOnly = viewOnlyReason(actor)
  const bulk = useBulk({
    kind: 'alert_destination',
    nouns,
    view: list.view,
    columns: list.table.columns,
    denied: viewOnly,
    link: destinationLink,
    changes: [['alert-destinations'], ['alert-destination']],
  })
  return (
    <>
      <RecordList
        {...list.table}
        {...bulk}
        screen={destinationList}
        description="Webhooks, chats, and email addresses that receive alerts as they occur."
        nouns={nouns}
        view={list.view}
        search={{ label: 'Filter alert destinations', ...list.filter }}
        more={
          <ExportMenu
            endpoint={
              account_sid === null
                ? 'GET /patchbay/service-providers/:service_provider_sid/alert-destinations'
                : 'GET /patchbay/accounts/:account_sid/alert-destinations'
            }
            input={{ params: account_sid === null ? { service_provider_sid } : { account_sid } }}
            rows={() => list.view.rows}
            table="alert-destinations"
          />
        }
        add={{ to: addDestination, label: 'Add destination', denied: viewOnly }}
        row={destinationLink}
        deletionDenied={viewOnly}
        renderDeletion={(destination, onClose) => <DeleteDestination destination={destination} onClose={onClose} />}
        empty={{
          title: 'No alert destination.',
          hint: 'Alerts are only shown in the console. Add a destination to receive them.',
        }}
      />
    </>
  )
}
