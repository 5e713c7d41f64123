import { randomUUID } from 'node:crypto'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { Registered, Registration as RegistrationBody } from '@patchbay/contract/registration'
import type { TokenClaims } from '@patchbay/contract/sessions'
import { isEmail } from '@patchbay/rules/identity/emails'
import { checkNewPassword, readPasswordPolicy } from '../../auth/password-policy.ts'
import { toClientNetwork } from '../../lib/client-network.ts'
import type { Services } from '../services.ts'
import { createHostedAccount } from '../shared/hosted-accounts.ts'
import type { createCodes, Registration } from './activation-codes.ts'
import type { createCodeMails } from './activation-mailer.ts'
import { isUnusedCode } from './invite-codes.ts'
import type { From } from './provider-identities.ts'
import { createRegisteringCaller } from './registering-caller.ts'
import { changeSignIn, findUserByEmail, readRootDomain, readSignInProvider } from './store.ts'

/** Registration by email: the account is created when the address is confirmed with a code. */

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

export const createEmailRegistration = (
  services: Services,
  codes: ReturnType<typeof createCodes>,
  mails: ReturnType<typeof createCodeMails>,
) => {
  const { configuration, database, passwords, sessions, tokens, write } = services

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

  return { register: registerByEmail, confirm, createAddressCode, renewCode }
}
