import type { Lcr } from '@patchbay/contract/lcrs'
import { api } from '../../api/client.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { routingName } from './list-filters.ts'

interface DeleteRoutingProps {
  lcr: Lcr
  onClose: () => void
  /** Returns the success message. */
  done: (name: string) => string
  /** Called instead of `onClose` after the routing has been deleted. */
  onDeleted?: () => Promise<void>
}

/** Confirmation dialog that deletes an outbound routing and its routes. */
export const DeleteRouting = ({ lcr, onClose, done, onDeleted }: DeleteRoutingProps) => {
  const { lcr_sid } = lcr
  const remove = useAction({
    run: () => api('DELETE /Lcrs/:lcr_sid', { params: { lcr_sid } }),
    done: () => done(routingName(lcr)),
    changes: [['lcrs']],
    after: onDeleted ?? onClose,
  })
  return (
    <ConfirmAction
      action={remove}
      title="Delete outbound call routing?"
      confirmLabel="Delete routing"
      danger
      onCancel={onClose}
    >
      <p>
        <strong>
          <bdi>{routingName(lcr)}</bdi>
        </strong>{' '}
        will be deleted with its routes, the default one too. Calls then go out as if it had never been. This cannot be
        undone.
      </p>
    </ConfirmAction>
  )
}
