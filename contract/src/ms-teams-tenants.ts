import { z } from 'zod'
import { endpoints } from './endpoint.ts'

/** Microsoft Teams tenants (api/2-telephony.md §8). */

export const msTeamsTenant = z.object({
  ms_teams_tenant_sid: z.string(),
  service_provider_sid: z.string(),
  account_sid: z.string(),
  application_sid: z.string().nullable(),
  tenant_fqdn: z.string(),
})
export type MsTeamsTenant = z.infer<typeof msTeamsTenant>

export const msTeamsTenantEndpoints = endpoints({
  'GET /MicrosoftTeamsTenants': {
    summary: 'The Microsoft Teams tenants the caller may see',
    access: { least: 'account', owner: 'narrowed' },
    answers: { 200: z.array(msTeamsTenant) },
  },
  'GET /MicrosoftTeamsTenants/:ms_teams_tenant_sid': {
    summary: 'One Microsoft Teams tenant',
    access: { least: 'account', owner: { of: 'ms_teams_tenant', param: 'ms_teams_tenant_sid' }, refusal: 'not_found' },
    looseSids: true,
    answers: { 200: msTeamsTenant },
  },
})
