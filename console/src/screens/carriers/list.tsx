import { isAtLeast } from '@patchbay/contract/api/access'
import { defaultPageSize } from '@patchbay/contract/lists/paging'
import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { errorMessage } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { pageIn } from '../../api/list-page.ts'
import { queryClient } from '../../api/query-client.ts'
import { accountsQuery, escapeLike } from '../../api/shared-queries.ts'
import { useErrorToast } from '../../feedback/use-action.ts'
import { likelyProvider, prefetchWithin } from '../../lazy/prefetch.ts'
import { AccountListFilter, likelyAccount } from '../../list/account-filter.tsx'
import { AttentionFilter } from '../../list/attention-filter.tsx'
import { useBulk } from '../../list/bulk/use-bulk.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { nameColumn, RecordList } from '../../list/record-list.tsx'
import { useListSearch } from '../../list/use-list-search.ts'
import { useServerList } from '../../list/use-server-list.ts'
import { clearingAccount } from '../../routes/account-search-params.ts'
import { addCarrier, type CarrierSearch, carrierList, connectCarrier } from '../../routes/carriers.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { hasCarrierHealth } from '../../sections/carrier-health/queries.ts'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import type { Nouns } from '../../ui/format/text.ts'
import { Tooltip } from '../../ui/overlay/tooltip.tsx'
import { RemovableFilter } from '../../ui/table/removable-filter.tsx'
import type { TableColumn } from '../../ui/table/table-props.ts'
import { ActiveState, changeDeniedReason, RegistrationState } from './carrier-state.tsx'
import styles from './carriers.module.css'
import { DeleteCarrier } from './delete-carrier.lazy.ts'
import { CarrierHealthState } from './health/carrier-health.tsx'
import { type CarrierQuery, carrierLink, carriersQuery, gatewayCountsQuery } from './queries.ts'

const toFilter = ({ account, filter, attention, owned }: CarrierSearch): CarrierQuery => ({
  name: filter && escapeLike(filter),
  account_sid: account,
  attention,
  owned: account === undefined ? undefined : owned,
})

const toQuery = (search: CarrierSearch): CarrierQuery => ({
  ...toFilter(search),
  page: String(search.page ?? 1),
  page_size: String(search.size ?? defaultPageSize),
})

const nouns: Nouns = ['carrier', 'carriers']

const unfiltered = { account: undefined, filter: undefined, attention: undefined, owned: undefined }

const getSids = (carriers: readonly VoipCarrier[] | undefined) => carriers?.map(carrierLink.rowKey) ?? []

/** Shows the numbers of inbound and outbound gateways of a carrier. */
const Gateways = ({ sids, sid }: { sids: readonly string[]; sid: string }) => {
  const counts = useQuery(gatewayCountsQuery(sids))
  const count = counts.data?.get(sid)
  if (counts.error && !count)
    return (
      <Tooltip text={errorMessage(counts.error)}>
        {(tipId) => (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its tip must be reachable by keyboard
          <span tabIndex={0} aria-describedby={tipId}>
            Gateways error
          </span>
        )}
      </Tooltip>
    )
  if (!count) return <span className={styles['none']}>Checking gateways…</span>
  const renderCount = (number: number, direction: string) => (
    <span className={number === 0 ? styles['none'] : undefined}>{`${number} ${direction}`}</span>
  )
  return (
    <span className={styles['counts']}>
      {renderCount(count.inbound, 'inbound')}
      {renderCount(count.outbound, 'outbound')}
    </span>
  )
}

const columnsFor = (
  sids: readonly string[],
  renderAccountName: (account_sid: string | null) => ReactNode,
): readonly TableColumn<VoipCarrier>[] => [
  nameColumn(carrierLink, { share: 15 }),
  {
    id: 'account',
    header: 'Used by',
    share: 13,
    priority: 4,
    card: 'end',
    cell: ({ account_sid }) => renderAccountName(account_sid),
  },
  {
    id: 'state',
    header: 'State',
    share: 7,
    nowrap: true,
    card: 'state',
    cell: (carrier) => <ActiveState is_active={carrier.is_active} />,
  },
  {
    id: 'registration',
    header: 'Registration',
    share: 12,
    nowrap: true,
    priority: 2,
    cell: (carrier) => <RegistrationState carrier={carrier} sids={sids} />,
  },
  ...(hasCarrierHealth()
    ? [
        {
          id: 'health',
          header: 'Health',
          share: 12,
          nowrap: true,
          card: 'detail' as const,
          cell: ({ voip_carrier_sid }: VoipCarrier) => <CarrierHealthState sids={sids} sid={voip_carrier_sid} />,
        },
      ]
    : []),
  {
    id: 'gateways',
    header: 'SIP gateways',
    share: 13,
    nowrap: true,
    priority: 3,
    cell: ({ voip_carrier_sid }) => <Gateways sids={sids} sid={voip_carrier_sid} />,
  },
]

