import { throwInvalid } from '@patchbay/contract/api/errors'
import { lockForUpdate } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/**
 * Checks that an application belongs to the account that wants to refer to it, and locks the application until the end
 * of the transaction.
 */
export const checkApplication = async (
  { trx, engine }: WriteTransaction,
  application_sid: string | null | undefined,
  account_sid: string | null,
): Promise<void> => {
  if (!application_sid) return
  if (account_sid === null) return throwInvalid('account_sid missing', 'account_sid')
  const rows = trx.selectFrom('applications').select('account_sid').where('application_sid', '=', application_sid)
  const application = await lockForUpdate(engine, rows).executeTakeFirst()
  if (application === undefined) return throwInvalid('unknown application_sid', 'application_sid')
  if (application.account_sid !== account_sid)
    throwInvalid('application_sid does not exist for specified account_sid', 'application_sid')
}
