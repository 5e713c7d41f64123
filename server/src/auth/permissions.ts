import { type Actor, can, type Owner } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { Configuration } from '../config/configuration.ts'

/**
 * Returns whether an actor can use a record in its own configuration: its own records and, for users of an account,
 * those that the provider shares with all of its accounts.
 */
export const canUse = (actor: Actor, owner: Owner): boolean =>
  can(actor, 'read', owner) ||
  (actor.scope === 'account' && owner.account_sid === null && owner.service_provider_sid === actor.service_provider_sid)

/**
 * Throws if the caller is an account user and account users cannot change carriers
 * (docs/reference/platform-api/carriers.md#restriction-to-operators).
 */
export const assertCanChangeCarriers = (
  { adminCarriers }: Pick<Configuration, 'adminCarriers'>,
  { scope }: Actor,
): void => {
  if (adminCarriers && scope === 'account') throwApiError('carriers_managed_by_operator')
}
