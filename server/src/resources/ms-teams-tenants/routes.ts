import { refuse } from '@patchbay/contract/errors'
import type { msTeamsTenantEndpoints } from '@patchbay/contract/ms-teams-tenants'
import { ok } from '../../http/answers.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Services } from '../../services.ts'
import { createMsTeamsTenantStore } from './store.ts'

export const msTeamsTenantRoutes = ({ database }: Services): Handlers<keyof typeof msTeamsTenantEndpoints> => {
  const tenants = createMsTeamsTenantStore(database)
  return {
    'GET /MicrosoftTeamsTenants': async ({ actor }) => ok(await tenants.list(actor)),

    'GET /MicrosoftTeamsTenants/:ms_teams_tenant_sid': async ({ params }) =>
      ok((await tenants.read(params.ms_teams_tenant_sid)) ?? refuse('not_found')),
  }
}
