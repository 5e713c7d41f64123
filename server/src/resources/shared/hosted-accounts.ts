import { randomUUID } from 'node:crypto'
import { accountLengths } from '@patchbay/contract/accounts/record'
import { throwApiError } from '@patchbay/contract/api/errors'
import { dayMs } from '@patchbay/contract/shared/durations'
import { trialDays } from '@patchbay/rules/plans/pricing'
import { lockUsers } from '../../auth/set-password.ts'
import { checkUnique } from '../../auth/unique-user-names.ts'
import { assignStarterPlan } from '../../billing/subscription-rows.ts'
import { lockForUpdate, sqlTime } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { newWebhookSecret } from './webhook-secret.ts'

/**
 * Creation of a hosted account after registration (docs/reference/platform-api/hosted-mode.md#registration), in one
 * transaction.
 */

export interface HostedAccount {
  user_sid: string
  account_sid: string
  service_provider_sid: string
  /** Confirmed email address. */
  email: string
  /** Sign-in method of the user. */
  signIn: { provider: 'local'; hashed_password: string } | { provider: 'github' | 'google'; provider_userid: string }
  invite_code?: string | null
}

/** Public sample applications of jambonz, which a new account can call immediately. */
const sampleApplications = {
  baseUrl: 'https://public-apps.jambonz.cloud',
  statusPath: 'call-status',
  callPaths: [
    ['hello world', 'hello-world'],
    ['dial time clock', 'dial-time'],
    ['simple echo test', 'echo'],
  ],
} as const

const speech = {
  speech_synthesis_vendor: 'google',
  speech_synthesis_language: 'en-US',
  speech_synthesis_voice: 'en-US-Wavenet-C',
  speech_recognizer_vendor: 'google',
  speech_recognizer_language: 'en-US',
} as const

/**
 * Returns the domain under which accounts of a provider get their SIP realms. Rejects if the provider has no root
 * domain.
 */
export const findRootDomain = async (
  { trx, engine }: Pick<WriteTransaction, 'trx' | 'engine'>,
  service_provider_sid: string,
): Promise<string> => {
  const provider = trx
    .selectFrom('service_providers')
    .select('root_domain')
    .where('service_provider_sid', '=', service_provider_sid)
  const row = await lockForUpdate(engine, provider).executeTakeFirst()
  return (
    row?.root_domain ??
    throwApiError('root_domain_missing', { msg: `root_domain missing for service provider ${service_provider_sid}` })
  )
}

/** Claims an invite code, which is valid for one account. */
const claimInvite = async ({ trx }: WriteTransaction, invite_code: string): Promise<void> => {
  const { numUpdatedRows } = await trx
    .updateTable('beta_invite_codes')
    .set({ in_use: 1 })
    .where('invite_code', '=', invite_code)
    .where('in_use', '=', 0)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throwApiError('invite_code_invalid')
}

/**
 * Records a sign-up. Returns whether the address has had an account before, because each address gets only one trial.
 */
const recordSignUp = async ({ trx }: WriteTransaction, email: string): Promise<boolean> => {
  const existing = await trx.selectFrom('signup_history').select('email').where('email', '=', email).executeTakeFirst()
  if (existing === undefined) await trx.insertInto('signup_history').values({ email, name: email }).execute()
  return existing !== undefined
}

const insertHook = async ({ trx }: WriteTransaction, path: string): Promise<string> => {
  const webhook_sid = randomUUID()
  const url = `${sampleApplications.baseUrl}/${path}`
  await trx.insertInto('webhooks').values({ webhook_sid, url, method: 'POST' }).execute()
  return webhook_sid
}

const insertApplications = async (write: WriteTransaction, account_sid: string): Promise<void> => {
  const call_status_hook_sid = await insertHook(write, sampleApplications.statusPath)
  for (const [name, path] of sampleApplications.callPaths) {
    const application_sid = randomUUID()
    const call_hook_sid = await insertHook(write, path)
    const row = { application_sid, name, account_sid, call_hook_sid, call_status_hook_sid, ...speech }
    await write.trx.insertInto('applications').values(row).execute()
    write.record({ action: 'create', kind: 'application', sid: application_sid, before: null, after: row })
  }
}

const insertAccount = async (write: WriteTransaction, { account_sid, service_provider_sid, email }: HostedAccount) => {
  const account = {
    account_sid,
    service_provider_sid,
    name: Array.from(email).slice(0, accountLengths.name).join(''),
    is_active: 1 as const,
    webhook_secret: newWebhookSecret(),
    trial_end_date: sqlTime(write.engine, new Date(Date.now() + trialDays * dayMs)),
  }
  await write.trx.insertInto('accounts').values(account).execute()
  write.record({ action: 'create', kind: 'account', sid: account_sid, before: null, after: account })
}

const insertUser = async (
  write: WriteTransaction,
  { user_sid, account_sid, service_provider_sid, email, signIn }: HostedAccount,
): Promise<void> => {
  const user = { user_sid, account_sid, service_provider_sid, name: email, email, email_validated: 1 as const }
  await write.trx
    .insertInto('users')
    .values({ ...user, ...signIn })
    .execute()
  const after = { ...user, provider: signIn.provider }
  write.record({ action: 'create', kind: 'user', sid: user_sid, before: null, after })
}

/**
 * Creates an account with a user and sample applications. Rejects if the address has got an account in the meantime.
 */
export const createHostedAccount = async (write: WriteTransaction, hostedAccount: HostedAccount): Promise<void> => {
  const { account_sid, service_provider_sid, email, invite_code } = hostedAccount
  await findRootDomain(write, service_provider_sid)
  await lockUsers(write)
  await checkUnique(write, 'email', email, { errorCode: 'email_taken' })
  await checkUnique(write, 'name', email, { errorCode: 'email_taken' })
  if (invite_code) await claimInvite(write, invite_code)
  const isReturning = await recordSignUp(write, email)
  await insertAccount(write, hostedAccount)
  await assignStarterPlan(write, account_sid, isReturning ? 'free' : 'trial')
  await insertUser(write, hostedAccount)
  await insertApplications(write, account_sid)
}
