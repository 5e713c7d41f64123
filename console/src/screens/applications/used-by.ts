import type { ApplicationUses } from '@patchbay/contract/applications'
import { maxNamed } from '@patchbay/contract/lists/usage-limits'
import type { Uses } from '@patchbay/contract/used-by'
import { queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { queryCallOptions } from '../../api/queries.ts'

/** The records that block the deletion of an application, as far as the server can report them. */
export type KnownUses = Partial<ApplicationUses>

const toUses = <Row>(rows: readonly Row[], toEntry: (row: Row) => { sid: string; name: string }): Uses => ({
  total: rows.length,
  first: rows.slice(0, maxNamed).map(toEntry),
})

/**
 * Finds the accounts and Microsoft Teams tenants that use an application, for servers without the used-by endpoint. The
 * deletion fails there with a clear message only if phone numbers use the application
 * (docs/reference/platform-api/applications.md#delete-an-application).
 */
const findUses = async (application_sid: string, options: CallOptions): Promise<KnownUses> => {
  const [accounts, tenants] = await Promise.all([
    api('GET /Accounts', {}, options),
    api('GET /MicrosoftTeamsTenants', {}, options),
  ])
  const accountsBy = (role: 'device_calling_application_sid' | 'siprec_hook_sid') =>
    toUses(
      accounts.filter(({ [role]: used }) => used === application_sid),
      ({ account_sid, name }) => ({ sid: account_sid, name }),
    )
  return {
    device_calling_accounts: accountsBy('device_calling_application_sid'),
    siprec_accounts: accountsBy('siprec_hook_sid'),
    ms_teams_tenants: toUses(
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
        : findUses(application_sid, queryCallOptions(context)),
    // Uses are never cached: other users can add or remove them at any time.
    staleTime: 0,
    gcTime: 0,
  })
