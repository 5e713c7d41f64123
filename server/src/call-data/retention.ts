import { setTimeout as pause } from 'node:timers/promises'
import { dayMs, hourMs } from '@patchbay/contract/shared/durations'
import type { FastifyBaseLogger } from 'fastify'
import { sql, type Transaction } from 'kysely'
import { auditTables, toMoment } from '../database/audit-tables.ts'
import { type Database, inTransaction, lockForUpdate } from '../database/engine.ts'
import type { Tables } from '../database/tables.ts'
import { observeJob } from '../lib/run-periodically.ts'
import { hourCounts, toHourNumber } from './calls/call-counts.ts'
import { callDataTables } from './calls/call-data-tables.ts'
import { owners, subtractFromCounts } from './calls/count-table.ts'
import { removeOldestTranscripts } from './conversations/transcripts.ts'

/**
 * Deletes call data and audit entries after their retention period, oldest first. Each batch is a separate transaction,
 * so that other work is not delayed.
 */

const batchSize = 500
const pauseMs = 20

/** Deletes a batch of an owner's calls of one hour and subtracts them from the counts. Returns the number of calls. */
const removeCalls = async (
  { engine }: Database,
  trx: Transaction<Tables>,
  { owner_sid, hour }: { owner_sid: string; hour: number },
): Promise<number> => {
  for (const owner of owners) {
    const batch = trx
      .selectFrom('patchbay_calls')
      .select([
        'account_sid',
        'service_provider_sid',
        'attempted_at',
        'attempted_ns',
        'call_key',
        'trunk',
        'direction',
        'answered',
      ])
      .where(owner, '=', owner_sid)
      .where('attempted_at', '>=', hour * hourMs)
      .where('attempted_at', '<', (hour + 1) * hourMs)
      .limit(batchSize)
    const calls = await lockForUpdate(engine, batch).execute()
    if (calls.length === 0) continue
    for (const { account_sid, attempted_at, attempted_ns, call_key } of calls)
      await trx
        .deleteFrom('patchbay_calls')
        .where('account_sid', '=', account_sid)
        .where('attempted_at', '=', attempted_at)
        .where('attempted_ns', '=', attempted_ns)
        .where('call_key', '=', call_key)
        .execute()
    await subtractFromCounts(trx, hourCounts, calls)
    return calls.length
  }
  // Counts remain although there are no calls, so nothing can be subtracted from them any more.
  await trx.deleteFrom('patchbay_call_hours').where('owner_sid', '=', owner_sid).where('hour', '=', hour).execute()
  return 0
}

/**
 * Deletes one batch of calls. Returns false if there was nothing to delete. Deletes whole hours, so a call may be kept
 * up to an hour longer.
 */
const removeCallBatch = async (database: Database, before: number): Promise<boolean> => {
  const oldest = await database.db
    .selectFrom('patchbay_call_hours')
    .select(['owner_sid', 'hour'])
    .where('hour', '<', toHourNumber(before))
    .orderBy('hour')
    .limit(1)
    .executeTakeFirst()
  if (oldest === undefined) return false
  await inTransaction(database, (trx) => removeCalls(database, trx, oldest))
  return true
}

/**
 * Deletes a batch from a table without counts. `time` is the time column, and `before` is in its unit. Returns false if
 * there was nothing to delete.
 */
export const removeOldestRows = async (
  { db }: Database,
  table: keyof Tables,
  time: string,
  before: number,
): Promise<boolean> => {
  const column = sql.ref(time)
  const { rows } = await sql<{ moment: number }>`
    SELECT ${column} AS moment FROM ${sql.table(table)} WHERE ${column} < ${before}
    ORDER BY ${column} LIMIT ${sql.lit(batchSize)}`.execute(db)
  const last = rows.at(-1)
  if (last === undefined) return false
  await sql`DELETE FROM ${sql.table(table)} WHERE ${column} <= ${last.moment}`.execute(db)
  return true
}

type Step = (database: Database, before: number) => Promise<boolean>

const steps = {
  calls: [
    removeCallBatch,
    (database, before) => removeOldestTranscripts(database, before, batchSize),
    ...callDataTables
      .filter(({ expires }) => expires !== false)
      .map(
        ({ table, time, toUnit = (milliseconds) => milliseconds }): Step =>
          (database, before) =>
            removeOldestRows(database, table, time, toUnit(before)),
      ),
  ],
  health: [
    (database, before) => removeOldestRows(database, 'patchbay_carrier_health_changes', 'changed_at', before),
    (database, before) => removeOldestRows(database, 'patchbay_carrier_health_watches', 'until_at', before),
  ],
  signIns: [
    (database, before) => removeOldestRows(database, 'patchbay_registrations', 'expires_at', before),
    (database, before) => removeOldestRows(database, 'patchbay_link_tickets', 'expires_at', before),
    (database, before) => removeOldestRows(database, 'patchbay_reset_links', 'expires_at', before),
    (database, before) => removeOldestRows(database, 'patchbay_sessions', 'expires_at', before),
  ],
  audit: [
    async (database, before) => {
      const removed: boolean[] = []
      for (const table of auditTables(database.engine))
        removed.push(await removeOldestRows(database, table, 'moment', toMoment(before)))
      return removed.includes(true)
    },
  ],
} satisfies Record<string, readonly Step[]>
export type RetainedData = keyof typeof steps

/** Deletes data from before a time, in milliseconds since the Unix epoch, until the signal aborts. */
export const removeBefore = async (
  database: Database,
  data: RetainedData,
  before: number,
  signal?: AbortSignal,
): Promise<void> => {
  for (const step of steps[data]) {
    const removeBatch = async () => signal?.aborted !== true && (await step(database, before))
    while (await removeBatch()) await pause(pauseMs)
  }
}

/**
 * Deletes data that is older than `days` immediately and then every ten minutes. With 0 days, data is kept
 * indefinitely. `remove` receives a time in milliseconds since the Unix epoch. Returns a function that stops the
 * deletion.
 */
export const startRetention = (
  dataName: string,
  days: number,
  remove: (before: number, stop: AbortSignal) => Promise<void>,
  logger: FastifyBaseLogger,
): (() => Promise<void>) => {
  if (days === 0) return () => Promise.resolve()
  const stopping = new AbortController()
  const sweep = async () => {
    try {
      await observeJob(`retention_${dataName}`, () => remove(Date.now() - days * dayMs, stopping.signal))
    } catch (error) {
      logger.error({ err: error, data: dataName }, 'expired data could not be deleted; retrying in ten minutes')
    }
  }
  let sweeping = sweep()
  const timer = setInterval(() => {
    sweeping = sweeping.then(sweep)
  }, 600_000)
  return async () => {
    clearInterval(timer)
    stopping.abort()
    await sweeping
  }
}
