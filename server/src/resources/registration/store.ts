import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import { lockUsers } from '../../auth/set-password.ts'
import { checkUnique } from '../../auth/unique-user-names.ts'
import { type Database, lockForUpdate } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { findRootDomain } from '../shared/hosted-accounts.ts'

/** SQL of registration and of changes of the sign-in method. */

export const readRootDomain = ({ db, engine }: Database, service_provider_sid: string): Promise<string> =>
  db.transaction().execute((trx) => findRootDomain({ trx, engine }, service_provider_sid))

/** Finds the user with this email address or name, other than `except`. */
export const findUserByEmail = (
  { db }: Database,
  email: string,
  except = '',
): Promise<{ user_sid: string; provider: string; account_sid: string | null } | undefined> =>
  db
    .selectFrom('users')
    .select(['user_sid', 'provider', 'account_sid'])
    .where((where) => where.or([where('email', '=', email), where('name', '=', email)]))
    .where('user_sid', '!=', except)
    .executeTakeFirst()

/** Returns the sign-in provider of the user with this address. */
export const readSignInProvider = async (database: Database, email: string): Promise<string | undefined> =>
  (await findUserByEmail(database, email))?.provider

/** Sets a confirmed email address of an existing user, and a password if the registration contains one. */
export const changeSignIn = async (
  write: WriteTransaction,
  { user_sid, email, hashed_password }: { user_sid: string; email: string; hashed_password: string | null },
): Promise<void> => {
  const { trx, engine } = write
  await lockUsers(write)
  await checkUnique(write, 'email', email, { except: user_sid, errorCode: 'email_taken' })
  const rows = trx
    .selectFrom('users')
    .select(['name', 'email', 'provider', 'account_sid', 'service_provider_sid'])
    .where('user_sid', '=', user_sid)
  const before = (await lockForUpdate(engine, rows).executeTakeFirst()) ?? throwApiError('activation_code_invalid')
  // The name of a user who registered is the email address, so it changes too.
  const name = before.name === before.email ? email : before.name
  if (name !== before.name) await checkUnique(write, 'name', name, { except: user_sid, errorCode: 'email_taken' })
  const change = { name, email, email_validated: 1, pending_email: null } as const
  const password = hashed_password === null ? {} : { hashed_password, provider: 'local' }
  await trx
    .updateTable('users')
    .set({ ...change, ...password })
    .where('user_sid', '=', user_sid)
    .execute()
  const after = { ...before, name, email, ...(hashed_password === null ? {} : { provider: 'local' }) }
  write.record({ action: 'update', kind: 'user', sid: user_sid, before, after })
}

interface ContactCode {
  user_sid: string
  type: 'email' | 'phone'
  code: string
}

const lockUser = async ({ trx, engine }: WriteTransaction, user_sid: string) => {
  const rows = trx.selectFrom('users').selectAll().where('user_sid', '=', user_sid)
  return lockForUpdate(engine, rows).executeTakeFirst()
}

/** Marks the address or the phone number of a user as confirmed if the code is the stored one, which is used up. */
export const confirmContact = async (write: WriteTransaction, { user_sid, type, code }: ContactCode): Promise<void> => {
  const user = await lockUser(write, user_sid)
  if (user === undefined || user[`${type}_activation_code`] !== code) return throwApiError('activation_code_invalid')
  const change =
    type === 'email'
      ? ({ email_validated: 1, email_activation_code: null } as const)
      : ({ phone_validated: 1, phone_activation_code: null } as const)
  await write.trx.updateTable('users').set(change).where('user_sid', '=', user_sid).execute()
  recordContact(write, user, { ...user, ...change })
}

/** Stores an unconfirmed address or phone number of a user, with the code that confirms it. */
export const changeContact = async (
  write: WriteTransaction,
  { user_sid, type, code, value }: ContactCode & { value: string },
): Promise<void> => {
  await lockUsers(write)
  const user = (await lockUser(write, user_sid)) ?? throwInvalid('invalid user_sid', 'user_sid')
  if (type === 'email') await checkUnique(write, 'email', value, { except: user_sid, errorCode: 'email_taken' })
  const change =
    type === 'email'
      ? ({ email: value, email_validated: 0, email_activation_code: code } as const)
      : ({ phone: value, phone_validated: 0, phone_activation_code: code } as const)
  await write.trx.updateTable('users').set(change).where('user_sid', '=', user_sid).execute()
  recordContact(write, user, { ...user, ...change })
}

type UserRow = NonNullable<Awaited<ReturnType<typeof lockUser>>>

const recordContact = (write: WriteTransaction, before: UserRow, after: UserRow): void => {
  const toAuditRecord = ({ name, email, phone, email_validated, phone_validated, ...row }: UserRow) => {
    const { account_sid, service_provider_sid } = row
    return { name, email, phone, email_validated, phone_validated, account_sid, service_provider_sid }
  }
  const records = { before: toAuditRecord(before), after: toAuditRecord(after) }
  write.record({ action: 'update', kind: 'user', sid: before.user_sid, ...records })
}
