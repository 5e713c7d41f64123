import type { Client } from '@patchbay/contract/clients'
import { api } from '../../api/client.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { useAction } from '../../feedback/use-action.ts'

interface DeleteClientProps {
  client: Pick<Client, 'client_sid' | 'username'>
  onClose: () => void
  /** Called instead of `onClose` after the client has been deleted. */
  onDeleted?: () => Promise<void>
}

/** Confirmation dialog that deletes a SIP client. */
export const DeleteClient = ({ client: { client_sid, username }, onClose, onDeleted }: DeleteClientProps) => {
  const remove = useAction({
    run: () => api('DELETE /Clients/:client_sid', { params: { client_sid } }),
    done: () => 'Client deleted successfully',
    changes: [['clients']],
    after: onDeleted ?? onClose,
  })
  return (
    <ConfirmAction
      action={remove}
      title="Delete SIP client?"
      confirmLabel="Delete SIP client"
      danger
      onCancel={onClose}
    >
      <p>
        <strong>
          <bdi>{username}</bdi>
        </strong>{' '}
        will be deleted: a device that uses it can no longer register or call. This cannot be undone.
      </p>
    </ConfirmAction>
  )
}
