import type { Actor } from '@patchbay/contract/access'
import { config } from '../../api/configuration.ts'
import { viewOnlyReason } from '../../session/view-only.ts'

const operators = 'Phone numbers are added by your service provider.'

/** Why somebody cannot add phone numbers; those that are there they may still route. */
export const addDeniedReason = (actor: Actor): string | undefined =>
  viewOnlyReason(actor) ??
  (actor.scope === 'account' && config().switches.has('admin-carriers') ? operators : undefined)
