import { dayMs, hourMs } from '@patchbay/contract/shared/durations'
import type { ClickHouse } from '@patchbay/server/call-data/clickhouse/clickhouse'
import { createIndex, dropIndex } from '@patchbay/server/database/ddl'
import type { Database } from '@patchbay/server/database/engine'
import { sql } from 'kysely'
import { setTimeout as pause } from 'node:timers/promises'
import { type Filled, openClickHouse, scaled } from './harness.ts'
import { openFilled } from './list-data.ts'

/** Copies calls within their store, because the intake would take hours for ten million. */

const report = (calls: number): void => {
  process.stderr.write(`${calls.toLocaleString('en')} calls…\n`)
}

/** The counts of calls in SQL, and the columns that are sums over calls. */
const countTables = [
  ['patchbay_call_hours', ['calls']],
  ['patchbay_call_outcomes', ['calls']],
  ['patchbay_call_applications', ['calls']],
  ['patchbay_call_days', ['calls', 'seconds', 'pdd_calls', 'pdd_milliseconds']],
] as const

/** Milliseconds by which the copies of a round are later, within their hour. */
const shiftMs = 1_234_567

/** Page cache of the connection that copies calls. Most index pages of ten million calls have to be in memory. */
const fillCacheKilobytes = 4_000_000

/** Returns the columns of each index of the calls that is not unique. The unique one orders the rows on MariaDB. */
const findIndexes = async ({ db, engine }: Pick<Database, 'db' | 'engine'>): Promise<Map<string, string[]>> => {
  const query =
    engine === 'sqlite'
      ? sql<{ name: string; member: string }>`
          SELECT indexes.name AS name, members.name AS member
          FROM pragma_index_list('patchbay_calls') AS indexes, pragma_index_info(indexes.name) AS members
          WHERE NOT "unique" ORDER BY indexes.name, members.seqno`
      : sql<{ name: string; member: string }>`
          SELECT index_name AS name, column_name AS member FROM information_schema.statistics
          WHERE table_schema = DATABASE() AND table_name = 'patchbay_calls' AND non_unique = 1
          ORDER BY index_name, seq_in_index`
  const indexes = new Map<string, string[]>()
  for (const { name, member } of (await query.execute(db)).rows)
    indexes.set(name, [...(indexes.get(name) ?? []), member])
  return indexes
}

/** Doubles the calls of SQLite or MariaDB `rounds` times. Copies have other IDs and times in the same hours. */
const doubleSqlCalls = async (filled: Filled, received: number, rounds: number): Promise<void> => {
  const { db, engine, close } = openFilled(filled)
  try {
    if (engine === 'sqlite') {
      await sql`PRAGMA cache_size = ${sql.lit(-fillCacheKilobytes)}`.execute(db)
      await sql`PRAGMA synchronous = OFF`.execute(db)
    }
    // Creating the indexes after the copies takes a fraction of the time, because it sorts the entries first.
    const indexes = await findIndexes({ db, engine })
    for (const name of indexes.keys()) await dropIndex(db, engine, 'patchbay_calls', name)
    const [first] = await db.selectFrom('patchbay_calls').selectAll().limit(1).execute()
    const columns = Object.keys(first ?? {})
    for (let round = 1; round <= rounds; round += 1) {
      // Each round replaces another digit of the IDs by a letter that is no hexadecimal digit.
      const toId = (column: string) => {
        const [start, end] = [
          sql`substr(${sql.ref(column)}, 1, ${round - 1})`,
          sql`substr(${sql.ref(column)}, ${round + 1})`,
        ]
        return engine === 'sqlite' ? sql`${start} || 'g' || ${end}` : sql`concat(${start}, 'g', ${end})`
      }
      const time = sql.ref('attempted_at')
      const changed = new Map([
        ...['call_key', 'call_sid', 'sip_callid'].map((column) => [column, toId(column)] as const),
        ['attempted_at', sql`${time} - ${time} % ${hourMs} + (${time} + ${shiftMs * round}) % ${hourMs}`],
      ])
      const names = sql.join(columns.map((column) => sql.ref(column)))
      const values = sql.join(columns.map((column) => changed.get(column) ?? sql.ref(column)))
      await sql`INSERT INTO patchbay_calls (${names}) SELECT ${values} FROM patchbay_calls`.execute(db)
      report(received * 2 ** round)
    }
    for (const [name, on] of indexes) await createIndex(db, engine, 'patchbay_calls', name, on)
    for (const [table, sums] of countTables)
      await sql`UPDATE ${sql.table(table)} SET ${sql.join(
        sums.map((column) => sql`${sql.ref(column)} = ${sql.ref(column)} * ${2 ** rounds}`),
      )}`.execute(db)
    // The server would otherwise move the copies from the log to the file while it is measured.
    if (engine === 'sqlite') await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(db)
    await printSqlSize({ db, engine }, received * 2 ** rounds)
  } finally {
    await close()
  }
}

const printSize = (bytes: number, calls: number): void => {
  process.stdout.write(`\n${(bytes / calls).toFixed(0)} bytes per call\n`)
}

