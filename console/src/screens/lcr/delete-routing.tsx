import type { Lcr } from '@patchbay/contract/lcrs'
import { api } from '../../api/client.ts'
import { DeleteDialog, type DeleteDialogHandlers } from '../../record/delete-dialog.tsx'
import { routingName } from './list-filters.ts'

interface DeleteRoutingProps extends DeleteDialogHandlers {
  lcr: Lcr
  /** Returns the success message. */
  done: (name: string) => string
}

/** Confirmation dialog that deletes an outbound routing and its routes. */
export const DeleteRouting = ({ lcr, done, ...handlers }: DeleteRoutingProps) => (
  <DeleteDialog
    {...handlers}
    noun="outbound call routing"
    confirmLabel="Delete routing"
    name={routingName(lcr)}
    remove={() => api('DELETE /Lcrs/:lcr_sid', { params: { lcr_sid: lcr.lcr_sid } })}
    done={done(routingName(lcr))}
    changes={[['lcrs']]}
  >
    will be deleted with all its routes, including the default route. Outbound calls no longer use it. This cannot be
    undone.
  </DeleteDialog>
)
