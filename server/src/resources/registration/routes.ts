import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { Registration as RegistrationBody, registrationEndpoints } from '@patchbay/contract/registration'
import { userLengths } from '@patchbay/contract/users/record'
import { isEmail } from '@patchbay/rules/identity/emails'
import type { Handlers } from '../../http/contract-router.ts'
import { noContent, ok } from '../../http/responses.ts'
import type { Caller } from '../../lib/caller.ts'
import { throttle } from '../../lib/throttle.ts'
import type { Services } from '../services.ts'
import { createCodes } from './activation-codes.ts'
import { createCodeMails } from './activation-mailer.ts'
import { createEmailRegistration } from './email-registration.ts'
import { claimCode, createInviteCodes, isUnusedCode } from './invite-codes.ts'
import { createProviderSignIn } from './oauth-sign-in.ts'
import { changeContact, confirmContact } from './store.ts'

const providers = ['local', 'github', 'google'] as const

const removeOldMs = 600_000

export const registrationRoutes = (services: Services): Handlers<keyof typeof registrationEndpoints> => {
  const { configuration, database, owners, write } = services
  const codes = createCodes(database, configuration.jwtSecret)
  const mails = createCodeMails(services)
  const byEmail = createEmailRegistration(services, codes, mails)
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
      return ok(await byEmail.register(body, service_provider_sid, changer, from, chosenCode))
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
      await byEmail.confirm(await codes.check(user_sid, code), { address, request_id, signal })
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
      const codeMail =
        isOwn && value ? await byEmail.createAddressCode(user_sid, value) : await byEmail.renewCode(user_sid)
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
