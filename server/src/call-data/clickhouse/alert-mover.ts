import { createHash } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../database/engine.ts'
import { chunk } from '../../lib/chunk.ts'
import type { AlertSink } from '../alerts/alerts.ts'
import { createSqlAlertSink, toAlertRow as toSqlRow } from '../alerts/sql-alerts.ts'
import { alertTable, type AlertRow, toAlertRow } from './alert-rows.ts'
import type { ClickHouse } from './clickhouse.ts'
import { storeTimeoutMs } from './stored-table.ts'

/**
 * Moves alerts from the database to ClickHouse. The database is their queue: it stores an alert together with its
 * deliveries to destinations in one transaction, and keeps it until ClickHouse has stored it and no delivery waits.
 */

const batchSize = 1000

type SqlRow = Parameters<typeof toAlertRow>[0]

/** Identifies an alert in the database. */
type SqlKey = Pick<SqlRow, 'raised_at' | 'raised_ns' | 'fingerprint'>

const toToken = (rows: readonly AlertRow[]): string =>
  createHash('sha256').update(rows.map(alertTable.toKey).join('\n')).digest('hex')

const readBatch = ({ db }: Database, after: SqlKey | undefined): Promise<SqlRow[]> =>
  db
    .selectFrom('patchbay_alerts')
    .selectAll()
    .$if(after !== undefined, (query) =>
      query
        .where('raised_at', '>=', after?.raised_at ?? 0)
        .where((where) =>
          where.or([
            where('raised_at', '>', after?.raised_at ?? 0),
            where('raised_ns', '>', after?.raised_ns ?? 0),
            where.and([
              where('raised_ns', '=', after?.raised_ns ?? 0),
              where('fingerprint', '>', after?.fingerprint ?? ''),
            ]),
          ]),
        ),
    )
    .orderBy('raised_at')
    .orderBy('raised_ns')
    .orderBy('fingerprint')
    .limit(batchSize)
    .execute()

const toSqlKey = ({ raised_at, raised_ns, fingerprint }: SqlKey): string => `${raised_at} ${raised_ns} ${fingerprint}`

/** Returns the keys of the alerts between two times for which deliveries wait. */
const findWaiting = async ({ db }: Database, from: number, until: number): Promise<ReadonlySet<string>> => {
  const rows = await db
    .selectFrom('patchbay_alert_destinations as destination')
    .innerJoin('patchbay_alert_deliveries as delivery', (join) =>
      join
        .onRef('delivery.alert_destination_sid', '=', 'destination.alert_destination_sid')
        .on('delivery.state', '=', 'waiting'),
    )
    .select(['delivery.raised_at', 'delivery.raised_ns', 'delivery.fingerprint'])
    .where('delivery.raised_at', '>=', from)
    .where('delivery.raised_at', '<=', until)
    .execute()
  return new Set(rows.map(toSqlKey))
}

const deleteBatchSize = 100

const deleteAlerts = async ({ db }: Database, keys: readonly SqlKey[]): Promise<void> => {
  for (const some of chunk(keys, deleteBatchSize))
    await db
      .deleteFrom('patchbay_alerts')
      .where((where) =>
        where.or(some.map(({ raised_at, raised_ns, fingerprint }) => where.and({ raised_at, raised_ns, fingerprint }))),
      )
      .execute()
}

export interface AlertMoverOptions {
  clickHouse: ClickHouse
  /** Creates the tables if ClickHouse was unavailable when the server started. */
  prepare: () => Promise<void>
  database: Database
}

const selectMissing = async (
  { clickHouse, prepare }: AlertMoverOptions,
  rows: readonly AlertRow[],
  signal?: AbortSignal,
) => {
  await prepare()
  return (await alertTable.compare(clickHouse, rows, signal)).missing
}

const insert = async (
  { clickHouse }: AlertMoverOptions,
  rows: readonly AlertRow[],
  signal?: AbortSignal,
): Promise<void> => {
  if (rows.length > 0) await clickHouse.insert(alertTable.name, rows, toToken(rows), signal)
}

/**
 * Moves all alerts to ClickHouse. Alerts whose deliveries wait stay in the database too.
 * @throws ApiError or an error of ClickHouse. The alerts stay in the database then
 */
export const moveAlerts = async (options: AlertMoverOptions, signal?: AbortSignal): Promise<void> => {
  const { database } = options
  let last: SqlKey | undefined
  for (;;) {
    if (signal?.aborted) return
    const rows = await readBatch(database, last)
    const first = rows[0]
    last = rows.at(-1)
    if (first === undefined || last === undefined) return
    await insert(options, await selectMissing(options, rows.map(toAlertRow)))
    // A delivery is stored in the transaction of its alert, so all deliveries of these alerts are visible.
    const waiting = await findWaiting(database, first.raised_at, last.raised_at)
    await deleteAlerts(
      database,
      rows.filter((row) => !waiting.has(toSqlKey(row))),
    )
    if (rows.length < batchSize) return
  }
}

/** Creates the store of received alerts. If ClickHouse is unavailable, the alerts wait in the database. */
export const createClickHouseAlertSink = (
  options: AlertMoverOptions,
  log: Pick<FastifyBaseLogger, 'warn'>,
): AlertSink => {
  const sqlAlerts = createSqlAlertSink(options.database)
  const warn = (error: unknown) =>
    log.warn({ err: error }, 'ClickHouse does not store alerts; they wait in the database')
  return {
    async store(records) {
      const byKey = new Map(
        records.map((record) => {
          const row = toAlertRow(toSqlRow(record))
          return [alertTable.toKey(row), { record, row }]
        }),
      )
      const entries = [...byKey.values()]
      const signal = AbortSignal.timeout(storeTimeoutMs)
      // Senders repeat requests, and an alert that has left the database must not be delivered again.
      const missing = await selectMissing(
        options,
        entries.map(({ row }) => row),
        signal,
      ).catch(warn)
      const missingRows = missing && new Set(missing)
      await sqlAlerts.store(entries.filter(({ row }) => missingRows?.has(row) !== false).map(({ record }) => record))
      if (missing) await insert(options, missing, signal).catch(warn)
    },
  }
}
