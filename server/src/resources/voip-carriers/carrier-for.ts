import { type Action, type Actor, can, type Owner } from '@patchbay/contract/access'
import { refuse } from '@patchbay/contract/errors'
import type { Owners } from '../../stores/owners.ts'

/** An account's users read what its provider offers to all of its accounts. */
const mayUse = (actor: Actor, { account_sid, service_provider_sid }: Owner): boolean =>
  actor.scope === 'account' && account_sid === null && service_provider_sid === actor.service_provider_sid

/** Whose a carrier is that a gateway names. To a stranger, what exists and what does not look alike. */
export const carrierFor = async (
  owners: Owners,
  actor: Actor,
  action: Action,
  voip_carrier_sid: string,
): Promise<Owner> => {
  const owner = await owners.voip_carrier(voip_carrier_sid)
  if (owner !== undefined && (can(actor, action, owner) || (action === 'read' && mayUse(actor, owner)))) return owner
  return actor.scope === 'admin'
    ? refuse('invalid', { msg: 'invalid voip_carrier_sid', field: 'voip_carrier_sid' })
    : refuse('insufficient_privileges')
}
