import { isAtLeast } from '@patchbay/contract/api/access'
import type { MsTeamsTenant } from '@patchbay/contract/ms-teams-tenants'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { AccountListFilter } from '../../list/account-filter.tsx'
import { useBulk } from '../../list/bulk/use-bulk.tsx'
import { accountColumn, applicationColumn } from '../../list/columns.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { nameColumn, RecordList } from '../../list/record-list.tsx'
import type { SortableColumn } from '../../list/sort-rows.ts'
import { useClientList } from '../../list/use-client-list.ts'
import { type AccountSummary, readKnownAccounts, useJoinAccounts } from '../../record/use-accounts-in-scope.ts'
import { accountFilters } from '../../routes/account-search-params.ts'
import { addTeamsTenant, teamsTenantList } from '../../routes/ms-teams-tenants.ts'
import { useProviderSid, useProviders } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import type { Nouns } from '../../ui/format/text.ts'
import { applicationNamesQuery, teamsTenantLink, teamsTenantsQuery } from './queries.ts'
import { DeleteTenant, NoDomain } from './tenant-messages.tsx'

interface TenantRow extends MsTeamsTenant {
  account: AccountSummary
  /** null while loading, and for tenants without an application. */
  application_name: string | null
}

const applicationText = ({ application_sid, application_name }: TenantRow): string | null =>
  application_sid === null ? 'None' : application_name

const domainColumn: SortableColumn<TenantRow> = nameColumn(teamsTenantLink, {
  id: 'domain',
  header: 'Domain name',
  share: 20,
})
const answeredBy: SortableColumn<TenantRow> = applicationColumn({ share: 14, sortBy: applicationText })
const columns = [domainColumn, accountColumn<TenantRow>({ share: 14 }), answeredBy]
const accountUserColumns = [domainColumn, answeredBy]

const getSearchFields = (tenant: TenantRow) => [tenant.tenant_fqdn, tenant.account.name, applicationText(tenant)]

/**
 * Joins the tenants with their accounts and the names of their applications. Waits for the names, which would move other
 * values of narrow cards.
 */
const useTenants = (service_provider_sid: string) => {
  const tenants = useJoinAccounts(useQuery(teamsTenantsQuery))
  const isAnswered = tenants.data?.some(({ application_sid }) => application_sid !== null) ?? false
  const { data: names, isLoading } = useQuery({ ...applicationNamesQuery(service_provider_sid), enabled: isAnswered })
  const { data } = tenants
  const rows = useMemo(
    () => data?.map((tenant) => ({ ...tenant, application_name: names?.get(tenant.application_sid ?? '') ?? null })),
    [data, names],
  )
  return { ...tenants, data: isLoading ? undefined : rows }
}

const Purpose = () => {
  const { current } = useProviders()
  return !current || current.ms_teams_fqdn ? (
    'Customers that use Microsoft Teams Direct Routing, each with its own domain.'
  ) : (
    <NoDomain provider={current} />
  )
}

const nouns: Nouns = ['tenant', 'tenants']

export const loader = (): Promise<unknown> =>
  prefetchWithin(() => Promise.all([queryClient.ensureQueryData(teamsTenantsQuery), readKnownAccounts()]))

/** Lists the Microsoft Teams tenants of all accounts of the current service provider. */
export const TeamsTenantsPage = (): ReactNode => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const chooses = isAtLeast(actor.scope, 'service_provider')
  const list = useClientList({
    screen: teamsTenantList,
    query: useTenants(service_provider_sid),
    question: service_provider_sid,
    columns: chooses ? columns : accountUserColumns,
    order: 'domain',
    rowKey: teamsTenantLink.rowKey,
    searchValues: getSearchFields,
    ...(chooses ? { filters: accountFilters } : {}),
  })
  const viewOnly = viewOnlyReason(actor)
  const bulk = useBulk({
    kind: 'ms_teams_tenant',
    nouns,
    view: list.view,
    columns: list.table.columns,
    denied: viewOnly,
    link: teamsTenantLink,
    changes: [['ms-teams-tenants'], ['ms-teams-tenant']],
  })

  const taken = () => (list.view.rows ?? []).map(({ account: _account, application_name: _name, ...tenant }) => tenant)

  return (
    <>
      <RecordList
        {...list.table}
        {...bulk}
        screen={teamsTenantList}
        description={<Purpose />}
        nouns={nouns}
        view={list.view}
        search={{ label: 'Filter MS Teams tenants', ...list.filter }}
        filters={chooses && <AccountListFilter address={list.address} />}
        more={<ExportMenu endpoint="GET /MicrosoftTeamsTenants" input={{}} rows={taken} table="ms-teams-tenants" />}
        add={{ to: addTeamsTenant, label: 'Add tenant', denied: viewOnly }}
        row={teamsTenantLink}
        deletionDenied={viewOnly}
        renderDeletion={(tenant, onClose) => <DeleteTenant tenant={tenant} onClose={onClose} />}
        empty={{
          title: 'No Microsoft Teams Tenant.',
          hint: 'A tenant connects the Microsoft Teams calls of a customer to an application. Add one to start.',
        }}
      />
    </>
  )
}
