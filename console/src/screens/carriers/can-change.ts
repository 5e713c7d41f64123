import type { Actor } from '@patchbay/contract/access'
import { config } from '../../api/configuration.ts'
import { viewOnlyReason } from '../../session/view-only.ts'

const operatorsOnly = 'Carriers are added and changed by your service provider.'

/** Returns why this user cannot add or change carriers, or undefined if they can. */
export const changeDeniedReason = (actor: Actor): string | undefined =>
  viewOnlyReason(actor) ??
  (actor.scope === 'account' && config().switches.has('admin-carriers') ? operatorsOnly : undefined)
