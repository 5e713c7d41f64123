import { noOwner } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { passwordResetEndpoints, SigninAnswer } from '@patchbay/contract/password-reset'
import type { TokenClaims } from '@patchbay/contract/sessions'
import { isEmail } from '@patchbay/rules/identity/emails'
import { checkNewPassword, readPasswordPolicy } from '../../auth/password-policy.ts'
import { isViewOnly, toScopedOwner } from '../../auth/principals.ts'
import { findUserByLink, hashOfLink, type UserWithAddress } from '../../auth/reset-links.ts'
import { auditActor } from '../../database/audit-trail.ts'
import type { Context, Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import type { Caller } from '../../lib/caller.ts'
import { toClientNetwork } from '../../lib/client-network.ts'
import type { Services } from '../services.ts'
import { createPasswordSignIn } from '../shared/password-sign-in.ts'
import { findByConfirmedEmail } from '../shared/sign-in-users.ts'
import { createLinkSender } from './send-link.ts'
import { changePassword, readUser, type UserRow } from './store.ts'

const createClaims = (user: UserWithAddress, reset_link: string): TokenClaims => {
  const { scope, account_sid, service_provider_sid } = toScopedOwner(user)
  return {
    scope,
    user_sid: user.user_sid,
    name: user.name,
    permissions: [],
    is_view_only: isViewOnly(user),
    ...(account_sid === null ? {} : { account_sid }),
    ...(service_provider_sid === null ? {} : { service_provider_sid }),
    reset_link,
  }
}

const toSignInResponse = (user: UserWithAddress, jwt: string): SigninAnswer => ({
  jwt,
  user_sid: user.user_sid,
  name: user.name,
  email: user.email,
  phone: user.phone,
  account_sid: user.account_sid,
  service_provider_sid: toScopedOwner(user).service_provider_sid,
  force_change: user.force_change === 1,
  provider: user.provider,
  provider_userid: user.provider_userid,
  scope: user.scope,
  phone_validated: user.phone_validated === 1,
  email_validated: user.email_validated === 1,
  is_active: true,
  pristine: false,
})

export const passwordResetRoutes = (services: Services): Handlers<keyof typeof passwordResetEndpoints> => {
  const { configuration, database, counters, linkTokens, passwords, passwordAttempts, sessions, trail, write } =
    services
  const { passwordReset, signIn: limits } = configuration
  const { signIn } = createPasswordSignIn(services)
  const { consumeRequest, sendInBackground: sendSoon } = createLinkSender(services)

  /** Returns the user of a link. Links cannot be guessed; the limit makes attempts cheap to reject. */
  const requireUserOfLink = async (
    link: string,
    { address, request_id }: Pick<Context<'POST /signin'>, 'address' | 'request_id'>,
  ) => {
    const failures = `reset:link:${toClientNetwork(address)}`
    if ((await counters.read(failures, limits.windowSeconds)) >= 10 * limits.attempts)
      return throwApiError('locked_out')
    const user = passwordReset && (await findUserByLink(database, hashOfLink(link)))
    if (user) return user
    await counters.increment(failures, limits.windowSeconds)
    const event = { action: 'refused', kind: 'session', sid: null, name: null } as const
    trail.note({
      ...event,
      caller: undefined,
      address,
      request_id,
      owner: noOwner,
      reason: 'The reset link is not valid',
    })
    return throwApiError('sign_in_rejected')
  }

  const recordWrongPassword = (actor: Caller): void => {
    const event = { action: 'refused', kind: 'user', sid: actor.user_sid, name: actor.name } as const
    trail.note({ ...event, ...auditActor(actor), reason: 'old_password is incorrect' })
  }

  /** Returns the hash of the link that authorizes the change, or undefined if the old password does. */
  const verifyOldPassword = async (
    { user_sid, hashed_password }: UserRow,
    old_password: string,
    { actor, address, signal }: Pick<Context<'POST /change-password'>, 'actor' | 'address' | 'signal'>,
  ): Promise<string | undefined> => {
    const link = hashOfLink(old_password)
    if (actor.reset_link === link) return link
    const isOwnLink = passwordReset !== null && (await findUserByLink(database, link))?.user_sid === user_sid
    if (actor.reset_link === undefined && isOwnLink) return link
    const find = () => Promise.resolve({ user_sid, hashed_password })
    const isPasswordCorrect =
      actor.reset_link === undefined &&
      (await passwordAttempts.verify({ find, name: user_sid, password: old_password, address, signal })) !== undefined
    if (isPasswordCorrect) return undefined
    recordWrongPassword(actor)
    return throwInvalid('old_password is incorrect', 'old_password')
  }

  return {
    'POST /forgot-password': async ({ body: { email }, address, request_id }) => {
      if (passwordReset === null) return throwApiError('not_found')
      if (typeof email !== 'string' || !isEmail(email)) return throwApiError('email_invalid')
      if (!(await consumeRequest(address))) return throwApiError('too_many_requests')
      sendSoon({ email, address, request_id })
    },

    'POST /signin': async ({ body: { link, email, password }, address, request_id, signal }) => {
      if (link) {
        const user = await requireUserOfLink(link, { address, request_id })
        const issued = await linkTokens.issue(createClaims(user, hashOfLink(link)))
        return ok(toSignInResponse(user, (issued ?? throwApiError('unauthorized')).token))
      }
      if (!email || !password) return throwInvalid('missing email or password')
      const find = () => findByConfirmedEmail(database, email)
      const { user, token } = await signIn({ find, name: email, password, address, request_id, signal })
      return ok(toSignInResponse(user, token))
    },

    'POST /change-password': async ({ actor, body: { old_password, new_password }, address, signal }) => {
      if (!old_password || !new_password) return throwInvalid('missing old_password or new_password')
      const user_sid = actor.user_sid ?? throwApiError('forbidden')
      const user = (await readUser(database, user_sid)) ?? throwApiError('unauthorized')
      if (user.provider !== 'local') return throwInvalid('user is using oauth authentication')
      checkNewPassword(configuration, new_password, await readPasswordPolicy(database.db), 'new_password')
      const link = await verifyOldPassword(user, old_password, { actor, address, signal })
      if (old_password === new_password) return throwInvalid('new password cannot be your old password', 'new_password')
      const hash = await passwords.hash(new_password, { owner: toClientNetwork(address), signal })
      await write(actor, async (tx) => {
        await changePassword(tx, user, { hash, link })
        await sessions.endAll(user_sid, { trx: tx.trx })
      })
    },
  }
}