/** Prefetches the accounts and the carriers, and then the gateway counts of those carriers. */
export const loader = ({ search }: { search: CarrierSearch }): Promise<unknown> =>
  prefetchWithin(async () => {
    const { accounts } = likelyAccount(search.account)
    const carriers = async () => {
      const query = carriersQuery(await likelyProvider(), toQuery(search))
      const { data } = await queryClient.ensureQueryData(query)
      if (data.length > 0) await queryClient.ensureQueryData(gatewayCountsQuery(getSids(data)))
    }
    await Promise.all([accounts, carriers()])
  })

/** Lists the carriers of the current service provider, or those that the account can use. */
export const CarriersPage = (): ReactNode => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const chooses = isAtLeast(actor.scope, 'service_provider')
  const address = useListSearch(carrierList)
  const { search } = address
  const query = toQuery(search)
  const carriers = useQuery(carriersQuery(service_provider_sid, query))
  useErrorToast(carriers.error)
  const question = [service_provider_sid, query]
  const list = useServerList({ address, query: carriers, question, rowKey: carrierLink.rowKey, unfiltered })
  const accounts = useQuery({ ...accountsQuery(service_provider_sid), enabled: chooses }).data
  const denied = changeDeniedReason(actor)

  const pageRows = carriers.data?.data
  const columns = useMemo(() => {
    const names = new Map(accounts?.map(({ account_sid, name }) => [account_sid, name]))
    return columnsFor(getSids(pageRows), (account_sid) => {
      if (account_sid === null) return 'All accounts'
      return chooses ? <bdi>{names.get(account_sid)}</bdi> : 'This account'
    })
  }, [accounts, pageRows, chooses])

  const bulk = useBulk({
    kind: 'voip_carrier',
    nouns,
    view: list.view,
    pagedFilters: [service_provider_sid, toFilter(search)],
    columns,
    denied,
    link: carrierLink,
    changes: [['carriers'], ['gateway-counts'], ['carrier']],
  })

  return (
    <>
      <RecordList
        {...bulk}
        screen={carrierList}
        description="SIP and SMPP trunks: gateways, authentication, and registration."
        nouns={nouns}
        view={clearingAccount(list.view)}
        rowKey={carrierLink.rowKey}
        search={{ label: 'Filter carriers', ...list.filter }}
        filters={
          <>
            {chooses && <AccountListFilter label="Used by" address={address} />}
            {search.account !== undefined && search.owned && (
              <RemovableFilter
                label="Owner"
                value="the account"
                onRemove={() => address.change({ owned: undefined })}
              />
            )}
            <AttentionFilter kind={search.attention} onRemove={() => address.change({ attention: undefined })} />
          </>
        }
        more={
          <ExportMenu
            endpoint="GET /ServiceProviders/:service_provider_sid/VoipCarriers"
            input={{ params: { service_provider_sid }, query }}
            rows={async () =>
              pageIn(
                await api('GET /ServiceProviders/:service_provider_sid/VoipCarriers', {
                  params: { service_provider_sid },
                  query: toFilter(search),
                }),
              ).data
            }
            table="carriers"
          />
        }
        add={{ to: addCarrier, label: 'Add carrier', denied: denied }}
        row={carrierLink}
        deletionDenied={denied}
        renderDeletion={(carrier, onClose) => <DeleteCarrier carrier={carrier} onClose={onClose} />}
        empty={{
          title: 'No Carriers.',
          hint: (
            <>
              A carrier is a SIP trunk for inbound and outbound calls. Add one to start
              {denied === undefined && (
                <>
                  , or <ScreenLink to={connectCarrier}>set it up step by step</ScreenLink>
                </>
              )}
              .
            </>
          ),
        }}
      />
    </>
  )
}
