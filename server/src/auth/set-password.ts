import { throwApiError } from '@patchbay/contract/api/errors'
import { acquireNamedLock, lockForUpdate } from '../database/engine.ts'
import type { WriteTransaction } from '../database/write-transaction.ts'

/**
 * Serializes changes to users: tables adopted from jambonz have no unique index on names, addresses, and permissions.
 */
export const lockUsers = ({ trx, engine }: WriteTransaction): Promise<void> => acquireNamedLock(trx, engine, 'users')

export interface NewPassword {
  hash: string
  /** True if the user chose the password and need not change it. */
  chosen: boolean
}

/**
 * Changes a user's password. All changes of passwords use this function, in a transaction that holds the lock on users.
 * @param user as read when the change was allowed. If the stored hash differs by now, another change was first
 * @throws ApiError `forbidden` if the user is gone or the password has changed
 */
export const setPassword = async (
  write: WriteTransaction,
  { user_sid, hashed_password }: { user_sid: string; hashed_password: string | null },
  { hash, chosen }: NewPassword,
): Promise<void> => {
  const query = write.trx.selectFrom('users').select('hashed_password').where('user_sid', '=', user_sid)
  const current = await lockForUpdate(write.engine, query).executeTakeFirst()
  if (current === undefined || current.hashed_password !== hashed_password) throwApiError('forbidden')
  await write.trx
    .updateTable('users')
    .set({ hashed_password: hash, ...(chosen ? { force_change: 0 } : {}) })
    .where('user_sid', '=', user_sid)
    .execute()
}
