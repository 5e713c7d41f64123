import type { MsTeamsTenant } from '@patchbay/contract/ms-teams-tenants'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { editTeamsTenant } from '../../routes/ms-teams-tenants.ts'
import { type FindRecords, recordLink } from '../../routes/record-link.ts'

export const teamsTenantsQuery = queryOptions({
  queryKey: ['ms-teams-tenants'],
  queryFn: (context) => api('GET /MicrosoftTeamsTenants', {}, queryCallOptions(context)),
})

export const teamsTenantQuery = (ms_teams_tenant_sid: string) =>
  queryOptions({
    queryKey: ['ms-teams-tenant', ms_teams_tenant_sid],
    queryFn: (context) =>
      api(
        'GET /MicrosoftTeamsTenants/:ms_teams_tenant_sid',
        { params: { ms_teams_tenant_sid } },
        queryCallOptions(context),
      ),
  })

/** Names of the applications that answer calls from Teams, by SID. */
export const applicationNamesQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: ['ms-teams-tenants', 'application-names', service_provider_sid],
    queryFn: async (context): Promise<ReadonlyMap<string, string>> => {
      const applications = await api('GET /patchbay/ms-teams-tenants/applications', {}, queryCallOptions(context))
      return new Map(applications.map(({ application_sid, name }) => [application_sid, name]))
    },
  })

export const teamsTenantLink = recordLink(editTeamsTenant, ({ tenant_fqdn }: MsTeamsTenant) => tenant_fqdn)

/** Returns the tenants of a service provider for the command palette. */
export const findRecords: FindRecords = async ({ toFoundRecords, readOfAccounts }) =>
  toFoundRecords(teamsTenantLink, await readOfAccounts(teamsTenantsQuery))
