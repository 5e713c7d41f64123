import {
  type SystemInformation,
  type SystemInformationChange,
  systemInformation,
} from '@patchbay/contract/system-information'
import type { Kysely } from 'kysely'
import { acquireNamedLock } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/**
 * SQL of the system information, a table without a key that contains at most one row
 * (docs/reference/platform-api/tenants.md#system-information).
 */

const columns = systemInformation.keyof().options

export const readSystemInformation = (db: Kysely<Tables>): Promise<SystemInformation | undefined> =>
  db.selectFrom('system_information').select(columns).limit(1).executeTakeFirst()

/** Saves a change and returns the complete row afterwards. */
export const saveSystemInformation = async (
  write: WriteTransaction,
  change: SystemInformationChange,
): Promise<SystemInformation> => {
  const { trx, engine } = write
  await acquireNamedLock(trx, engine, 'system_information')
  const before = (await readSystemInformation(trx)) ?? null
  await (before
    ? trx.updateTable('system_information').set(change).execute()
    : trx.insertInto('system_information').values(change).execute())
  const after = await trx.selectFrom('system_information').select(columns).limit(1).executeTakeFirstOrThrow()
  write.record({ action: before ? 'update' : 'create', kind: 'system_information', sid: '', before, after })
  return after
}
