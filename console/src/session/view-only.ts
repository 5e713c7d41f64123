import type { Actor } from '@patchbay/contract/access'
import type { Me } from '@patchbay/contract/users'
import { requiredSession } from './session.ts'

/** As the server says of the user, or where it does not (the platform's own), as the token does. */
export const isViewOnly = ({ is_view_only }: Partial<Me['user']>): boolean =>
  is_view_only ?? requiredSession().actor.is_view_only

/** Why a view-only user cannot change what is shown. */
export const viewOnlyReason = (actor: Actor): string | undefined =>
  actor.is_view_only ? 'You have view-only access, so nothing can be changed here.' : undefined
