import type { ApplicationUses } from '@patchbay/contract/applications'
import { maxNamed } from '@patchbay/contract/lists/usage-limits'
import type { Uses } from '@patchbay/contract/used-by'
import { queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { queryCallOptions } from '../../api/queries.ts'

/** What must be gone before an application can be deleted: all that is known of it. */
export type KnownUses = Partial<ApplicationUses>

const named = <Row>(rows: readonly Row[], nameOf: (row: Row) => { sid: string; name: string }): Uses => ({
  total: rows.length,
  first: rows.slice(0, maxNamed).map(nameOf),
})

/** Of a server that does not look it up: what it does not refuse in words itself (api/1-identity.md §11.8). */
const readFromWire = async (application_sid: string, options: CallOptions): Promise<KnownUses> => {
  const [accounts, tenants] = await Promise.all([
    api('GET /Accounts', {}, options),
    api('GET /MicrosoftTeamsTenants', {}, options),
  ])
  const accountsBy = (role: 'device_calling_application_sid' | 'siprec_hook_sid') =>
    named(
      accounts.filter(({ [role]: used }) => used === application_sid),
      ({ account_sid, name }) => ({ sid: account_sid, name }),
    )
  return {
    device_calling_accounts: accountsBy('device_calling_application_sid'),
    siprec_accounts: accountsBy('siprec_hook_sid'),
    ms_teams_tenants: named(
      tenants.filter((tenant) => tenant.application_sid === application_sid),
      ({ ms_teams_tenant_sid, tenant_fqdn }) => ({ sid: ms_teams_tenant_sid, name: tenant_fqdn }),
    ),
  }
}

export const applicationUsesQuery = (application_sid: string) =>
  queryOptions({
    queryKey: ['application-uses', application_sid],
    queryFn: async (context): Promise<KnownUses> =>
      config().extensions.has('application-blockers')
        ? api(
            'GET /patchbay/applications/:application_sid/used-by',
            { params: { application_sid } },
            queryCallOptions(context),
          )
        : readFromWire(application_sid, queryCallOptions(context)),
    // What stands in the way is looked up when it is asked for.
    staleTime: 0,
    gcTime: 0,
  })
