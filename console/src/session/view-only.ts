import type { Actor } from '@patchbay/contract/access'
import type { Me } from '@patchbay/contract/users'
import { requiredSession } from './session.ts'

/**
 * Returns whether the user is view-only, according to the server or, if it does not return that (jambonz), to the
 * token.
 */
export const isViewOnly = ({ is_view_only }: Partial<Me['user']>): boolean =>
  is_view_only ?? requiredSession().actor.is_view_only

/** Returns the explanation for a disabled control of a view-only user, or undefined for other users. */
export const viewOnlyReason = (actor: Actor): string | undefined =>
  actor.is_view_only ? 'You have view-only access, so nothing can be changed here.' : undefined
