import type { Actor } from '@patchbay/contract/access'

/** Why a view-only user cannot change what is shown. */
export const viewOnlyReason = (actor: Actor): string | undefined =>
  actor.is_view_only ? 'You have view-only access, so nothing can be changed here.' : undefined
