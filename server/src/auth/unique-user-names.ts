import { type ApiErrorCode, throwApiError } from '@patchbay/contract/api/errors'
import { lockForUpdate } from '../database/engine.ts'
import type { WriteTransaction } from '../database/write-transaction.ts'

/**
 * Throws if another user has the same name or address. No unique index enforces this, so the caller must hold the lock
 * on users.
 */
export const checkUnique = async (
  { trx, engine }: WriteTransaction,
  column: 'name' | 'email',
  value: string,
  { except, errorCode = `user_${column}_taken` }: { except?: string; errorCode?: ApiErrorCode } = {},
): Promise<void> => {
  let same = trx.selectFrom('users').select('user_sid').where(column, '=', value)
  if (except) same = same.where('user_sid', '!=', except)
  if (await lockForUpdate(engine, same).executeTakeFirst()) throwApiError(errorCode, { field: column })
}
