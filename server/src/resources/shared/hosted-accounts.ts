import { throwApiError } from '@patchbay/contract/errors'
import { accountLengths } from '@patchbay/contract/shared/column-lengths'
import { trialDays } from '@patchbay/contract/plans/pricing'
import { randomUUID } from 'node:crypto'
import { lockForUpdate, sqlTime } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { assignStarterPlan } from '../../billing/subscription-rows.ts'
import { lockUsers } from '../../auth/set-password.ts'
import { checkUnique } from '../../auth/unique-user-names.ts'
import { newWebhookSecret } from './webhook-secret.ts'

/** What a visitor who registers is given (api/4-calls-and-hosted.md §5.1): all of it in one transaction. */

export interface HostedAccount {
  user_sid: string
  account_sid: string
  service_provider_sid: string
  /** proven to be theirs */
  email: string
  /** how they sign in */
  signIn: { provider: 'local'; hashed_password: string } | { provider: 'github' | 'google'; provider_userid: string }
  invite_code?: string | null
}

const dayMilliseconds = 86_400_000

/** The platform's public applications, which a newcomer can call at once. */
const sampleApplications = {
  at: 'https://public-apps.jambonz.cloud',
  status: 'call-status',
  calls: [
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

/** Whose accounts have a domain of their own below it; refused where the provider has none. */
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
    throwApiError('no_root_domain', { msg: `root_domain missing for service provider ${service_provider_sid}` })
  )
}

/** A code is good for one account. */
const claimInvite = async ({ trx }: WriteTransaction, invite_code: string): Promise<void> => {
  const { numUpdatedRows } = await trx
    .updateTable('beta_invite_codes')
    .set({ in_use: 1 })
    .where('invite_code', '=', invite_code)
    .where('in_use', '=', 0)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throwApiError('invite_code_refused')
}

/** True for who has had an account before: a trial is had once. */
const signUp = async ({ trx }: WriteTransaction, email: string): Promise<boolean> => {
  const known = await trx.selectFrom('signup_history').select('email').where('email', '=', email).executeTakeFirst()
  if (known === undefined) await trx.insertInto('signup_history').values({ email, name: email }).execute()
  return known !== undefined
}

const insertHook = async ({ trx }: WriteTransaction, path: string): Promise<string> => {
  const webhook_sid = randomUUID()
  const url = `${sampleApplications.at}/${path}`
  await trx.insertInto('webhooks').values({ webhook_sid, url, method: 'POST' }).execute()
  return webhook_sid
}

const insertApplications = async (write: WriteTransaction, account_sid: string): Promise<void> => {
  const call_status_hook_sid = await insertHook(write, sampleApplications.status)
  for (const [name, path] of sampleApplications.calls) {
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
    trial_end_date: sqlTime(write.engine, new Date(Date.now() + trialDays * dayMilliseconds)),
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

/** Refused where the address has an account already: it may have come to one since the visitor began. */
export const createHostedAccount = async (write: WriteTransaction, given: HostedAccount): Promise<void> => {
  const { account_sid, service_provider_sid, email, invite_code } = given
  await findRootDomain(write, service_provider_sid)
  await lockUsers(write)
  await checkUnique(write, 'email', email, { refusal: 'email_taken' })
  await checkUnique(write, 'name', email, { refusal: 'email_taken' })
  if (invite_code) await claimInvite(write, invite_code)
  const isReturning = await signUp(write, email)
  await insertAccount(write, given)
  await assignStarterPlan(write, account_sid, isReturning ? 'free' : 'trial')
  await insertUser(write, given)
  await insertApplications(write, account_sid)
}
