import { throwApiError } from '@patchbay/contract/errors'
import { lockForUpdate, acquireNamedLock } from '../database/engine.ts'
import type { WriteTransaction } from '../database/write-transaction.ts'

/** Adopted tables have no unique index on names and addresses, and none keeps a permission from being there twice. */
export const oneUserAtATime = ({ trx, engine }: WriteTransaction): Promise<void> =>
  acquireNamedLock(trx, engine, 'users')

export interface NewPassword {
  hash: string
  /** by the user, who then need not change it again */
  chosen: boolean
}

/**
 * The one place that gives a user another password, in a transaction that has its turn. The user is as read when the
 * change was allowed; another stored hash by now means that somebody else was first.
 */
export const setPassword = async (
  write: WriteTransaction,
  { user_sid, hashed_password }: { user_sid: string; hashed_password: string | null },
  { hash, chosen }: NewPassword,
): Promise<void> => {
  const standing = write.trx.selectFrom('users').select('hashed_password').where('user_sid', '=', user_sid)
  const now = await lockForUpdate(write.engine, standing).executeTakeFirst()
  if (now === undefined || now.hashed_password !== hashed_password) throwApiError('forbidden')
  await write.trx
    .updateTable('users')
    .set({ hashed_password: hash, ...(chosen ? { force_change: 0 } : {}) })
    .where('user_sid', '=', user_sid)
    .execute()
}
