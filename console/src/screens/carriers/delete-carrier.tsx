import { can } from '@patchbay/contract/api/access'
import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { useAction } from '../../feedback/use-action.ts'
import type { DeleteDialogHandlers } from '../../record/delete-dialog.tsx'
import { DeleteUnusedDialog } from '../../record/delete-unused-dialog.tsx'
import { requiredSession } from '../../session/session.ts'
import { carrierKinds } from './dependents.tsx'
import { type CarrierUses, carrierUsesQuery } from './used-by.ts'

interface DeleteCarrierProps extends DeleteDialogHandlers {
  carrier: VoipCarrier
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
        throw new ApiError('rejected', 403, 'You do not have permissions to delete this Carrier')
      await api('DELETE /VoipCarriers/:voip_carrier_sid', { params: { voip_carrier_sid } })
    },
    done: () => `Deleted Carrier ${name}`,
    changes: [['carriers']],
    after: () => (onDeleted ?? onClose)(),
  })
  return (
    <DeleteUnusedDialog
      noun="carrier"
      name={name}
      lookUp={lookUp}
      kinds={lookUp.data && carrierKinds(lookUp.data, onClose)}
      action={remove}
      inUseText={lookUp.data && `cannot be deleted. ${blockedText(lookUp.data)}`}
      deletedText="will be deleted with its SIP and SMPP gateways."
      onClose={onClose}
    />
  )
}
