import { type Actor, can, type Owner } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { Owners } from '../../auth/owner-lookup.ts'
import { canUse } from '../../auth/permissions.ts'

/** Checks a list of gateways. Admins get an empty list for an unknown carrier, as in the platform's API. */
export const checkCarrierReadable = async (owners: Owners, actor: Actor, voip_carrier_sid: string): Promise<void> => {
  if (actor.scope === 'admin') return
  const owner = await owners.voip_carrier(voip_carrier_sid)
  if (owner === undefined || !canUse(actor, owner)) throwApiError('insufficient_privileges')
}

/**
 * Returns the owner of the carrier of a new gateway. Callers without access cannot tell whether the carrier exists.
 */
export const resolveCarrierOwner = async (owners: Owners, actor: Actor, voip_carrier_sid: string): Promise<Owner> => {
  const owner = await owners.voip_carrier(voip_carrier_sid)
  if (owner !== undefined && can(actor, 'write', owner)) return owner
  return actor.scope === 'admin'
    ? throwApiError('invalid', { msg: 'invalid voip_carrier_sid', field: 'voip_carrier_sid' })
    : throwApiError('insufficient_privileges')
}
