import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { anySid, created, name } from './api/values.ts'
import { msTeamsTenantLengths as lengths } from './ms-teams-tenants/record.ts'

/** Microsoft Teams tenants (docs/reference/platform-api/numbers-and-clients.md#microsoft-teams-tenants). */

export const msTeamsTenant = z.object({
  ms_teams_tenant_sid: z.string(),
  service_provider_sid: z.string(),
  account_sid: z.string(),
  application_sid: z.string().nullable(),
  tenant_fqdn: z.string(),
})
export type MsTeamsTenant = z.infer<typeof msTeamsTenant>

const tenantSids = { service_provider_sid: anySid, account_sid: anySid }
const application_sid = anySid.nullish()
const tenant_fqdn = name(lengths.tenant_fqdn)

export const newMsTeamsTenant = z.strictObject({ ...tenantSids, tenant_fqdn, application_sid })
export type NewMsTeamsTenant = z.output<typeof newMsTeamsTenant>

export const msTeamsTenantChange = newMsTeamsTenant.partial()
export type MsTeamsTenantChange = z.output<typeof msTeamsTenantChange>

const ofOwner = {
  access: { minScope: 'account', owner: { of: 'ms_teams_tenant' }, errorCode: 'not_found' },
  lenientSids: true,
} as const

export const msTeamsTenantEndpoints = endpoints({
  'GET /MicrosoftTeamsTenants': {
    summary: 'List the Microsoft Teams tenants that the caller can access',
    access: { minScope: 'account', owner: 'narrowed' },
    responses: { 200: z.array(msTeamsTenant) },
  },
  'GET /patchbay/ms-teams-tenants/applications': {
    summary: 'List the names of the applications of the tenants that the caller can access',
    access: { minScope: 'account', owner: 'narrowed' },
    responses: { 200: z.array(z.object({ application_sid: z.string(), name: z.string() })) },
  },
  'POST /MicrosoftTeamsTenants': {
    summary: 'Create a Microsoft Teams tenant of an account; its domain is unique',
    access: { minScope: 'account', owner: 'body' },
    body: newMsTeamsTenant,
    responses: { 201: created },
  },
  'GET /MicrosoftTeamsTenants/:ms_teams_tenant_sid': {
    summary: 'Get a Microsoft Teams tenant',
    ...ofOwner,
    responses: { 200: msTeamsTenant },
  },
  'PUT /MicrosoftTeamsTenants/:ms_teams_tenant_sid': {
    summary: 'Update a Microsoft Teams tenant',
    ...ofOwner,
    updates: { record: 'GET /MicrosoftTeamsTenants/:ms_teams_tenant_sid' },
    body: msTeamsTenantChange,
    responses: { 204: null },
  },
  'DELETE /MicrosoftTeamsTenants/:ms_teams_tenant_sid': {
    summary: 'Delete a Microsoft Teams tenant',
    ...ofOwner,
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const msTeamsTenantDescriptions: Descriptions = {
  tenant_fqdn: 'Domain name of the tenant in Microsoft Teams.',
}
