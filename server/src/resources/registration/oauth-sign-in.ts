import { throwInvalid, ApiError, throwApiError } from '@patchbay/contract/api/errors'
import type { Registered, Registration } from '@patchbay/contract/registration'
import type { TokenClaims } from '@patchbay/contract/sessions'
import { randomUUID } from 'node:crypto'
import type { Caller } from '../../lib/caller.ts'
import type { Context } from '../../http/contract-router.ts'
import {
  SignInError,
  type SignInCode,
  type Identity,
  type SignInProviderName,
} from '../../adapters/sign-in-providers/sign-in-provider.ts'
import type { Services } from '../services.ts'
import { createHostedAccount } from '../shared/hosted-accounts.ts'
import { isViewOnly, isAllowedToAct, toScopedOwner, principalOfUser } from '../../auth/principals.ts'
import {
  findByIdentity,
  type LinkedUser,
  linkUser,
  offerLink,
  readLinkedUser,
  tryOffer,
  useUpOffer,
} from '../../auth/sign-in-links.ts'
import { signInEvent } from '../../auth/sign-in-audit.ts'
import { createRegisteringCaller } from './registering-caller.ts'
import { readRootDomain, findUserByEmail } from './store.ts'

/**
 * Sign-in and registration with Google and GitHub, and linking of these identities to users
 * (docs/reference/platform-api/hosted-mode.md#registration).
 */

const required = ['oauth2_code', 'oauth2_state', 'oauth2_client_id', 'oauth2_redirect_uri'] as const

type From = Pick<Context<'POST /register'>, 'address' | 'request_id' | 'signal'>

interface RegistrationRequest {
  provider: SignInProviderName
  service_provider_sid: string
  /** The signed-in user who wants to change the sign-in method. */
  changer: { user_sid: string; account_sid: string } | undefined
}

/** RFC 7636 §4.1 */
const isVerifier = (text: string): boolean => /^[\w.~-]{43,128}$/.test(text)

/**
 * Returns whether a redirect URI belongs to the console. URIs with a query, a fragment, or user information are
 * rejected.
 */
const isCallback = (text: string, publicUrl: string | null): boolean => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#@]/.test(text)) return false
  return publicUrl === null || url.origin === new URL(publicUrl).origin
}

const toPictureFields = ({ provider, picture }: Pick<Identity, 'provider' | 'picture'>) =>
  picture === null ? {} : provider === 'github' ? { avatar_url: picture } : { picture }

