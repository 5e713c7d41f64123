import { type Actor, can, type Owner } from '@patchbay/contract/access'

/**
 * Returns whether an actor can use a record in its own configuration: its own records and, for users of an account,
 * those that the provider shares with all of its accounts.
 */
export const canUse = (actor: Actor, owner: Owner): boolean =>
  can(actor, 'read', owner) ||
  (actor.scope === 'account' && owner.account_sid === null && owner.service_provider_sid === actor.service_provider_sid)
