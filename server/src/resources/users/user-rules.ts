import { type Actor, accessLevel, isAtLeast, noOwner, type Owner } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { newUser, userChange } from '@patchbay/contract/users'
import { isEmail } from '@patchbay/rules/identity/emails'
import type { z } from 'zod'
import type { ScopedOwner } from '../../auth/principals.ts'

/**
 * Rules for creating and changing users. The rules for changes run in the order that the API specifies
 * (docs/reference/platform-api/identity.md#update-a-user).
 */

export type UserChange = z.output<typeof userChange>

/** A user before the change. `owner` is the effective scope, the columns are as stored. */
export interface ChangedUser extends Owner {
  user_sid: string
  provider: string
  email: string
  owner: ScopedOwner
}

/** Settings that affect the rules. */
export interface UserRules {
  /**
   * True if links for setting a password can be mailed. Control over the email address then means control over the
   * account.
   */
  canMailLinks: boolean
  /** True if visitors register. Addresses are then confirmed by codes that the server creates and mails. */
  isHosted: boolean
}

/** Requested owner of a new user. An absent value means the caller's own, null means none. */
export type RequestedOwner = Pick<z.output<typeof newUser>, 'account_sid' | 'service_provider_sid'>

/**
 * Prevents privilege escalation: a provider cannot create an admin, and an account can create neither an admin nor a
 * user of its provider.
 */
export const checkRequestedOwner = (actor: Actor, { account_sid, service_provider_sid }: RequestedOwner): void => {
  if (actor.scope === 'account' && account_sid === null)
    throwApiError('insufficient_permissions', { field: 'account_sid' })
  if (actor.scope === 'service_provider' && service_provider_sid === null && !account_sid)
    throwApiError('insufficient_permissions', { field: 'service_provider_sid' })
}

/**
 * Returns the owner of a user whom the change promotes: an account user to a user of the account's provider or to an
 * admin, a provider user to an admin. Returns undefined for other changes.
 */
export const getPromotedOwner = (owner: ScopedOwner, { scope }: Pick<UserChange, 'scope'>): Owner | undefined => {
  if (scope === undefined || accessLevel(scope) <= accessLevel(owner.scope)) return undefined
  return scope === 'admin' ? noOwner : { account_sid: null, service_provider_sid: owner.service_provider_sid }
}

const throwNotPromoted = (field: string) => throwInvalid('Invalid request: user may not be promoted', field)

/**
 * Only callers who could create a user of the wider scope can promote. The request must name the scope: null alone
 * would turn an account user into a provider user, or a provider user into an admin, and the platform API rejects it.
 */
const checkPromotion = (actor: Actor, user: ChangedUser, change: UserChange): void => {
  const promoted = getPromotedOwner(user.owner, change)
  // Without this check, a user of an account that has no provider would become an admin.
  const isOrphan = change.scope === 'service_provider' && promoted?.service_provider_sid === null
  if (promoted && (isOrphan || !isAtLeast(actor.scope, change.scope ?? 'admin'))) throwNotPromoted('scope')
  for (const field of ['account_sid', 'service_provider_sid'] as const)
    if (promoted && change[field] && change[field] !== promoted[field])
      throwInvalid(`${field} does not fit scope ${change.scope ?? ''}`, field)
    else if (change[field] === null && user[field] !== null && promoted?.[field] !== null) throwNotPromoted(field)
}

const differs = (requested: string | null | undefined, current: string | null): boolean =>
  requested !== undefined && requested !== null && requested !== current

const checkMove = (actor: Actor, change: UserChange): void => {
  const isAccountScope = actor.scope === 'account'
  if (isAccountScope && differs(change.account_sid, actor.account_sid))
    throwInvalid('Invalid request: user may not be promoted or moved to another account', 'account_sid')
  if (actor.scope !== 'admin' && differs(change.service_provider_sid, actor.service_provider_sid))
    throwInvalid(
      'Invalid request: user may not be promoted or moved to another service provider',
      'service_provider_sid',
    )
}

/** Checks that account and provider match after the change. `account` is the account to which the user will belong. */
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

/**
 * API keys can reset passwords only of users in scopes below them: an account key of no user, and no key that of an
 * admin.
 */
const checkKeyScope = (actor: Actor, { owner }: ChangedUser): void => {
  if (actor.token !== 'user' && (actor.scope === 'account' || owner.scope === 'admin')) throwApiError('forbidden')
}

/** Stored addresses are not checked, because the platform API accepts any text. */
export const checkNewEmail = (email: string): void => {
  if (!isEmail(email)) throwInvalid('email must be an email address such as name@example.com', 'email')
}

/**
 * Returns whether the change would send password reset links to another address. Users of external sign-in providers
 * get no such links.
 */
const redirectsLinks = (
  { email, provider }: ChangedUser,
  change: UserChange,
  { canMailLinks: mailsLinks }: UserRules,
): boolean => mailsLinks && provider === 'local' && Boolean(change.email) && change.email !== email

const checkEmail = (actor: Actor, user: ChangedUser, change: UserChange): void => {
  checkKeyScope(actor, user)
  if (actor.user_sid === user.user_sid && !change.old_password)
    throwInvalid('old_password is required to change the email address', 'old_password')
}

const checkPasswordMode = (actor: Actor, user: ChangedUser, change: UserChange, isEmailChange: boolean): void => {
  const { old_password, new_password } = change
  if (new_password || change.initial_password) checkKeyScope(actor, user)
  if (Boolean(old_password) !== Boolean(new_password) && !(old_password && isEmailChange))
    throwInvalid('new_password and old_password both required', old_password ? 'new_password' : 'old_password')
  if (!new_password) return
  if (change.name) throwInvalid('can not change name and password simultaneously', 'name')
  if (user.provider !== 'local') throwInvalid('can not change password when using oauth2')
}

const isEmpty = ({ owner }: ChangedUser, change: UserChange): boolean =>
  getPromotedOwner(owner, change) === undefined &&
  !change.name &&
  !change.email &&
  !change.new_password &&
  !change.initial_password &&
  change.is_active === undefined &&
  change.force_change === undefined &&
  change.is_view_only === undefined &&
  !change.account_sid &&
  !change.service_provider_sid

/** A change of one's own password requires the old one, regardless of the field that contains the new one. */
export const normalizeOwnPassword = (actor: Actor, user_sid: string, change: UserChange): UserChange => {
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
  checkPromotion(actor, user, change)
  checkMove(actor, change)
  checkAccount(actor, user, change, account)
  if (change.email && change.email !== user.email) checkNewEmail(change.email)
  const redirects = redirectsLinks(user, change, rules)
  checkPasswordMode(actor, user, change, redirects)
  if (redirects) checkEmail(actor, user, change)
  if (change.email_activation_code && !change.email)
    throwInvalid('email and email_activation_code both required', 'email')
  if (change.email_activation_code && rules.isHosted && actor.scope !== 'admin')
    throwInvalid('use POST /ActivationCode to change a confirmed email address', 'email_activation_code')
  if (isEmpty(user, change)) throwInvalid('no updates requested')
}
