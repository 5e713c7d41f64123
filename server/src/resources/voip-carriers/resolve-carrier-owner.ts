import { type Action, type Actor, can, type Owner } from '@patchbay/contract/access'
import { throwApiError } from '@patchbay/contract/errors'
import { canUse } from '../../auth/permissions.ts'
import type { Owners } from '../../auth/owner-lookup.ts'

/**
 * Returns the owner of the carrier that a gateway names. Callers without access cannot tell whether the carrier exists.
 */
export const resolveCarrierOwner = async (
  owners: Owners,
  actor: Actor,
  action: Action,
  voip_carrier_sid: string,
): Promise<Owner> => {
  const owner = await owners.voip_carrier(voip_carrier_sid)
  if (owner !== undefined && (action === 'read' ? canUse(actor, owner) : can(actor, action, owner))) return owner
  return actor.scope === 'admin'
    ? throwApiError('invalid', { msg: 'invalid voip_carrier_sid', field: 'voip_carrier_sid' })
    : throwApiError('insufficient_privileges')
}
