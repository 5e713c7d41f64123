import { randomUUID } from 'node:crypto'
import { ApiError, throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { Registered, Registration } from '@patchbay/contract/registration'
import type { Identity, SignInProviderName } from '../../adapters/sign-in-providers/sign-in-provider.ts'
import { isAllowedToAct } from '../../auth/principals.ts'
import { findByIdentity, linkUser, offerLink, readLinkedUser, tryOffer, useUpOffer } from '../../auth/sign-in-links.ts'
import type { Services } from '../services.ts'
import { createHostedAccount } from '../shared/hosted-accounts.ts'
import { createIdentityResponse, requireAccount, signInByIdentity, toCaller } from './identity-sessions.ts'
import { type From, identify, recordRejection } from './provider-identities.ts'
import { createRegisteringCaller } from './registering-caller.ts'
import { findUserByEmail, readRootDomain } from './store.ts'

/**
 * Sign-in and registration with Google and GitHub, and linking of these identities to users
 * (docs/reference/platform-api/hosted-mode.md#registration).
 */

interface RegistrationRequest {
  provider: SignInProviderName
  service_provider_sid: string
  /** The signed-in user who wants to change the sign-in method. */
  changer: { user_sid: string; account_sid: string } | undefined
}

export const createProviderSignIn = (services: Services) => {
  const { database, passwordAttempts, write } = services

  const change = async (user_sid: string, identity: Identity, from: From): Promise<Registered> => {
    const user = (await readLinkedUser(database, user_sid)) ?? throwApiError('unauthorized')
    await write(toCaller(user, from), (tx) => linkUser(tx, user, identity))
    return { ...(await createIdentityResponse(services, user, identity, from)), email_validated: true }
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
      ...(await createIdentityResponse(services, user, identity, from)),
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
      const identity = await identify(services, body, provider, from)
      const user = await findByIdentity(database, identity)
      if (user !== undefined && changer !== undefined) return throwApiError('sign_in_account_taken')
      if (user !== undefined) {
        requireAccount(user)
        if (isAllowedToAct(user)) await write(toCaller(user, from), (tx) => linkUser(tx, user, identity))
        return signInByIdentity(services, user, identity, from)
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
        if (error instanceof ApiError) recordRejection(services, offeredUser, from, error.body.msg)
        throw error
      })
      if (user === undefined || !isAllowedToAct(user)) {
        recordRejection(services, offeredUser, from, 'Login credentials are incorrect')
        return throwApiError('sign_in_rejected')
      }
      await write(toCaller(user, from), async (tx) => {
        await useUpOffer(tx, offer.ticket_hash)
        await linkUser(tx, user, offer)
      })
      return signInByIdentity(services, user, offer, from)
    },
  }
}
