import type { MsTeamsTenant } from '@patchbay/contract/ms-teams-tenants'
import { api } from '../../api/client.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { useAction } from '../../feedback/use-action.ts'

interface DeleteTenantProps {
  tenant: Pick<MsTeamsTenant, 'ms_teams_tenant_sid' | 'tenant_fqdn'>
  onClose: () => void
  /** Called instead of `onClose` after the tenant has been deleted. */
  onDeleted?: () => Promise<void>
}

/** Confirmation dialog that deletes a Teams tenant. */
export const DeleteTenant = ({ tenant, onClose, onDeleted }: DeleteTenantProps) => {
  const { ms_teams_tenant_sid, tenant_fqdn } = tenant
  const remove = useAction({
    run: () => api('DELETE /MicrosoftTeamsTenants/:ms_teams_tenant_sid', { params: { ms_teams_tenant_sid } }),
    done: () => `Deleted Microsoft Teams Tenant ${tenant_fqdn}`,
    changes: [['ms-teams-tenants']],
    after: onDeleted ?? onClose,
  })
  return (
    <ConfirmAction
      action={remove}
      title="Delete Microsoft Teams tenant?"
      confirmLabel="Delete tenant"
      danger
      onCancel={onClose}
    >
      <p>
        <strong>
          <bdi>{tenant_fqdn}</bdi>
        </strong>{' '}
        will be deleted: calls between it and the platform are refused from then on. This cannot be undone.
      </p>
    </ConfirmAction>
  )
}
