import type { Actor } from '@patchbay/contract/access'
import { config } from '../../api/configuration.ts'
import { viewOnlyReason } from '../../session/view-only.ts'

const operatorsOnly = 'Phone numbers are added by your service provider.'

/**
 * Returns why this user cannot add phone numbers, or undefined if they can. Users who cannot add numbers may still
 * route existing ones.
 */
export const addDeniedReason = (actor: Actor): string | undefined =>
  viewOnlyReason(actor) ??
  (actor.scope === 'account' && config().switches.has('admin-carriers') ? operatorsOnly : undefined)
