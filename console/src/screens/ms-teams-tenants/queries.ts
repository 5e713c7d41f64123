import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { runtime } from '../../api/configuration.ts'
import { reading } from '../../api/queries.ts'

export const teamsTenantsQuery = queryOptions({
  queryKey: ['ms-teams-tenants'],
  queryFn: (context) => call('GET /MicrosoftTeamsTenants', {}, reading(context)),
})

export const teamsTenantQuery = (ms_teams_tenant_sid: string) =>
  queryOptions({
    queryKey: ['ms-teams-tenant', ms_teams_tenant_sid],
    queryFn: (context) =>
      call('GET /MicrosoftTeamsTenants/:ms_teams_tenant_sid', { params: { ms_teams_tenant_sid } }, reading(context)),
  })

/** What the applications are called that answer tenants. The platform's own server is asked for all there are. */
export const applicationNamesQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: ['ms-teams-tenants', 'application-names', service_provider_sid],
    queryFn: async (context): Promise<ReadonlyMap<string, string>> => {
      const applications = runtime().extensions.has('ms-teams-applications')
        ? await call('GET /patchbay/ms-teams-tenants/applications', {}, reading(context))
        : await call(
            'GET /ServiceProviders/:service_provider_sid/Applications',
            { params: { service_provider_sid } },
            reading(context),
          )
      return new Map(applications.map(({ application_sid, name }) => [application_sid, name]))
    },
  })
