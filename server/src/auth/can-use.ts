import { type Actor, can, type Owner } from '@patchbay/contract/access'

/** What is one's own; users of an account also use what its provider has for all of its accounts. */
export const canUse = (actor: Actor, owner: Owner): boolean =>
  can(actor, 'read', owner) ||
  (actor.scope === 'account' && owner.account_sid === null && owner.service_provider_sid === actor.service_provider_sid)
