import { throwApiError } from '@patchbay/contract/api/errors'
import type { Registered } from '@patchbay/contract/registration'
import type { TokenClaims } from '@patchbay/contract/sessions'
import type { Identity } from '../../adapters/sign-in-providers/sign-in-provider.ts'
import { isAllowedToAct, isViewOnly, principalOfUser, toScopedOwner } from '../../auth/principals.ts'
import { signInEvent } from '../../auth/sign-in-audit.ts'
import type { LinkedUser } from '../../auth/sign-in-links.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { type From, recordRejection } from './provider-identities.ts'

/** Starts sessions of users whom Google or GitHub has identified. */

const toPictureFields = ({ provider, picture }: Pick<Identity, 'provider' | 'picture'>) =>
  picture === null ? {} : provider === 'github' ? { avatar_url: picture } : { picture }

/** Returns the user as the author of changes. */
export const toCaller = (user: LinkedUser, { address, request_id }: From): Caller => {
  const actor = principalOfUser(user) ?? throwApiError('sign_in_rejected')
  return { ...actor, sid: user.user_sid, name: user.name, address, request_id }
}

/** Returns the account of a user. Users without an account must sign in with a password. */
export const requireAccount = ({ account_sid }: LinkedUser): string =>
  account_sid ?? throwApiError('user_without_account')

const startSession = async (
  { sessions, tokens, trail }: Services,
  user: LinkedUser,
  account_sid: string,
  from: From,
): Promise<string> => {
  const { service_provider_sid } = toScopedOwner(user)
  const claims: TokenClaims = {
    scope: 'account',
    user_sid: user.user_sid,
    account_sid,
    ...(service_provider_sid === null ? {} : { service_provider_sid }),
    name: user.name,
    email: user.email,
    permissions: isViewOnly(user) ? ['VIEW_ONLY'] : [],
    is_view_only: isViewOnly(user),
  }
  const { token, expiresAt } = (await tokens.issue(claims)) ?? throwApiError('unauthorized')
  await sessions.start(token, user.user_sid, expiresAt)
  trail.note(signInEvent('sign_in', user, from))
  return token
}

/** Starts a session and returns the part of the response that all sign-ins have. */
export const createIdentityResponse = async (services: Services, user: LinkedUser, identity: Identity, from: From) => {
  const account_sid = requireAccount(user)
  const jwt = await startSession(services, user, account_sid, from)
  const { user_sid, name, email } = user
  const { provider, provider_userid } = identity
  return { jwt, user_sid, account_sid, name, email, provider, provider_userid, ...toPictureFields(identity) }
}

/** Signs a user in, unless the user or the account is inactive. */
export const signInByIdentity = async (
  services: Services,
  user: LinkedUser,
  identity: Identity,
  from: From,
): Promise<Registered> => {
  requireAccount(user)
  if (!isAllowedToAct(user)) {
    recordRejection(services, user, from, 'The user or the account is inactive')
    return throwApiError('sign_in_rejected')
  }
  return {
    ...(await createIdentityResponse(services, user, identity, from)),
    pristine: false,
    is_active: user.account_is_active === 1,
    email_validated: user.email_validated === 1,
    phone_validated: user.phone_validated === 1,
    scope: user.scope,
  }
}
