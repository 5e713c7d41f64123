import type { AlertDestination } from '@patchbay/contract/alert-destinations'
import { api } from '../../api/client.ts'
import { DeleteDialog, type DeleteDialogHandlers } from '../../record/delete-dialog.tsx'

interface DeleteDestinationProps extends DeleteDialogHandlers {
  destination: Pick<AlertDestination, 'alert_destination_sid' | 'name'>
}

/** Confirmation dialog that deletes an alert destination. */
export const DeleteDestination = ({ destination, ...handlers }: DeleteDestinationProps) => {
  const { alert_destination_sid, name } = destination
  return (
    <DeleteDialog
      {...handlers}
      noun="alert destination"
      confirmLabel="Delete destination"
      name={name}
      remove={() =>
        api('DELETE /patchbay/alert-destinations/:alert_destination_sid', { params: { alert_destination_sid } })
      }
      done={`Deleted alert destination ${name}`}
      changes={[['alert-destinations']]}
    >
      will be deleted with its delivery log. Waiting alerts are discarded. This cannot be undone.
    </DeleteDialog>
  )
}
