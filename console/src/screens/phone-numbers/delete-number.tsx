import type { PhoneNumber } from '@patchbay/contract/phone-numbers'
import { api } from '../../api/client.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { useAction } from '../../feedback/use-action.ts'

interface DeleteNumberProps {
  number: Pick<PhoneNumber, 'phone_number_sid' | 'number'>
  onClose: () => void
  /** Called instead of `onClose` after the number has been deleted. */
  onDeleted?: () => Promise<void>
}

/** Confirmation dialog that deletes a phone number. No other record can refer to it. */
export const DeleteNumber = ({ number: { phone_number_sid, number }, onClose, onDeleted }: DeleteNumberProps) => {
  const remove = useAction({
    run: () => api('DELETE /PhoneNumbers/:phone_number_sid', { params: { phone_number_sid } }),
    done: () => `Deleted phone number ${number}`,
    changes: [['phone-numbers']],
    after: onDeleted ?? onClose,
  })
  return (
    <ConfirmAction
      action={remove}
      title="Delete phone number?"
      confirmLabel="Delete phone number"
      danger
      onCancel={onClose}
    >
      <p>
        <strong>
          <bdi>{number}</bdi>
        </strong>{' '}
        will be deleted. Calls to it are no longer led to its application. This cannot be undone.
      </p>
    </ConfirmAction>
  )
}
