import type { Actor } from '@patchbay/contract/api/access'
import { reservedReason } from '../../session/view-only.ts'

/**
 * Returns why this user cannot add phone numbers, or undefined if they can. Users who cannot add numbers may still
 * route existing ones. Shared by the list and the import, which are different chunks.
 */
export const addDeniedReason = (actor: Actor): string | undefined =>
  reservedReason(actor, 'Only your service provider can add phone numbers.')
