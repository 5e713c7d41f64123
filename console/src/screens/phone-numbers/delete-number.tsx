import type { PhoneNumber } from '@patchbay/contract/phone-numbers'
import { api } from '../../api/client.ts'
import { DeleteDialog, type DeleteDialogHandlers } from '../../record/delete-dialog.tsx'

interface DeleteNumberProps extends DeleteDialogHandlers {
  number: Pick<PhoneNumber, 'phone_number_sid' | 'number'>
}

/** Confirmation dialog that deletes a phone number. No other record can refer to it. */
export const DeleteNumber = ({ number: { phone_number_sid, number }, ...handlers }: DeleteNumberProps) => (
  <DeleteDialog
    {...handlers}
    noun="phone number"
    name={number}
    remove={() => api('DELETE /PhoneNumbers/:phone_number_sid', { params: { phone_number_sid } })}
    done={`Deleted phone number ${number}`}
    changes={[['phone-numbers']]}
  >
    will be deleted. Calls to it no longer reach its application. This cannot be undone.
  </DeleteDialog>
)
