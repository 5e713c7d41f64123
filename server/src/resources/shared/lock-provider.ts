import { throwApiError } from '@patchbay/contract/api/errors'
import { lockForUpdate } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/**
 * Locks a service provider, and returns its SID as stored. Its row exists before its settings do, so the lock orders
 * concurrent changes of them.
 *
 * @throws ApiError `not_found`
 */
export const lockProvider = async ({ trx, engine }: WriteTransaction, sid: string): Promise<string> => {
  const provider = trx
    .selectFrom('service_providers')
    .select('service_provider_sid')
    .where('service_provider_sid', '=', sid)
  const row = await lockForUpdate(engine, provider).executeTakeFirst()
  return row?.service_provider_sid ?? throwApiError('not_found')
}
