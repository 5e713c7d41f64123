import { can } from '@patchbay/contract/access'
import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { ApiError } from '../../api/api-error.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { InUseDialog, isUsed, UseLookUpFailed, unknownUse } from '../../record/dependents-dialog.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { requiredSession } from '../../session/session.ts'
import { carrierKinds } from './dependents.tsx'
import { type CarrierUses, carrierUsesQuery } from './used-by.ts'

interface DeleteCarrierProps {
  carrier: VoipCarrier
  onClose: () => void
  /** Called instead of `onClose` after the carrier has been deleted. */
  onDeleted?: () => Promise<void>
}

const blockedText = ({ phone_numbers, lcrs }: CarrierUses): string =>
  `In order to delete the carrier it cannot be in use by any Phone Numbers (${phone_numbers.total}) or Outbound call Routings (${lcrs.total}).`

/**
 * Dialog that lists what still uses the carrier, or, if nothing does, deletes it with its gateways after a
 * confirmation.
 */
export const DeleteCarrier = ({ carrier, onClose, onDeleted }: DeleteCarrierProps) => {
  const { voip_carrier_sid, name } = carrier
  const lookUp = useQuery(carrierUsesQuery(voip_carrier_sid))
  const remove = useAction({
    run: async () => {
      // Another user may have signed in from another tab since the list was read.
      if (!can(requiredSession().actor, 'read', carrier))
        throw new ApiError('refused', 403, 'You do not have permissions to delete this Carrier')
      await api('DELETE /VoipCarriers/:voip_carrier_sid', { params: { voip_carrier_sid } })
    },
    done: () => `Deleted Carrier ${name}`,
    changes: [['carriers']],
    after: () => (onDeleted ?? onClose)(),
  })
  const kinds = lookUp.data && carrierKinds(lookUp.data, onClose)
  if (lookUp.data && kinds && isUsed(kinds) && !remove.isPending)
    return (
      <InUseDialog what="carrier" kinds={kinds} onClose={onClose}>
        <p>
          <strong>
            <bdi>{name}</bdi>
          </strong>{' '}
          cannot be deleted. {blockedText(lookUp.data)}
        </p>
      </InUseDialog>
    )
  return (
    <ConfirmAction
      action={remove}
      title="Delete carrier?"
      confirmLabel="Delete carrier"
      danger
      confirmDisabledReason={kinds === undefined ? unknownUse('carrier') : undefined}
      onCancel={onClose}
    >
      <p aria-live="polite">
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        will be deleted, and with it its SIP and SMPP gateways.{' '}
        {lookUp.isPending ? 'What still uses it is being looked up…' : 'This cannot be undone.'}
      </p>
      <UseLookUpFailed what="carrier" lookUp={lookUp} />
    </ConfirmAction>
  )
}
