import type { Client } from '@patchbay/contract/clients'
import { api } from '../../api/client.ts'
import { DeleteDialog, type DeleteDialogHandlers } from '../../record/delete-dialog.tsx'

interface DeleteClientProps extends DeleteDialogHandlers {
  client: Pick<Client, 'client_sid' | 'username'>
}

/** Confirmation dialog that deletes a SIP client. */
export const DeleteClient = ({ client: { client_sid, username }, ...handlers }: DeleteClientProps) => (
  <DeleteDialog
    {...handlers}
    noun="SIP client"
    name={username ?? ''}
    remove={() => api('DELETE /Clients/:client_sid', { params: { client_sid } })}
    done="Client deleted successfully"
    changes={[['clients']]}
  >
    will be deleted. Devices that use it can no longer register or call. This cannot be undone.
  </DeleteDialog>
)
