import { throwInvalid, throwApiError } from '@patchbay/contract/api/errors'
import type {
  Registered,
  Registration as RegistrationBody,
  registrationEndpoints,
} from '@patchbay/contract/registration'
import { isEmail } from '@patchbay/rules/identity/emails'
import type { TokenClaims } from '@patchbay/contract/sessions'
import { userLengths } from '@patchbay/contract/users/record'
import { randomUUID } from 'node:crypto'
import type { Caller } from '../../lib/caller.ts'
import { noContent, ok } from '../../http/responses.ts'
import type { Context, Handlers } from '../../http/contract-router.ts'
import { toClientNetwork } from '../../lib/client-network.ts'
import { throttle } from '../../lib/throttle.ts'
import type { Services } from '../services.ts'
import { createHostedAccount } from '../shared/hosted-accounts.ts'
import { checkNewPassword, readPasswordPolicy } from '../../auth/password-policy.ts'
import { createProviderSignIn } from './oauth-sign-in.ts'
import { createCodes, type Registration } from './activation-codes.ts'
import { createCodeMails } from './activation-mailer.ts'
import { isUnusedCode, claimCode, createInviteCodes } from './invite-codes.ts'
import { createRegisteringCaller } from './registering-caller.ts'
import {
  changeContact,
  changeSignIn,
  confirmContact,
  readRootDomain,
  readSignInProvider,
  findUserByEmail,
} from './store.ts'

const providers = ['local', 'github', 'google'] as const

const removeOldMs = 600_000

