import type { Actor, Owner } from '@patchbay/contract/access'
import { throwInvalid, throwApiError } from '@patchbay/contract/errors'
import type { newUser, userChange } from '@patchbay/contract/users'
import type { z } from 'zod'
import type { ScopedOwner } from '../../auth/principals.ts'

/** What creating and changing a user may not do; a change in the order in which the wire says it (api/1-identity.md §5.5). */

export type UserChange = z.output<typeof userChange>

/** A user before the change: `owner` is where he belongs, the columns are as they stand. */
export interface ChangedUser {
  user_sid: string
  account_sid: string | null
  service_provider_sid: string | null
  provider: string
  email: string
  owner: ScopedOwner
}

/** What the settings make of the rules. */
export interface UserRules {
  /** a link to set a password may be mailed, so that another address is as good as another password */
  mailsLinks: boolean
}

/** The places that a new user is wanted in: what is left out is the caller's own, null is none. */
export type Placement = Pick<z.output<typeof newUser>, 'account_sid' | 'service_provider_sid'>

/** Nobody makes more than they are: a provider no admin, an account neither an admin nor a user of its provider. */
export const checkPlacement = (actor: Actor, { account_sid, service_provider_sid }: Placement): void => {
  if (actor.scope === 'account' && account_sid === null)
    throwApiError('insufficient_permissions', { field: 'account_sid' })
  if (actor.scope === 'service_provider' && service_provider_sid === null && !account_sid)
    throwApiError('insufficient_permissions', { field: 'service_provider_sid' })
}

/** A null where a value stands would make an account user a provider user, or that an admin. */
const checkPromotion = (user: ChangedUser, change: UserChange): void => {
  for (const field of ['account_sid', 'service_provider_sid'] as const)
    if (change[field] === null && user[field] !== null) throwInvalid('Invalid request: user may not be promoted', field)
}

const differs = (wanted: string | null | undefined, now: string | null): boolean =>
  wanted !== undefined && wanted !== null && wanted !== now

const checkMove = (actor: Actor, change: UserChange): void => {
  const alone = actor.scope === 'account'
  if (alone && differs(change.account_sid, actor.account_sid))
    throwInvalid('Invalid request: user may not be promoted or moved to another account', 'account_sid')
  if (actor.scope !== 'admin' && differs(change.service_provider_sid, actor.service_provider_sid))
    throwInvalid(
      'Invalid request: user may not be promoted or moved to another service provider',
      'service_provider_sid',
    )
}

/** `account`: where the user will be, so that account and provider fit together after the change. */
const checkAccount = (actor: Actor, { owner }: ChangedUser, change: UserChange, account: Owner | undefined): void => {
  if (account === undefined)
    return change.account_sid ? throwInvalid('Invalid request: account_sid does not exist', 'account_sid') : undefined
  const { service_provider_sid } = account
  const fits = [
    change.service_provider_sid ?? (change.account_sid ? owner.service_provider_sid : null),
    actor.scope === 'admin' ? null : actor.service_provider_sid,
  ].every((provider) => provider === null || provider === service_provider_sid)
  if (!fits)
    throwInvalid(
      'Invalid request: user may not be moved to another service provider',
      change.account_sid ? 'account_sid' : 'service_provider_sid',
    )
}

/** Keys reset the passwords of people below them: never of an account's people by a key of it, never of an admin. */
const checkPasswordOfPeople = (actor: Actor, { owner }: ChangedUser): void => {
  if (actor.token !== 'user' && (actor.scope === 'account' || owner.scope === 'admin')) throwApiError('forbidden')
}

/** Whether the links of a forgotten password would be sent elsewhere. Who signs in by another's passwords is sent none. */
const redirectsLinks = ({ email, provider }: ChangedUser, change: UserChange, { mailsLinks }: UserRules): boolean =>
  mailsLinks && provider === 'local' && Boolean(change.email) && change.email !== email

const checkEmail = (actor: Actor, user: ChangedUser, change: UserChange): void => {
  checkPasswordOfPeople(actor, user)
  if (actor.user_sid === user.user_sid && !change.old_password)
    throwInvalid('old_password is required to change the email address', 'old_password')
}

const checkPasswordMode = (actor: Actor, user: ChangedUser, change: UserChange, isProof: boolean): void => {
  const { old_password, new_password } = change
  if (new_password || change.initial_password) checkPasswordOfPeople(actor, user)
  if (Boolean(old_password) !== Boolean(new_password) && !(old_password && isProof))
    throwInvalid('new_password and old_password both required', old_password ? 'new_password' : 'old_password')
  if (!new_password) return
  if (change.name) throwInvalid('can not change name and password simultaneously', 'name')
  if (user.provider !== 'local') throwInvalid('can not change password when using oauth2')
}

const isEmpty = (change: UserChange): boolean =>
  !change.name &&
  !change.email &&
  !change.new_password &&
  !change.initial_password &&
  change.is_active === undefined &&
  change.force_change === undefined &&
  change.is_view_only === undefined &&
  !change.account_sid &&
  !change.service_provider_sid

/** One's own password wants the old one, whichever member carries the new one. */
export const withOwnPassword = (actor: Actor, user_sid: string, change: UserChange): UserChange => {
  const { initial_password, new_password, ...rest } = change
  if (actor.user_sid !== user_sid || !initial_password) return change
  return { ...rest, new_password: new_password || initial_password }
}

export const checkUserChange = (
  actor: Actor,
  user: ChangedUser,
  change: UserChange,
  account: Owner | undefined,
  rules: UserRules,
): void => {
  checkPromotion(user, change)
  checkMove(actor, change)
  checkAccount(actor, user, change, account)
  const redirects = redirectsLinks(user, change, rules)
  checkPasswordMode(actor, user, change, redirects)
  if (redirects) checkEmail(actor, user, change)
  if (change.email_activation_code && !change.email)
    throwInvalid('email and email_activation_code both required', 'email')
  if (isEmpty(change)) throwInvalid('no updates requested')
}
