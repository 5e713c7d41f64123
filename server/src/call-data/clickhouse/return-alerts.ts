import { setTimeout as pause } from 'node:timers/promises'
import { type Database, insertIgnoringDuplicates, inTransaction } from '../../database/engine.ts'
import { chunk } from '../../lib/chunk.ts'
import { getAlertGroupKey } from '../alerts/alert-group-keys.ts'
import type { AlertKey } from '../alerts/alerts.ts'
import { split } from '../calls/nanosecond-timestamps.ts'
import type { ClickHouse } from './clickhouse.ts'
import { startDeletion } from './mutations.ts'

/**
 * Returns alerts to the database. Earlier versions moved them to ClickHouse when their deliveries were complete
 * (decision 55).
 */

/** Table of the alerts that earlier versions have moved. New installations have none. */
export const movedAlerts = 'alerts'

/** Constraint that lets ClickHouse reject alerts of processes of earlier versions, which then stay in the database. */
const returning = 'alerts_return_to_the_database'

/** Constraint that says that all alerts are in the database. */
const returned = 'alerts_are_in_the_database'

const batchSize = 5000

interface MovedRow {
  account_sid: string
  service_provider_sid: string
  /** Nanoseconds since the Unix epoch. */
  raised_at: string
  fingerprint: string
  group_key: string
  alert_type: string
  message: string
  detail: string | null
  target_sid: string | null
  vendor: string | null
  extra: string
}

const toSqlRow = ({ raised_at, ...row }: MovedRow) => {
  const { milliseconds, nanoseconds } = split(BigInt(raised_at))
  return {
    ...row,
    raised_at: milliseconds,
    raised_ns: nanoseconds,
    account_sid: row.account_sid || null,
    service_provider_sid: row.service_provider_sid || null,
    extra: row.extra || null,
    group_key: row.group_key || getAlertGroupKey(row),
  }
}

/** Returns the definition of the table. Undefined if there is none. */
const readDefinition = async (clickHouse: ClickHouse, signal?: AbortSignal): Promise<string | undefined> => {
  const [table] = await clickHouse.query<{ create_table_query: string }>(
    `SELECT create_table_query FROM system.tables WHERE database = currentDatabase() AND name = '${movedAlerts}'`,
    {},
    signal,
  )
  return table?.create_table_query
}

/** Returns whether there is a table that alerts have been moved to. */
export const hasMovedAlerts = async (clickHouse: ClickHouse, signal?: AbortSignal): Promise<boolean> =>
  (await readDefinition(clickHouse, signal)) !== undefined

type Cursor = Pick<MovedRow, 'raised_at' | 'fingerprint'>

/** Selects the newest alerts before a position, because users read them first. */
const selectBatch = (clickHouse: ClickHouse, before: Cursor | undefined, signal: AbortSignal) =>
  clickHouse.query<MovedRow>(
    `SELECT account_sid, service_provider_sid, raised_at, fingerprint, group_key, alert_type, message, detail,
       target_sid, vendor, extra
     FROM ${movedAlerts}
     ${before === undefined ? '' : 'WHERE (raised_at, fingerprint) < ({raised_at:Int64}, {fingerprint:String})'}
     ORDER BY raised_at DESC, fingerprint DESC LIMIT 1 BY raised_at, fingerprint LIMIT ${batchSize}`,
    before === undefined ? {} : { raised_at: before.raised_at, fingerprint: before.fingerprint },
    signal,
  )

/** Returns the fingerprints of the alerts between two positions. */
const selectFingerprints = async (clickHouse: ClickHouse, from: Cursor, until: Cursor, signal: AbortSignal) => {
  const rows = await clickHouse.query<Pick<MovedRow, 'fingerprint'>>(
    `SELECT fingerprint FROM ${movedAlerts} WHERE raised_at BETWEEN {from:Int64} AND {until:Int64}`,
    { from: from.raised_at, until: until.raised_at },
    signal,
  )
  return new Set(rows.map(({ fingerprint }) => fingerprint))
}

const deleteAlerts = async ({ db }: Database, keys: readonly AlertKey[]): Promise<void> => {
  for (const some of chunk(keys, 100))
    await db
      .deleteFrom('patchbay_alerts')
      .where((where) =>
        where.or(some.map(({ raised_at, raised_ns, fingerprint }) => where.and({ raised_at, raised_ns, fingerprint }))),
      )
      .execute()
}

export interface AlertReturn {
  clickHouse: ClickHouse
  database: Database
  /** Runs after each batch, which takes a few seconds. */
  onProgress?: () => Promise<unknown>
  /** Time in which inserts end that began before ClickHouse rejected further ones. */
  settleMs?: number
}

/** Copies a batch. Alerts that were deleted from ClickHouse meanwhile, with the data of their account, are deleted too. */
const copyBatch = async ({ clickHouse, database }: AlertReturn, batch: readonly MovedRow[], signal: AbortSignal) => {
  const [newest, oldest] = [batch[0], batch.at(-1)]
  if (newest === undefined || oldest === undefined) return
  const rows = batch.map(toSqlRow)
  await inTransaction(database, (trx) => insertIgnoringDuplicates(trx, database.engine, 'patchbay_alerts', rows))
  const remaining = await selectFingerprints(clickHouse, oldest, newest, signal)
  await deleteAlerts(
    database,
    rows.filter(({ fingerprint }) => !remaining.has(fingerprint)),
  )
}

const addConstraint = (clickHouse: ClickHouse, name: string): Promise<void> =>
  clickHouse.command(`ALTER TABLE ${movedAlerts} ADD CONSTRAINT IF NOT EXISTS ${name} CHECK 0`)

/**
 * Copies the alerts to the database, the newest first, and then empties their table. Returns whether none is left. Can be
 * repeated; only one process may do it at a time.
 * @param signal aborts the work, which then begins anew
 * @throws ApiError `unavailable` if ClickHouse fails
 */
export const returnAlerts = async (options: AlertReturn, signal: AbortSignal): Promise<boolean> => {
  const { clickHouse, settleMs = 30_000, onProgress } = options
  const definition = await readDefinition(clickHouse, signal)
  if (definition === undefined || definition.includes(returned)) return true
  if (!definition.includes(returning)) {
    await addConstraint(clickHouse, returning)
    await pause(settleMs, undefined, { signal })
  }
  let last: Cursor | undefined
  for (;;) {
    if (signal.aborted) return false
    const batch = await selectBatch(clickHouse, last, signal)
    await copyBatch(options, batch, signal)
    await onProgress?.()
    last = batch.at(-1) ?? last
    if (batch.length < batchSize) break
  }
  await addConstraint(clickHouse, returned)
  // The documented privileges of the user do not allow to drop a table.
  if (last !== undefined) await startDeletion(clickHouse, movedAlerts, 'true')
  return true
}