/** Prints the size of the table and its indexes. */
const printSqlSize = async ({ db, engine }: Pick<Database, 'db' | 'engine'>, calls: number): Promise<void> => {
  // InnoDB measures its tables when it analyzes them.
  if (engine === 'mysql') await sql`ANALYZE TABLE patchbay_calls`.execute(db)
  const size =
    engine === 'sqlite'
      ? sql<{ bytes: number }>`SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size`
      : sql<{ bytes: number }>`
          SELECT data_length + index_length AS bytes FROM information_schema.tables
          WHERE table_schema = DATABASE() AND table_name = 'patchbay_calls'`
  printSize(Number((await size.execute(db)).rows[0]?.bytes), calls)
}

/** Waits until ClickHouse has merged its parts, and prints their size. */
const printClickHouseSize = async (clickHouse: ClickHouse): Promise<void> => {
  const countMerges = () => clickHouse.query<{ merges: string }>('SELECT count() AS merges FROM system.merges', {})
  while (Number((await countMerges())[0]?.merges) > 0) await pause(1000)
  const [size] = await clickHouse.query<{ bytes: string; rows: string }>(
    `SELECT sum(bytes_on_disk) AS bytes, sumIf(rows, table = 'calls') AS rows FROM system.parts
     WHERE active AND database = currentDatabase()`,
    {},
  )
  printSize(Number(size?.bytes), Number(size?.rows))
}

/** Copies calls in ClickHouse until there are `count`. Its views count the copies. */
const copyClickHouseCalls = async (filled: Filled, received: number, count: number): Promise<void> => {
  const clickHouse = await openClickHouse(filled)
  if (clickHouse === undefined) return
  try {
    for (let copied = received; copied < count; copied += received) {
      await clickHouse.command(
        `INSERT INTO calls SELECT * REPLACE (
           attempted_at - toInt64(rand64(1) % 3600000000000) AS attempted_at,
           toString(generateUUIDv4(1)) AS call_key,
           toString(generateUUIDv4(2)) AS sip_callid
         ) FROM calls WHERE has_call_sid LIMIT ${Math.min(received, count - copied)}`,
      )
      report(copied + received)
    }
    await printClickHouseSize(clickHouse)
  } finally {
    await clickHouse.close()
  }
}

/** Days over which the receipt of copied traces, logs, and SIP is spread. */
const detailDays = 30

/**
 * Copies the calls of ClickHouse `copies` times, with their traces, logs, and SIP. The IDs of a copy begin with its
 * number.
 */
export const copyClickHouseDetails = async (filled: Filled, copies: number): Promise<void> => {
  const clickHouse = await openClickHouse(filled)
  if (clickHouse === undefined) return
  try {
    for (let copy = 1; copy <= copies; copy += 1) {
      const prefix = copy.toString(16).padStart(6, '0').concat('zz')
      const replace = (...columns: string[]) =>
        columns.map((column) => `concat('${prefix}', substring(${column}, 9)) AS ${column}`).join()
      const isOriginal = (column: string) => `WHERE substring(ifNull(${column}, ''), 7, 2) != 'zz'`
      const time = `attempted_at - toInt64(cityHash64(call_key, ${copy}) % 3600000000000) AS attempted_at`
      await clickHouse.command(
        `INSERT INTO calls SELECT * REPLACE (${time}, ${replace('call_key', 'sip_callid', 'trace_id')})
         FROM calls ${isOriginal('call_key')}`,
      )
      for (const [table, id] of [
        ['trace_parts', 'trace_id'],
        ['log_parts', 'call_id'],
        ['sip_messages', 'sip_callid'],
      ] as const) {
        const received = `received_at - ${(copy % detailDays) * dayMs} AS received_at`
        await clickHouse.command(
          `INSERT INTO ${table} SELECT * REPLACE (${replace(id)}, ${received}) FROM ${table} ${isOriginal(id)}`,
        )
      }
      process.stderr.write(`copy ${copy} of ${copies}…\n`)
    }
    await printClickHouseSize(clickHouse)
  } finally {
    await clickHouse.close()
  }
}

/** Maximum numbers of calls to send to the intake. */
const maxReceived = {
  sqlite: scaled(1_000_000, 500),
  mariadb: scaled(1_000_000, 500),
  clickhouse: scaled(200_000, 500),
}

/** Returns the number of calls that a benchmark of `count` calls sends to the intake. The others are copies. */
export const getReceivedCount = (engine: Filled['engine'], count: number): number => {
  if (engine === 'clickhouse') return Math.min(count, maxReceived.clickhouse)
  let received = count
  while (received > maxReceived[engine] && received % 2 === 0) received /= 2
  return received
}

/** Copies the received calls until there are `count`. */
export const multiplyCalls = async (filled: Filled, received: number, count: number): Promise<void> => {
  if (filled.engine === 'clickhouse') await copyClickHouseCalls(filled, received, count)
  else if (received < count) await doubleSqlCalls(filled, received, Math.log2(count / received))
}