/** Returns the token claims of a user who registers by email. The account is created when the address is confirmed. */
const createClaims = (
  user_sid: string,
  account_sid: string,
  service_provider_sid: string,
  email: string,
): TokenClaims => ({
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
  const providerSignIn = createProviderSignIn(services)
  const removeOld = throttle(removeOldMs, codes.removeOld)

  const isHosted = configuration.hosting !== null

  const isAdmin = (actor: Caller | undefined): boolean =>
    actor?.scope === 'admin' && !actor.is_view_only && !actor.must_change_password && actor.reset_link === undefined

  /** Without hosted mode, only administrators can register customers, and they choose the activation codes. */
  const checkHosting = (actor?: Caller) => {
    if (!isHosted && !isAdmin(actor)) throwApiError('not_found')
  }

  /** Returns a caller who may use codes in the user's row: an administrator, or without hosted mode the user. */
  const getContactCaller = (actor: Caller | undefined, user_sid: string): Caller | undefined => {
    if (isAdmin(actor)) return actor
    const isOwn = actor?.token === 'user' && actor.user_sid === user_sid && !actor.must_change_password
    return !isHosted && isOwn && !actor.is_view_only ? actor : undefined
  }

  /** Returns the signed-in user who changes the sign-in method. Must be an active user of an account. */
  const getChanger = (actor: Caller | undefined): { user_sid: string; account_sid: string } | undefined => {
    if (actor === undefined || actor.token !== 'user') return undefined
    if (actor.must_change_password || actor.reset_link !== undefined) throwApiError('password_change_required')
    const { user_sid, account_sid } = actor
    return user_sid !== null && account_sid !== null ? { user_sid, account_sid } : throwApiError('forbidden')
  }

  const parseProvider = async (body: RegistrationBody) => {
    const { provider, service_provider_sid } = body
    if (!provider) return throwInvalid('missing provider', 'provider')
    if (!service_provider_sid) return throwInvalid('missing service_provider_sid', 'service_provider_sid')
    if ((await owners.service_provider(service_provider_sid)) === undefined)
      return throwApiError('unusable_registration', {
        msg: 'invalid service_provider_sid',
        field: 'service_provider_sid',
      })
    const supported = providers.find((one) => one === provider)
    if (supported === undefined)
      return throwApiError('unusable_registration', { msg: `invalid provider: ${provider}`, field: 'provider' })
    return { provider: supported, service_provider_sid }
  }

  const checkCredentials = async ({
    email,
    password,
  }: RegistrationBody): Promise<{ email: string; password: string }> => {
    if (!email || !password) return throwInvalid('missing email or password', email ? 'password' : 'email')
    if (!isEmail(email)) return throwInvalid('invalid email', 'email')
    if (password.length < 6) return throwInvalid('password must be at least 6 characters', 'password')
    checkNewPassword(configuration, password, await readPasswordPolicy(database.db), 'password')
    return { email, password }
  }

  const checkInvite = async (code: string | null | undefined): Promise<string | null> => {
    if (!code) return null
    return (await isUnusedCode(database, code)) ? code : throwApiError('invite_code_invalid')
  }

  /**
   * Existing and new addresses get the same response after the same work, and only the mail differs. The jambonz API
   * rejects existing addresses, which reveals to everybody who has an account.
   */
  const registerByEmail = async (
    body: RegistrationBody,
    service_provider_sid: string,
    changer: { user_sid: string; account_sid: string } | undefined,
    { address, request_id, signal }: From,
    chosenCode: string | undefined,
  ): Promise<Registered> => {
    const { email, password } = await checkCredentials(body)
    const invite_code = await checkInvite(body.inviteCode)
    const root_domain = await readRootDomain(database, service_provider_sid)
    const hashed_password = await passwords.hash(password, { owner: toClientNetwork(address), signal })
    const { user_sid, account_sid } = changer ?? { user_sid: randomUUID(), account_sid: randomUUID() }
    const existing = await findUserByEmail(database, email, changer?.user_sid)
    const tenant = changer ? {} : { account_sid, service_provider_sid, invite_code }
    if (chosenCode !== undefined && existing !== undefined) throwApiError('email_taken')
    const code = await codes.create({ user_sid, email, hashed_password, ...tenant }, existing !== undefined, chosenCode)
    if (chosenCode === undefined)
      mails.sendInBackground({ email, code, existingProvider: existing?.provider, address, request_id })
    const issued = await tokens.issue(createClaims(user_sid, account_sid, service_provider_sid, email))
    const { token: jwt, expiresAt } = issued ?? throwApiError('unauthorized')
    await sessions.start(jwt, user_sid, expiresAt)
    const identityResponse = {
      jwt,
      user_sid,
      account_sid,
      name: email,
      email,
      provider: 'local',
      email_validated: false,
    }
    if (changer) return identityResponse
    const state = { pristine: true, is_active: false, phone_validated: false, tutorial_completion: 0 } as const
    return { ...identityResponse, root_domain, ...state, scope: 'read-write' }
  }

  const confirm = async (registration: Registration, from: From): Promise<void> => {
    const { user_sid, account_sid, service_provider_sid, email, hashed_password, invite_code } = registration
    await write(createRegisteringCaller(registration, from), async (tx) => {
      await codes.consume(tx, user_sid)
      if (account_sid === null || service_provider_sid === null || hashed_password === null) {
        await changeSignIn(tx, { user_sid, email, hashed_password })
        return
      }
      const signIn = { provider: 'local', hashed_password } as const
      await createHostedAccount(tx, { user_sid, account_sid, service_provider_sid, email, signIn, invite_code })
    })
  }

  /** Creates a code for a new address of an existing user. */
  const createAddressCode = async (user_sid: string, email: string | null | undefined) => {
    if (!email || !isEmail(email)) return throwInvalid('invalid email', 'value')
    const existing = await findUserByEmail(database, email, user_sid)
    return {
      email,
      existingProvider: existing?.provider,
      code: await codes.create({ user_sid, email }, existing !== undefined),
    }
  }

  const renewCode = async (user_sid: string) => {
    const registration = (await codes.find(user_sid)) ?? throwInvalid('invalid user_sid', 'user_sid')
    const code = await codes.renew(registration)
    const existingProvider =
      code === undefined ? ((await readSignInProvider(database, registration.email)) ?? 'local') : undefined
    return { email: registration.email, code, existingProvider }
  }

  return {
    'POST /register': async ({ actor, body, address, request_id, signal }) => {
      checkHosting(actor)
      const { provider, service_provider_sid } = await parseProvider(body)
      const choosesCode = !isHosted && isAdmin(actor)
      const changer = choosesCode ? undefined : getChanger(actor)
      if (!(await mails.consumeRegistration(address))) throwApiError('too_many_requests')
      await removeOld()
      if (provider !== 'local') {
        const request = { provider, service_provider_sid, changer }
        return ok(await providerSignIn.register(body, request, { address, request_id, signal }))
      }
      const from = { address, request_id, signal }
      const chosenCode = (choosesCode && body.email_activation_code) || undefined
      return ok(await registerByEmail(body, service_provider_sid, changer, from, chosenCode))
    },

    'POST /patchbay/sign-in-links': async ({ body: { ticket, password }, address, request_id, signal }) => {
      checkHosting()
      if (!(await mails.consumeLink(address))) throwApiError('too_many_requests')
      return ok(await providerSignIn.linkByPassword(ticket, password, { address, request_id, signal }))
    },

    'PUT /ActivationCode/:code': async ({
      actor,
      params: { code },
      body: { user_sid, type },
      address,
      request_id,
      signal,
    }) => {
      const contactCaller = getContactCaller(actor, user_sid)
      const pending = await codes.find(user_sid)
      if (contactCaller === undefined && pending === undefined) checkHosting(actor)
      if (!(await mails.consumeConfirmation(address))) throwApiError('too_many_requests')
      if (contactCaller !== undefined && (type !== 'email' || pending === undefined)) {
        const contact = { user_sid, type: type === 'email' ? 'email' : 'phone', code } as const
        await write(contactCaller, (tx) => confirmContact(tx, contact))
        return
      }
      if (type !== 'email') return throwApiError('activation_code_invalid')
      const { email } = pending ?? throwApiError('activation_code_invalid')
      if (!(await mails.consumeGuess(email))) throwApiError('too_many_activation_attempts')
      await confirm(await codes.check(user_sid, code), { address, request_id, signal })
    },

    'POST /ActivationCode': async ({ actor, body: { user_sid, type, value, code }, address, request_id }) => {
      const contactCaller = isHosted ? undefined : getContactCaller(actor, user_sid)
      if (contactCaller !== undefined) {
        if (type !== 'email' && type !== 'phone') return throwInvalid(`invalid activation type: ${type ?? ''}`, 'type')
        // PUT /Users/:user_sid requires the password if the address can receive links to reset it.
        if (type === 'email' && !isAdmin(actor))
          return throwInvalid('use PUT /Users/:user_sid to change the email address', 'type')
        if (!value || (type === 'email' && !isEmail(value))) return throwInvalid(`invalid ${type}`, 'value')
        if (value.length > (type === 'email' ? 255 : 20)) throwInvalid(`invalid ${type}`, 'value')
        if (!code || code.length > userLengths.email_activation_code) return throwInvalid('invalid code', 'code')
        await write(contactCaller, (tx) => changeContact(tx, { user_sid, type, code, value }))
        return
      }
      checkHosting()
      if (type !== 'email') return throwInvalid(`invalid activation type: ${type ?? ''}`, 'type')
      if (!(await mails.consumeRegistration(address))) throwApiError('too_many_requests')
      const isOwn = actor?.token === 'user' && actor.user_sid === user_sid && !actor.must_change_password
      const codeMail = isOwn && value ? await createAddressCode(user_sid, value) : await renewCode(user_sid)
      mails.sendInBackground({ ...codeMail, address, request_id })
    },

    'POST /InviteCodes': async ({ body: { code, test }, address }) => {
      checkHosting()
      if (!(await mails.consumeInviteCode(address))) throwApiError('too_many_requests')
      const isValid = test ? await isUnusedCode(database, code ?? '') : await claimCode(database, code ?? '')
      return isValid ? noContent : throwApiError('not_found')
    },

    'POST /BetaInviteCodes': async ({ actor, body: { count } }) => {
      checkHosting(actor)
      const inviteCodes = await write(actor, (tx) => createInviteCodes(tx, Math.max(count ?? 1, 1)))
      return ok({ status: 'ok' as const, added: inviteCodes.length, codes: inviteCodes })
    },
  }
}
