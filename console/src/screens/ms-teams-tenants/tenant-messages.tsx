import { isAtLeast } from '@patchbay/contract/api/access'
import type { MsTeamsTenant } from '@patchbay/contract/ms-teams-tenants'
import type { ServiceProvider } from '@patchbay/contract/service-providers'
import { api } from '../../api/client.ts'
import { DeleteDialog, type DeleteDialogHandlers } from '../../record/delete-dialog.tsx'
import { settings } from '../../routes/settings.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { requiredSession } from '../../session/session.ts'

/** Messages that the list shows, and one of the forms. */

/** Warns that the provider has no domain for calls from Microsoft Teams, and links to the page where it is set. */
export const NoDomain = ({ provider }: { provider: ServiceProvider }) => (
  <>
    <bdi>{provider.name}</bdi> has no domain name for Microsoft Teams and receives no calls from it.{' '}
    {isAtLeast(requiredSession().actor.scope, 'service_provider') ? (
      <ScreenLink to={settings} search={{ tab: 'provider' }}>
        Set it in Settings
      </ScreenLink>
    ) : (
      'Your service provider sets it.'
    )}
  </>
)

interface DeleteTenantProps extends DeleteDialogHandlers {
  tenant: Pick<MsTeamsTenant, 'ms_teams_tenant_sid' | 'tenant_fqdn'>
}

/** Confirmation dialog that deletes a Teams tenant. */
export const DeleteTenant = ({ tenant: { ms_teams_tenant_sid, tenant_fqdn }, ...handlers }: DeleteTenantProps) => (
  <DeleteDialog
    {...handlers}
    noun="Microsoft Teams tenant"
    confirmLabel="Delete tenant"
    name={tenant_fqdn}
    remove={() => api('DELETE /MicrosoftTeamsTenants/:ms_teams_tenant_sid', { params: { ms_teams_tenant_sid } })}
    done={`Deleted Microsoft Teams Tenant ${tenant_fqdn}`}
    changes={[['ms-teams-tenants']]}
  >
    will be deleted. Calls of the tenant are rejected from then on. This cannot be undone.
  </DeleteDialog>
)
