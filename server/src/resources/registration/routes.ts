import { throwInvalid, throwApiError } from '@patchbay/contract/errors'
import type { Registered, Registration as Given, registrationEndpoints } from '@patchbay/contract/registration'
import { isEmail } from '@patchbay/contract/identity/emails'
import type { TokenClaims } from '@patchbay/contract/sessions'
import { randomUUID } from 'node:crypto'
import type { Caller } from '../../lib/caller.ts'
import { noContent, ok } from '../../http/responses.ts'
import type { Context, Handlers } from '../../http/contract-router.ts'
import { toClientNetwork } from '../../lib/client-network.ts'
import { throttle } from '../../lib/throttle.ts'
import type { Services } from '../services.ts'
import { createHostedAccount } from '../shared/hosted-accounts.ts'
import { checkPassword, readPasswordPolicy } from '../../auth/password-policy.ts'
import { createProviderSignIn } from './oauth-sign-in.ts'
import { createCodes, type Registration } from './activation-codes.ts'
import { createCodeMails } from './activation-mailer.ts'
import { isUnusedCode, claimCode, makeCodes } from './invite-codes.ts'
import { registeringCaller } from './registering-caller.ts'
import { changeSignIn, readRootDomain, readSignIn, userWithEmail } from './store.ts'

const providers = ['local', 'github', 'google'] as const

const removeOldMilliseconds = 600_000

/** What a token of one who registers by e-mail says; the account is there once the address is confirmed. */
const claimsOf = (user_sid: string, account_sid: string, service_provider_sid: string, email: string): TokenClaims => ({
  scope: 'account',
  user_sid,
  account_sid,
  service_provider_sid,
  name: email,
  email,
  permissions: [],
  is_view_only: false,
})

type From = Pick<Context<'POST /register'>, 'address' | 'request_id' | 'signal'>

