import type { AlertDestination } from '@patchbay/contract/alert-destinations'
import { api } from '../../api/client.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { useAction } from '../../feedback/use-action.ts'

interface DeleteDestinationProps {
  destination: Pick<AlertDestination, 'alert_destination_sid' | 'name'>
  onClose: () => void
  /** Called after the deletion, in place of `onClose`. */
  onDeleted?: () => Promise<void>
}

/** Confirmation dialog that deletes an alert destination. */
export const DeleteDestination = ({ destination, onClose, onDeleted }: DeleteDestinationProps) => {
  const { alert_destination_sid, name } = destination
  const remove = useAction({
    run: () => api('DELETE /patchbay/alert-destinations/:alert_destination_sid', { params: { alert_destination_sid } }),
    done: () => `Deleted alert destination ${name}`,
    changes: [['alert-destinations']],
    after: onDeleted ?? onClose,
  })
  return (
    <ConfirmAction
      action={remove}
      title="Delete alert destination?"
      confirmLabel="Delete destination"
      danger
      onCancel={onClose}
    >
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        will be deleted with the log of what was sent there. Alerts that wait for it are not sent. This cannot be
        undone.
      </p>
    </ConfirmAction>
  )
}
