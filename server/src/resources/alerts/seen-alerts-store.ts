import type { ExpressionBuilder } from 'kysely'
import { lockUser } from '../../auth/signed-in-user.ts'
import type { AlertKey } from '../../call-data/alerts/alerts.ts'
import { compareKeys } from '../../call-data/alerts/new-alerts.ts'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import { lockForUpdate } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/**
 * Remembers up to which alert a user has seen those of an owner, unless the user has seen further. The lock of the user
 * orders parallel requests. The audit trail does not record it, because it only affects what the user is shown.
 */
export const markSeen = async (
  write: WriteTransaction,
  user_sid: string,
  owner: CallOwner,
  until: AlertKey,
): Promise<void> => {
  const { trx, engine } = write
  await lockUser(write, user_sid)
  const row = { account_sid: null, service_provider_sid: null, ...owner, user_sid }
  const isOwn = (where: ExpressionBuilder<Tables, 'patchbay_seen_alerts'>) =>
    where.and([
      where('user_sid', '=', user_sid),
      where('account_sid', row.account_sid === null ? 'is' : '=', row.account_sid),
      where('service_provider_sid', row.service_provider_sid === null ? 'is' : '=', row.service_provider_sid),
    ])
  const stored = trx.selectFrom('patchbay_seen_alerts').select(['raised_at', 'raised_ns', 'fingerprint']).where(isOwn)
  // A locking read also sees what was committed after this transaction began.
  const seen = await lockForUpdate(engine, stored).executeTakeFirst()
  if (seen !== undefined && compareKeys(until, seen) <= 0) return
  await trx.deleteFrom('patchbay_seen_alerts').where(isOwn).execute()
  await trx
    .insertInto('patchbay_seen_alerts')
    .values({ ...row, ...until })
    .execute()
}
