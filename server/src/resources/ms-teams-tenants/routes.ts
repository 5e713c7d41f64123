import type { msTeamsTenantEndpoints } from '@patchbay/contract/ms-teams-tenants'
import type { Handlers } from '../../http/contract-router.ts'
import { createdSid, ok, okOrNotFound } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { changeMsTeamsTenant, createMsTeamsTenant, createMsTeamsTenantStore, deleteMsTeamsTenant } from './store.ts'

export const msTeamsTenantRoutes = ({ database, write }: Services): Handlers<keyof typeof msTeamsTenantEndpoints> => {
  const tenants = createMsTeamsTenantStore(database)
  return {
    'GET /MicrosoftTeamsTenants': async ({ actor }) => ok(await tenants.list(actor)),

    'GET /patchbay/ms-teams-tenants/applications': async ({ actor }) => ok(await tenants.applications(actor)),

    'POST /MicrosoftTeamsTenants': ({ actor, body }) =>
      createdSid(write(actor, (tx) => createMsTeamsTenant(tx, actor, body))),

    'GET /MicrosoftTeamsTenants/:ms_teams_tenant_sid': ({ params }) =>
      okOrNotFound(tenants.read(params.ms_teams_tenant_sid)),

    'PUT /MicrosoftTeamsTenants/:ms_teams_tenant_sid': ({ actor, params, body }) =>
      write(actor, (tx) => changeMsTeamsTenant(tx, actor, params.ms_teams_tenant_sid, body)),

    'DELETE /MicrosoftTeamsTenants/:ms_teams_tenant_sid': ({ actor, params }) =>
      write(actor, (tx) => deleteMsTeamsTenant(tx, actor, params.ms_teams_tenant_sid)),
  }
}
