import { throwApiError } from '@patchbay/contract/api/errors'
import { lockForUpdate } from '../database/engine.ts'
import type { WriteTransaction } from '../database/write-transaction.ts'

/** The user of a request. Signed-in users always have a user_sid, which the contract's `usersOnly` guarantees. */
export interface SignedInUser {
  user_sid: string | null
}

export const toUserSid = ({ user_sid }: SignedInUser): string => user_sid ?? throwApiError('forbidden')

/** Locks the user, so that concurrent requests do not overwrite what belongs to the user. */
export const lockUser = async ({ trx, engine }: WriteTransaction, user_sid: string): Promise<void> => {
  const row = trx.selectFrom('users').select('user_sid').where('user_sid', '=', user_sid)
  if ((await lockForUpdate(engine, row).execute()).length === 0) throwApiError('not_found')
}
