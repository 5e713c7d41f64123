import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { DataDeletion } from '@patchbay/contract/data-deletions'
import { dayMs } from '@patchbay/contract/shared/durations'
import type { Kysely, Selectable } from 'kysely'
import { type Database, lockForUpdate } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { requestDataDeletion } from '../shared/data-deletions.ts'

/** SQL of the deletions of call data. */

const maxListed = 100

type Row = Selectable<Tables['patchbay_data_deletions']>

const toIso = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : new Date(milliseconds).toISOString()

const toDataDeletion = (row: Row): DataDeletion => ({
  data_deletion_sid: row.data_deletion_sid,
  account_sid: row.account_sid ?? '',
  status: row.finished_at !== null ? 'finished' : row.started_at === null ? 'waiting' : 'running',
  before: new Date(row.before_at ?? row.requested_at).toISOString(),
  requested_at: new Date(row.requested_at).toISOString(),
  requested_by: row.requested_by,
  started_at: toIso(row.started_at),
  finished_at: toIso(row.finished_at),
  last_error: row.last_error,
  deleted: JSON.parse(row.deleted) as DataDeletion['deleted'],
})

const selectOfAccount = (db: Kysely<Tables>, account_sid: string) =>
  db.selectFrom('patchbay_data_deletions').selectAll().where('account_sid', '=', account_sid)

export const listDataDeletions = async ({ reader }: Database, account_sid: string): Promise<DataDeletion[]> => {
  const rows = await selectOfAccount(reader, account_sid)
    .orderBy('requested_at', 'desc')
    .orderBy('data_deletion_sid')
    .limit(maxListed)
    .execute()
  return rows.map(toDataDeletion)
}

const startOfDay = (milliseconds: number): number => Math.floor(milliseconds / dayMs) * dayMs

/**
 * Requests the deletion of the data of the UTC days that ended before a time. Returns a deletion of the same days that is
 * not finished instead.
 * @param before ISO 8601. Default: now
 * @throws ApiError `data_deletion_running` if one of other days is not finished
 */
export const createDataDeletion = async (
  write: WriteTransaction,
  account_sid: string,
  before: string | undefined,
): Promise<DataDeletion> => {
  const { trx, engine } = write
  const now = Date.now()
  const end = before === undefined ? now : Date.parse(before)
  if (end > now) throwInvalid('before must not be in the future', 'before')
  const account = trx
    .selectFrom('accounts')
    .select(['account_sid', 'name', 'service_provider_sid'])
    .where('account_sid', '=', account_sid)
  // Calls name the account as its row does, whatever the case of the SID in the request.
  const row = (await lockForUpdate(engine, account).executeTakeFirst()) ?? throwApiError('not_found')
  const before_at = startOfDay(end)
  const running = await selectOfAccount(trx, row.account_sid).where('finished_at', 'is', null).executeTakeFirst()
  if (running !== undefined)
    return running.before_at === before_at ? toDataDeletion(running) : throwApiError('data_deletion_running')
  const sid = await requestDataDeletion(write, { account_sid: row.account_sid }, before_at)
  write.record({
    action: 'delete',
    kind: 'call_data',
    sid,
    name: row.name,
    owner: { account_sid: row.account_sid, service_provider_sid: row.service_provider_sid },
    before: { before: new Date(before_at).toISOString() },
    after: null,
  })
  const created = selectOfAccount(trx, row.account_sid).where('data_deletion_sid', '=', sid)
  return toDataDeletion(await created.executeTakeFirstOrThrow())
}