export const createProviderSignIn = (services: Services) => {
  const { configuration, database, passwordAttempts, sessions, signInProviders, tokens, trail, write } = services

  const parseCode = (body: Registration, provider: SignInProviderName): SignInCode => {
    for (const member of required)
      if (!body[member]) return throwInvalid(`missing ${member} for provider ${provider}`, member)
    const { oauth2_client_id, oauth2_redirect_uri, oauth2_code_verifier } = body
    if (oauth2_client_id !== configuration.signInProviders[provider]?.clientId)
      return throwInvalid('oauth2_client_id is not the one that is set here', 'oauth2_client_id')
    if (!oauth2_redirect_uri || !isCallback(oauth2_redirect_uri, configuration.publicUrl))
      return throwInvalid('oauth2_redirect_uri must be an address of this console', 'oauth2_redirect_uri')
    if (oauth2_code_verifier && !isVerifier(oauth2_code_verifier))
      return throwInvalid(
        'oauth2_code_verifier must be 43 to 128 letters, digits, dots, hyphens or tildes',
        'oauth2_code_verifier',
      )
    return {
      code: body.oauth2_code ?? '',
      redirect_uri: oauth2_redirect_uri,
      code_verifier: oauth2_code_verifier || undefined,
      nonce: body.oauth2_nonce || undefined,
    }
  }

  const recordRejection = (user: LinkedUser | undefined, from: From, reason: string): void =>
    trail.note({ ...signInEvent('refused', user, from), reason })

  const identify = async (body: Registration, provider: SignInProviderName, from: From): Promise<Identity> => {
    const providerClient = signInProviders[provider]
    if (providerClient === null)
      return throwApiError('unusable_registration', {
        msg: `sign-in with ${provider} is not set up here`,
        field: 'provider',
      })
    const code = parseCode(body, provider)
    return providerClient.identify(code).catch((error: unknown) => {
      if (!(error instanceof SignInError)) throw error
      recordRejection(undefined, from, error.message)
      return throwApiError('sign_in_provider_rejected', { msg: error.message })
    })
  }

  const toCaller = (user: LinkedUser, { address, request_id }: From): Caller => {
    const actor = principalOfUser(user) ?? throwApiError('sign_in_rejected')
    return { ...actor, sid: user.user_sid, name: user.name, address, request_id }
  }

  const startSession = async (user: LinkedUser, account_sid: string, from: From): Promise<string> => {
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

  /** Returns the account of a user. Users without an account must sign in with a password. */
  const requireAccount = ({ account_sid }: LinkedUser): string => account_sid ?? throwApiError('user_without_account')

  const createIdentityResponse = async (user: LinkedUser, identity: Identity, from: From) => {
    const account_sid = requireAccount(user)
    const jwt = await startSession(user, account_sid, from)
    const { user_sid, name, email } = user
    const { provider, provider_userid } = identity
    return { jwt, user_sid, account_sid, name, email, provider, provider_userid, ...toPictureFields(identity) }
  }

  const signIn = async (user: LinkedUser, identity: Identity, from: From): Promise<Registered> => {
    requireAccount(user)
    if (!isAllowedToAct(user)) {
      recordRejection(user, from, 'The user or the account is inactive')
      return throwApiError('sign_in_rejected')
    }
    return {
      ...(await createIdentityResponse(user, identity, from)),
      pristine: false,
      is_active: user.account_is_active === 1,
      email_validated: user.email_validated === 1,
      phone_validated: user.phone_validated === 1,
      scope: user.scope,
    }
  }

  const change = async (user_sid: string, identity: Identity, from: From): Promise<Registered> => {
    const user = (await readLinkedUser(database, user_sid)) ?? throwApiError('unauthorized')
    await write(toCaller(user, from), (tx) => linkUser(tx, user, identity))
    return { ...(await createIdentityResponse(user, identity, from)), email_validated: true }
  }

  const create = async (
    identity: Identity,
    { service_provider_sid, inviteCode }: { service_provider_sid: string; inviteCode: string | null | undefined },
    from: From,
  ): Promise<Registered> => {
    const root_domain = await readRootDomain(database, service_provider_sid)
    const { provider, provider_userid, email } = identity
    const tenant = { account_sid: randomUUID(), service_provider_sid }
    const user_sid = randomUUID()
    await write(createRegisteringCaller({ user_sid, ...tenant, email }, from), async (tx) => {
      const signInMethod = { provider, provider_userid }
      await createHostedAccount(tx, {
        user_sid,
        ...tenant,
        email,
        signIn: signInMethod,
        invite_code: inviteCode || null,
      })
      const user = { user_sid, name: email, ...tenant, provider_of_account: service_provider_sid }
      await linkUser(tx, user, identity)
    })
    const user = (await readLinkedUser(database, user_sid)) ?? throwApiError('unauthorized')
    return {
      ...(await createIdentityResponse(user, identity, from)),
      root_domain,
      pristine: true,
      is_active: true,
      email_validated: true,
      phone_validated: false,
      tutorial_completion: 0,
      scope: user.scope,
    }
  }

  /**
   * Rejects a registration with the address of an existing user. A local user of an account is offered to link the
   * identity with the password. The response reveals nothing about other users.
   */
  const rejectExistingUser = async (
    existing: { user_sid: string; provider: string; account_sid: string | null },
    identity: Identity,
  ): Promise<never> => {
    const msg = `user already exists with email ${identity.email}`
    const isOffered = existing.provider === 'local' && existing.account_sid !== null
    return throwApiError('invalid', {
      msg,
      ...(isOffered ? { link_ticket: await offerLink(database, existing.user_sid, identity) } : {}),
    })
  }

  return {
    async register(body: Registration, { provider, service_provider_sid, changer }: RegistrationRequest, from: From) {
      const identity = await identify(body, provider, from)
      const user = await findByIdentity(database, identity)
      if (user !== undefined && changer !== undefined) return throwApiError('sign_in_account_taken')
      if (user !== undefined) {
        requireAccount(user)
        if (isAllowedToAct(user)) await write(toCaller(user, from), (tx) => linkUser(tx, user, identity))
        return signIn(user, identity, from)
      }
      const existing = await findUserByEmail(database, identity.email, changer?.user_sid)
      if (changer === undefined && existing !== undefined) return rejectExistingUser(existing, identity)
      if (existing !== undefined) return throwInvalid(`user already exists with email ${identity.email}`)
      if (changer !== undefined) return change(changer.user_sid, identity, from)
      if (body.locationBeforeAuth === '/sign-in') return throwApiError('registration_not_allowed')
      return create(identity, { service_provider_sid, inviteCode: body.inviteCode }, from)
    },

    async linkByPassword(ticket: string, password: string, from: From): Promise<Registered> {
      const offer = (await tryOffer(database, ticket)) ?? throwApiError('link_ticket_expired')
      const offeredUser = await readLinkedUser(database, offer.user_sid)
      const find = () => Promise.resolve(offeredUser?.provider === 'local' ? offeredUser : undefined)
      const attempt = { find, name: offer.user_sid, password, address: from.address, signal: from.signal }
      const user = await passwordAttempts.verify(attempt).catch((error: unknown) => {
        if (error instanceof ApiError) recordRejection(offeredUser, from, error.body.msg)
        throw error
      })
      if (user === undefined || !isAllowedToAct(user)) {
        recordRejection(offeredUser, from, 'Login credentials are incorrect')
        return throwApiError('sign_in_rejected')
      }
      await write(toCaller(user, from), async (tx) => {
        await useUpOffer(tx, offer.ticket_hash)
        await linkUser(tx, user, offer)
      })
      return signIn(user, offer, from)
    },
  }
}
