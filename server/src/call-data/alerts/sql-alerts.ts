import { createHash } from 'node:crypto'
import type { Alert } from '@patchbay/contract/alerts'
import type { ExpressionBuilder, Transaction } from 'kysely'
import { type Database, type EngineName, insertIgnoringDuplicates, inTransaction } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { LastTotals, readCountedPage } from '../../lib/counted-page.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'
import type { PageRead } from '../../lib/nearer-end.ts'
import { split, writeInstant } from '../calls/nanosecond-timestamps.ts'
import { maxSearchesPerTenant, ownerColumn, parseExtraFields, toWindow } from '../calls/search-options.ts'
import { getAlertGroupKey } from './alert-group-keys.ts'
import type { AlertRecord } from './alert-record.ts'
import type { AlertSearch, AlertSink, Alerts } from './alerts.ts'
import { queueAlerts } from './delivery-queue.ts'
import { toAlert } from './to-alert.ts'

/** Converts an alert to a row of the table. */
export const toAlertRow = ({ time, extra, ...alert }: AlertRecord) => {
  const { milliseconds: raised_at, nanoseconds: raised_ns } = split(time)
  const extraJson = Object.keys(extra).length === 0 ? null : JSON.stringify(extra)
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([alert, extraJson]))
    .digest('hex')
  const group_key = getAlertGroupKey({ ...extra, ...alert })
  return { ...alert, raised_at, raised_ns, fingerprint, extra: extraJson, group_key }
}

/** Returns the condition that selects the alerts of an owner, a period, and a type. */
export const createAlertFilter =
  (search: Omit<AlertSearch, 'page' | 'pageSize'>) => (where: ExpressionBuilder<Tables, 'patchbay_alerts'>) => {
    const { from, until } = toWindow(search)
    const [column, sid] = ownerColumn(search.owner)
    return where.and([
      where(column, '=', sid),
      where('raised_at', '>=', from),
      where('raised_at', '<=', until),
      ...(search.alert_type ? [where('alert_type', '=', search.alert_type)] : []),
    ])
  }

/** Counts index entries only. The query does not read the alert rows. */
export const countAlerts = async (
  { reader }: Pick<Database, 'reader'>,
  search: Omit<AlertSearch, 'page' | 'pageSize'>,
): Promise<number> => {
  const { total } = await reader
    .selectFrom('patchbay_alerts')
    .select((select) => select.fn.countAll<number | string>().as('total'))
    .where(createAlertFilter(search))
    .executeTakeFirstOrThrow()
  // MySQL counts in a bigint, which its driver may return as a string.
  return Number(total)
}

const newestFirst = ['raised_at', 'raised_ns', 'fingerprint'] as const

/** Finds the page in the index and reads only the rows of that page. */
const selectPage = ({ reader }: Database, search: AlertSearch, { direction, limit, offset }: PageRead) => {
  const order = direction === 'forward' ? 'desc' : 'asc'
  const page = reader
    .selectFrom('patchbay_alerts')
    .select(newestFirst)
    .where(createAlertFilter(search))
    .orderBy('raised_at', order)
    .orderBy('raised_ns', order)
    .orderBy('fingerprint', order)
    .limit(limit)
    .offset(offset)
  return reader
    .selectFrom(page.as('page'))
    .innerJoin('patchbay_alerts as alert', (join) =>
      join
        .onRef('alert.raised_at', '=', 'page.raised_at')
        .onRef('alert.raised_ns', '=', 'page.raised_ns')
        .onRef('alert.fingerprint', '=', 'page.fingerprint'),
    )
    .selectAll('alert')
    .orderBy('alert.raised_at', 'desc')
    .orderBy('alert.raised_ns', 'desc')
    .orderBy('alert.fingerprint', 'desc')
    .execute()
}

type AlertRow = Awaited<ReturnType<typeof selectPage>>[number]

/** Converts a row to the API representation. */
export const rowToAlert = (row: AlertRow): Alert =>
  toAlert({ ...row, extra: parseExtraFields(row.extra) }, writeInstant(row.raised_at, row.raised_ns))

/** Stores alerts and queues their deliveries, as part of a transaction. */
export const storeAlerts = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  records: readonly AlertRecord[],
): Promise<void> => {
  const added = await insertIgnoringDuplicates(trx, engine, 'patchbay_alerts', records.map(toAlertRow))
  await queueAlerts(trx, engine, added, Date.now())
}

/** Stores alerts in Patchbay's own table. */
export const createSqlAlertSink = (database: Database): AlertSink => ({
  store: (records) => inTransaction(database, (trx) => storeAlerts(trx, database.engine, records)),
})

/** Reads the alerts in Patchbay's own table. A covering index serves both the count and the page. */
export const createSqlAlerts = (database: Database): Alerts => {
  const reads = createFairQueue({
    name: 'alert_reads',
    concurrency: database.concurrency.reads,
    max: maxSearchesPerTenant,
  })
  const lastTotals = new LastTotals()
  return {
    search: (search, { owner, signal } = { owner: 'patchbay' }) =>
      reads.run(
        owner,
        async (runStep) => {
          const { page, pageSize, ...selection } = search
          const key = JSON.stringify(selection)
          const list = {
            count: () => countAlerts(database, search),
            select: (read: PageRead) => selectPage(database, search, read),
          }
          const { rows, total } = await runStep(() =>
            readCountedPage(list, pageSize, (page - 1) * pageSize, lastTotals.get(key)),
          )
          lastTotals.set(key, total)
          return { total, alerts: rows.map(rowToAlert) }
        },
        signal,
      ),
  }
}
