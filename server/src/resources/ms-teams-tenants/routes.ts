import { throwApiError } from '@patchbay/contract/errors'
import type { msTeamsTenantEndpoints } from '@patchbay/contract/ms-teams-tenants'
import { created, noContent, ok } from '../../http/responses.ts'
import type { Handlers } from '../../http/contract-router.ts'
import type { Services } from '../services.ts'
import { changeMsTeamsTenant, createMsTeamsTenant, createMsTeamsTenantStore, deleteMsTeamsTenant } from './store.ts'

export const msTeamsTenantRoutes = ({ database, write }: Services): Handlers<keyof typeof msTeamsTenantEndpoints> => {
  const tenants = createMsTeamsTenantStore(database)
  return {
    'GET /MicrosoftTeamsTenants': async ({ actor }) => ok(await tenants.list(actor)),

    'GET /patchbay/ms-teams-tenants/applications': async ({ actor }) => ok(await tenants.applications(actor)),

    'POST /MicrosoftTeamsTenants': async ({ actor, body }) =>
      created({ sid: await write(actor, (tx) => createMsTeamsTenant(tx, actor, body)) }),

    'GET /MicrosoftTeamsTenants/:ms_teams_tenant_sid': async ({ params }) =>
      ok((await tenants.read(params.ms_teams_tenant_sid)) ?? throwApiError('not_found')),

    'PUT /MicrosoftTeamsTenants/:ms_teams_tenant_sid': async ({ actor, params, body }) => {
      await write(actor, (tx) => changeMsTeamsTenant(tx, actor, params.ms_teams_tenant_sid, body))
      return noContent
    },

    'DELETE /MicrosoftTeamsTenants/:ms_teams_tenant_sid': async ({ actor, params }) => {
      await write(actor, (tx) => deleteMsTeamsTenant(tx, actor, params.ms_teams_tenant_sid))
      return noContent
    },
  }
}
