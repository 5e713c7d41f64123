import type { Actor } from '@patchbay/contract/access'
import { config } from '../../api/configuration.ts'
import { viewOnlyReason } from '../../session/view-only.ts'

const operators = 'Carriers are added and changed by your service provider.'

/** Why somebody cannot change the carriers they own. */
export const changeDeniedReason = (actor: Actor): string | undefined =>
  viewOnlyReason(actor) ??
  (actor.scope === 'account' && config().switches.has('admin-carriers') ? operators : undefined)
