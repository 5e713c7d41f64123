import { randomBytes } from 'node:crypto'
import type { Actor } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import {
  createPhoneClientName,
  phoneClientPattern,
  phoneLimits,
  readPhoneClientExpiry,
} from '@patchbay/contract/shared/phone-clients'
import type { Kysely } from 'kysely'
import { type Database, lockForUpdate } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { createClient } from './store.ts'

/** SQL of the SIP clients with which the console calls applications. */

interface CalledApplication {
  account_sid: string
  service_provider_sid: string
  sip_realm: string
}

/** Returns the account that a call to the application belongs to, which needs a SIP realm for SIP clients. */
export const readCalledApplication = async (
  { db }: Pick<Database, 'db'>,
  application_sid: string,
): Promise<CalledApplication> => {
  const row = await db
    .selectFrom('applications')
    .leftJoin('accounts', 'accounts.account_sid', 'applications.account_sid')
    .select(['accounts.account_sid', 'accounts.service_provider_sid', 'accounts.sip_realm'])
    .where('applications.application_sid', '=', application_sid)
    .executeTakeFirst()
  if (row === undefined) return throwApiError('not_found')
  const { account_sid, service_provider_sid, sip_realm } = row
  if (account_sid === null || service_provider_sid === null)
    return throwInvalid('The application belongs to no account, so no SIP client can call it')
  if (!sip_realm) return throwInvalid('The account has no SIP realm. SIP clients need one to call')
  return { account_sid, service_provider_sid, sip_realm }
}

/** Reads the SIP clients whose name has the prefix of phone clients. */
const selectPhoneClients = (db: Kysely<Tables>) =>
  db.selectFrom('clients').select(['client_sid', 'username']).where('username', 'like', phoneClientPattern)

const countOpenSessions = async ({ trx }: WriteTransaction, account_sid: string, now: number): Promise<number> => {
  const rows = await selectPhoneClients(trx).where('account_sid', '=', account_sid).execute()
  return rows.filter(({ username }) => (readPhoneClientExpiry(username) ?? 0) > now).length
}

/** Creates a SIP client that can only call applications, and returns its credentials. */
export const createPhoneSession = async (
  write: WriteTransaction,
  actor: Actor,
  account_sid: string,
  encryption: Encryption,
) => {
  const now = Date.now()
  const expiresAt = now + phoneLimits.lifetimeMs
  const username = createPhoneClientName(expiresAt, randomBytes(8).toString('hex'))
  const password = randomBytes(24).toString('base64url')
  const settings = { is_active: 1, allow_direct_queue_calling: 0, allow_direct_user_calling: 0 } as const
  const input = { account_sid, username, password, allow_direct_app_calling: 1, ...settings } as const
  // Locks the account, so that requests at the same time count each other's clients.
  const client_sid = await createClient(write, actor, input, encryption)
  if ((await countOpenSessions(write, account_sid, now)) > phoneLimits.perAccount)
    throwApiError('too_many_requests', {
      msg: `The account has ${phoneLimits.perAccount} calls from browsers that have just started. Try again in a few minutes.`,
    })
  return { client_sid, username, password, expires_at: new Date(expiresAt).toISOString() }
}

/** Returns the SIDs of the phone clients that have expired, at most `limit`. */
export const findExpiredPhoneClients = async (
  { reader }: Pick<Database, 'reader'>,
  now: number,
  limit: number,
): Promise<string[]> => {
  const rows = await selectPhoneClients(reader).orderBy('username').execute()
  return rows
    .filter(({ username }) => (readPhoneClientExpiry(username) ?? Number.POSITIVE_INFINITY) <= now)
    .slice(0, limit)
    .map(({ client_sid }) => client_sid)
}

/** Deletes a phone client, unless the console has done so. */
export const deletePhoneClient = async (write: WriteTransaction, client_sid: string): Promise<void> => {
  const rows = write.trx.selectFrom('clients').selectAll().where('client_sid', '=', client_sid)
  const before = await lockForUpdate(write.engine, rows).executeTakeFirst()
  if (before === undefined || readPhoneClientExpiry(before.username) === undefined) return
  await write.trx.deleteFrom('clients').where('client_sid', '=', client_sid).execute()
  write.record({ action: 'delete', kind: 'client', sid: client_sid, name: before.username ?? '', before, after: null })
}
