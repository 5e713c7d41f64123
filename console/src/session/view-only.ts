import type { Actor } from '@patchbay/contract/access'
import type { Me } from '@patchbay/contract/users'
import { requiredSession } from './session.ts'

/** Whether the user is view-only, according to the server or, if it does not return that (jambonz), to the token. */
export const isViewOnly = ({ is_view_only }: Partial<Me['user']>): boolean =>
  is_view_only ?? requiredSession().actor.is_view_only

/** Why a view-only user cannot change what is shown. */
export const viewOnlyReason = (actor: Actor): string | undefined =>
  actor.is_view_only ? 'You have view-only access, so nothing can be changed here.' : undefined
