import { filterToProvider } from '../../record/use-accounts-in-scope.ts'
import type { FoundRecord } from '../../routes/define-screen.ts'
import { teamsTenantsQuery } from './queries.ts'
import { editTeamsTenant } from '../../routes/ms-teams-tenants.ts'

export const read = async (service_provider_sid: string): Promise<readonly FoundRecord[]> => {
  const tenants = await filterToProvider(service_provider_sid, teamsTenantsQuery)
  return tenants.map(({ tenant_fqdn, ms_teams_tenant_sid }) => ({
    label: tenant_fqdn,
    sid: ms_teams_tenant_sid,
    link: { to: editTeamsTenant.path, params: { ms_teams_tenant_sid } },
  }))
}