export const registrationRoutes = (services: Services): Handlers<keyof typeof registrationEndpoints> => {
  const { configuration, database, owners, passwords, sessions, tokens, write } = services
  const codes = createCodes(database, configuration.jwtSecret)
  const mails = createCodeMails(services)
  const byProvider = createProviderSignIn(services)
  const removeOld = throttle(removeOldMilliseconds, codes.removeOld)

  const checkHosting = () => void (configuration.hosting ?? throwApiError('not_found'))

  /** Who may change how they sign in: a user of an account, who may act. */
  const changerOf = (actor: Caller | undefined): { user_sid: string; account_sid: string } | undefined => {
    if (actor === undefined || actor.token !== 'user') return undefined
    if (actor.must_change_password || actor.reset_link !== undefined) throwApiError('password_change_required')
    const { user_sid, account_sid } = actor
    return user_sid !== null && account_sid !== null ? { user_sid, account_sid } : throwApiError('forbidden')
  }

  const providerOf = async (body: Given) => {
    const { provider, service_provider_sid } = body
    if (!provider) return throwInvalid('missing provider', 'provider')
    if (!service_provider_sid) return throwInvalid('missing service_provider_sid', 'service_provider_sid')
    if ((await owners.service_provider(service_provider_sid)) === undefined)
      return throwApiError('unusable_registration', {
        msg: 'invalid service_provider_sid',
        field: 'service_provider_sid',
      })
    const known = providers.find((one) => one === provider)
    if (known === undefined)
      return throwApiError('unusable_registration', { msg: `invalid provider: ${provider}`, field: 'provider' })
    return { provider: known, service_provider_sid }
  }

  const checkCredentials = async ({ email, password }: Given): Promise<{ email: string; password: string }> => {
    if (!email || !password) return throwInvalid('missing email or password', email ? 'password' : 'email')
    if (!isEmail(email)) return throwInvalid('invalid email', 'email')
    if (password.length < 6) return throwInvalid('password must be at least 6 characters', 'password')
    checkPassword(password, await readPasswordPolicy(database.db), 'password')
    return { email, password }
  }

  const checkInvite = async (code: string | null | undefined): Promise<string | null> => {
    if (!code) return null
    return (await isUnusedCode(database, code)) ? code : throwApiError('invite_code_refused')
  }

  /**
   * Known and unknown addresses are answered alike, after the same work; only the mail differs. On the wire a known one is
   * refused, which tells everybody who has an account.
   */
  const byEmail = async (
    body: Given,
    service_provider_sid: string,
    changer: { user_sid: string; account_sid: string } | undefined,
    { address, request_id, signal }: From,
  ): Promise<Registered> => {
    const { email, password } = await checkCredentials(body)
    const invite_code = await checkInvite(body.inviteCode)
    const root_domain = await readRootDomain(database, service_provider_sid)
    const hashed_password = await passwords.hash(password, { owner: toClientNetwork(address), signal })
    const { user_sid, account_sid } = changer ?? { user_sid: randomUUID(), account_sid: randomUUID() }
    const known = await userWithEmail(database, email, changer?.user_sid)
    const tenant = changer ? {} : { account_sid, service_provider_sid, invite_code }
    const code = await codes.begin({ user_sid, email, hashed_password, ...tenant }, known !== undefined)
    mails.sendSoon({ email, code, knownAs: known?.provider, address, request_id })
    const issued = await tokens.issue(claimsOf(user_sid, account_sid, service_provider_sid, email))
    const { token: jwt, expiresAt } = issued ?? throwApiError('unauthorized')
    await sessions.start(jwt, user_sid, expiresAt)
    const who = { jwt, user_sid, account_sid, name: email, email, provider: 'local', email_validated: false }
    if (changer) return who
    const state = { pristine: true, is_active: false, phone_validated: false, tutorial_completion: 0 } as const
    return { ...who, root_domain, ...state, scope: 'read-write' }
  }

  const confirm = async (registration: Registration, from: From): Promise<void> => {
    const { user_sid, account_sid, service_provider_sid, email, hashed_password, invite_code } = registration
    await write(registeringCaller(registration, from), async (tx) => {
      await codes.useUp(tx, user_sid)
      if (account_sid === null || service_provider_sid === null || hashed_password === null) {
        await changeSignIn(tx, { user_sid, email, hashed_password })
        return
      }
      const signIn = { provider: 'local', hashed_password } as const
      await createHostedAccount(tx, { user_sid, account_sid, service_provider_sid, email, signIn, invite_code })
    })
  }

  /** A user who exists, and gives a new address. */
  const newAddress = async (user_sid: string, email: string | null | undefined) => {
    if (!email || !isEmail(email)) return throwInvalid('invalid email', 'value')
    const known = await userWithEmail(database, email, user_sid)
    return { email, knownAs: known?.provider, code: await codes.begin({ user_sid, email }, known !== undefined) }
  }

  const anotherCode = async (user_sid: string) => {
    const waiting = (await codes.find(user_sid)) ?? throwInvalid('invalid user_sid', 'user_sid')
    const code = await codes.again(waiting)
    const knownAs = code === undefined ? ((await readSignIn(database, waiting.email)) ?? 'local') : undefined
    return { email: waiting.email, code, knownAs }
  }

  return {
    'POST /register': async ({ actor, body, address, request_id, signal }) => {
      checkHosting()
      const { provider, service_provider_sid } = await providerOf(body)
      const changer = changerOf(actor)
      if (!(await mails.mayRegister(address))) throwApiError('too_many_requests')
      await removeOld()
      if (provider !== 'local') {
        const asked = { provider, service_provider_sid, changer }
        return ok(await byProvider.register(body, asked, { address, request_id, signal }))
      }
      return ok(await byEmail(body, service_provider_sid, changer, { address, request_id, signal }))
    },

    'POST /patchbay/sign-in-links': async ({ body: { ticket, password }, address, request_id, signal }) => {
      checkHosting()
      if (!(await mails.mayLink(address))) throwApiError('too_many_requests')
      return ok(await byProvider.linkByPassword(ticket, password, { address, request_id, signal }))
    },

    'PUT /ActivationCode/:code': async ({
      params: { code },
      body: { user_sid, type },
      address,
      request_id,
      signal,
    }) => {
      checkHosting()
      if (!(await mails.mayConfirm(address))) throwApiError('too_many_requests')
      if (type !== 'email') return throwApiError('wrong_code')
      const { email } = (await codes.find(user_sid)) ?? throwApiError('wrong_code')
      if (!(await mails.mayGuess(email))) throwApiError('too_many_codes')
      await confirm(await codes.check(user_sid, code), { address, request_id, signal })
      return noContent
    },

    'POST /ActivationCode': async ({ actor, body: { user_sid, type, value }, address, request_id }) => {
      checkHosting()
      if (type !== 'email') return throwInvalid(`invalid activation type: ${type ?? ''}`, 'type')
      if (!(await mails.mayRegister(address))) throwApiError('too_many_requests')
      const isOwn = actor?.token === 'user' && actor.user_sid === user_sid && !actor.must_change_password
      const letter = isOwn && value ? await newAddress(user_sid, value) : await anotherCode(user_sid)
      mails.sendSoon({ ...letter, address, request_id })
      return noContent
    },

    'POST /InviteCodes': async ({ body: { code, test }, address }) => {
      checkHosting()
      if (!(await mails.mayTryCode(address))) throwApiError('too_many_requests')
      const isGood = test ? await isUnusedCode(database, code ?? '') : await claimCode(database, code ?? '')
      return isGood ? noContent : throwApiError('not_found')
    },

    'POST /BetaInviteCodes': async ({ actor, body: { count } }) => {
      checkHosting()
      const made = await write(actor, (tx) => makeCodes(tx, Math.max(count ?? 1, 1)))
      return ok({ status: 'ok' as const, added: made.length, codes: made })
    },
  }
}
