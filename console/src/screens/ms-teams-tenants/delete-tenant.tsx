import type { MsTeamsTenant } from '@patchbay/contract/ms-teams-tenants'
import { api } from '../../api/client.ts'
import { DeleteDialog, type DeleteDialogHandlers } from '../../record/delete-dialog.tsx'

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
    will be deleted: calls between it and the platform are refused from then on. This cannot be undone.
  </DeleteDialog>
)
