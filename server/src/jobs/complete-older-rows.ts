import { dayMs } from '@patchbay/contract/shared/durations'
import { sql } from 'kysely'
import { groupStoredAlerts } from '../call-data/alerts/alert-group-keys.ts'
import { applicationCounts, outcomeCounts } from '../call-data/calls/call-counts.ts'
import { type OwnerHour, recountCalls } from '../call-data/calls/count-table.ts'
import { type Database, inTransaction } from '../database/engine.ts'
import { migrationTable } from '../database/schema-version.ts'

/**
 * Completes the rows that processes of an older version store during an upgrade without an interruption, after the first
 * process of the new version has changed the schema. They count no calls by outcome and application, and group no alerts.
 */

/** Time after a change of the schema in which processes of older versions can run. */
const upgradeMs = dayMs

/** Maximum hours that are recounted in one run. */
const maxHours = 1000

/** Returns the hours whose counts by outcome differ from the counts that all versions maintain. */
const findIncompleteHours = ({ reader }: Database): Promise<OwnerHour[]> =>
  reader
    .with('counted', (db) =>
      db
        .selectFrom('patchbay_call_outcomes')
        .select((select) => ['owner_sid', 'hour', select.fn.sum<number>('calls').as('calls')])
        .groupBy(['owner_sid', 'hour']),
    )
    .selectFrom('patchbay_call_hours as hours')
    .leftJoin('counted', (join) =>
      join.onRef('counted.owner_sid', '=', 'hours.owner_sid').onRef('counted.hour', '=', 'hours.hour'),
    )
    .select(['hours.owner_sid', 'hours.hour'])
    .where('hours.by_kind', '=', 0)
    .where(sql<boolean>`hours.calls <> coalesce(counted.calls, 0)`)
    .limit(maxHours)
    .execute()

/** Completes all rows that older versions have stored. */
export const completeOlderRows = async (database: Database): Promise<void> => {
  const { engine } = database
  for (const hour of await findIncompleteHours(database))
    await inTransaction(database, async (trx) => {
      await recountCalls(trx, engine, outcomeCounts, hour)
      await recountCalls(trx, engine, applicationCounts, hour)
    })
  await groupStoredAlerts(database.db)
}

const readLastMigration = async ({ db }: Database): Promise<number> => {
  const { rows } = await sql<{ last: string }>`select max(timestamp) as last from ${sql.table(migrationTable)}`.execute(
    db,
  )
  return Date.parse(rows[0]?.last ?? '')
}

/**
 * Creates the job that completes rows until a day after the latest change of the schema.
 *
 * @param now epoch milliseconds
 */
export const createOlderRowsJob = (database: Database, now: () => number): (() => Promise<void>) => {
  let endsAt: number | undefined
  return async () => {
    endsAt ??= (await readLastMigration(database)) + upgradeMs
    if (now() < endsAt) await completeOlderRows(database)
  }
}
