import type { Actor } from '@patchbay/contract/api/access'
import type { Me } from '@patchbay/contract/users'
import { config } from '../api/configuration.ts'
import { requiredSession } from './session.ts'

/**
 * Returns whether the user is view-only, according to the server or, if it does not return that (jambonz), to the
 * token.
 */
export const isViewOnly = ({ is_view_only }: Partial<Me['user']>): boolean =>
  is_view_only ?? requiredSession().actor.is_view_only

/** Returns the explanation for a disabled control of a view-only user, or undefined for other users. */
export const viewOnlyReason = (actor: Actor): string | undefined =>
  actor.is_view_only ? 'You have view-only access and can’t change anything here.' : undefined

/**
 * Returns why this user cannot perform an action that an installation can reserve for service providers, or undefined
 * if they can.
 * @param explanation the reason for users of an account
 */
export const reservedReason = (actor: Actor, explanation: string): string | undefined =>
  viewOnlyReason(actor) ??
  (actor.scope === 'account' && config().switches.has('admin-carriers') ? explanation : undefined)
