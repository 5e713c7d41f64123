import { useQuery } from '@tanstack/react-query'
import { PhoneIncoming, PhoneOutgoing } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { accountsQuery } from '../../api/shared-queries.ts'
import { likelyProvider, prefetchWithin } from '../../lazy/prefetch.ts'
import { useLazyComponent } from '../../lazy/use-lazy-component.ts'
import { AccountListFilter } from '../../list/account-filter.tsx'
import { useBulk } from '../../list/bulk/use-bulk.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { nameColumn, RecordList } from '../../list/record-list.tsx'
import type { SortableColumn } from '../../list/sort-rows.ts'
import { useClientList } from '../../list/use-client-list.ts'
import { canOpen } from '../../routes/define-screen.ts'
import { inboundExplainer } from '../../routes/inbound-explainer.ts'
import { addRouting, routingList } from '../../routes/lcr.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { useProviders } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import type { Nouns } from '../../ui/format/text.ts'
import { DeleteRouting } from './delete-routing.tsx'
import { type ListedRouting, routesText, routingFilters, routingName, routingsAround } from './list-filters.ts'
import { lcrsQuery, routingLink } from './queries.ts'

const columns: readonly SortableColumn<ListedRouting>[] = [
  nameColumn(routingLink, { share: 14 }),
  {
    id: 'state',
    header: 'State',
    nowrap: true,
    card: 'state',
    cell: ({ is_active }) => (
      <StateBadge tone={is_active ? 'good' : 'neutral'}>{is_active ? 'Active' : 'Inactive'}</StateBadge>
    ),
    sortBy: ({ is_active }) => (is_active ? 'Active' : 'Inactive'),
  },
  {
    id: 'used-by',
    header: 'Used by',
    share: 14,
    card: 'detail',
    cell: ({ usedBy }) => <bdi>{usedBy}</bdi>,
    sortBy: ({ usedBy }) => usedBy,
  },
  {
    id: 'routes',
    header: 'Routes',
    nowrap: true,
    card: 'end',
    cell: routesText,
    sortBy: ({ number_routes }) => number_routes,
  },
]

const getSearchFields = (lcr: ListedRouting) => [
  routingName(lcr),
  lcr.usedBy,
  lcr.is_active ? 'Active' : 'Inactive',
  routesText(lcr),
]

const nouns: Nouns = ['outbound routing', 'outbound routings']

export const loader = (): Promise<unknown> =>
  prefetchWithin(async () =>
    Promise.all([
      queryClient.ensureQueryData(lcrsQuery),
      queryClient.ensureQueryData(accountsQuery(await likelyProvider())),
    ]),
  )

/** Reads the routings of the current service provider, of its accounts, and without an owner. */
const useRoutingsAround = () => {
  const { current } = useProviders()
  const { service_provider_sid = '', name = '' } = current ?? {}
  const lcrs = useQuery(lcrsQuery)
  const accounts = useQuery(accountsQuery(service_provider_sid))
  const data = useMemo(
    () => lcrs.data && accounts.data && routingsAround(lcrs.data, { service_provider_sid, name }, accounts.data),
    [lcrs.data, accounts.data, service_provider_sid, name],
  )
  const refetch: typeof lcrs.refetch = async (...options) => {
    if (accounts.error) await accounts.refetch()
    return lcrs.refetch(...options)
  }
  return { query: { ...lcrs, data, error: lcrs.error ?? accounts.error, refetch }, service_provider_sid }
}

export const OutboundRoutesPage = (): ReactNode => {
  const { actor } = requiredSession()
  const { query, service_provider_sid } = useRoutingsAround()
  const list = useClientList({
    screen: routingList,
    query,
    question: service_provider_sid,
    columns,
    order: 'name',
    rowKey: routingLink.rowKey,
    searchValues: getSearchFields,
    filters: routingFilters,
  })
  const explains = canOpen(inboundExplainer, actor)
  const viewOnly = viewOnlyReason(actor)
  const bulk = useBulk({
    kind: 'lcr',
    nouns,
    view: list.view,
    columns: list.table.columns,
    denied: viewOnly,
    link: routingLink,
    changes: [lcrsQuery.queryKey],
  })
  const dryRun = useLazyComponent(async () => (await import('./dry-run.tsx')).DryRun)

  return (
    <>
      <RecordList
        {...list.table}
        {...bulk}
        screen={routingList}
        description="Routes outbound calls to carriers. The first route that matches the number applies."
        nouns={nouns}
        view={list.view}
        action={
          <>
            <Button icon={<PhoneOutgoing size={16} aria-hidden="true" />} busy={dryRun.isLoading} onClick={dryRun.open}>
              Try a number
            </Button>
            {explains && (
              <ScreenLink to={inboundExplainer} className={buttonClass('secondary')}>
                <PhoneIncoming size={16} aria-hidden="true" />
                Test inbound routing
              </ScreenLink>
            )}
          </>
        }
        search={{ label: 'Filter outbound routings', ...list.filter }}
        filters={<AccountListFilter label="Used by" address={list.address} />}
        more={<ExportMenu endpoint="GET /Lcrs" input={{}} rows={() => list.view.rows} table="outbound-routings" />}
        add={{ to: addRouting, label: 'Add outbound call routes', denied: viewOnly }}
        row={routingLink}
        deletionDenied={viewOnly}
        renderDeletion={(lcr, onClose) => (
          <DeleteRouting lcr={lcr} done={(name) => `Deleted outbound call route ${name}`} onClose={onClose} />
        )}
        empty={{
          title: 'No outbound call routes.',
          hint: 'Without routes, outbound calls use a random active carrier of the account or the service provider.',
        }}
      />
      {dryRun.Part && <dryRun.Part onClose={dryRun.close} />}
    </>
  )
}
