import { setTimeout as pause } from 'node:timers/promises'
import { dayMs, hourMs } from '@patchbay/contract/shared/durations'
import type { ClickHouse } from '@patchbay/server/call-data/clickhouse/clickhouse'
import type { Database } from '@patchbay/server/database/engine'
import type { Tables } from '@patchbay/server/database/tables'
import { sql } from 'kysely'
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

/**
 * Milliseconds by which the copies of a round are earlier, or less if they would be in another hour. SIP that was captured
 * long before a call does not belong to it.
 */
const shiftMs = 1_234_567

/** Page cache of the connection that copies calls. Most index pages of ten million calls have to be in memory. */
const fillCacheKilobytes = 4_000_000

/** Number of digits at the start of an ID that copies change. */
const changedDigits = 8

/**
 * Returns how a round of doubling changes the IDs of copies: the position of a digit, all digits, and what replaces
 * them. The first rounds flip the highest bit of a digit, the next ones its second.
 */
const digitChange = (round: number): [number, string, string] => [
  (round - 1) % changedDigits,
  '0123456789abcdef',
  round <= changedDigits ? '89abcdef01234567' : '45670123cdef89ab',
]

/** Converts an ID to that of a copy. Copy 0 is the original. */
const toCopiedId = (engine: Filled['engine'], id: string, copy: number): string => {
  if (copy === 0) return id
  if (engine === 'clickhouse') return toCopyPrefix(copy) + id.slice(changedDigits)
  let copied = id
  for (let round = 1; copy >> (round - 1) > 0; round += 1) {
    if ((copy >> (round - 1)) % 2 === 0) continue
    const [position, from, to] = digitChange(round)
    const digit = to.charAt(from.indexOf(copied.charAt(position)))
    copied = copied.slice(0, position) + digit + copied.slice(position + 1)
  }
  return copied
}

/** Returns the first digits of the IDs of a copy in ClickHouse. */
const toCopyPrefix = (copy: number): string => copy.toString(16).padStart(changedDigits, '0')

/** Returns the IDs of a copied call. */
export const toCopiedCall = <T extends Record<'call_sid' | 'sip_callid' | 'trace_id', string>>(
  { engine }: Pick<Filled, 'engine'>,
  call: T,
  copy: number,
): T => ({
  ...call,
  call_sid: toCopiedId(engine, call.call_sid, copy),
  sip_callid: toCopiedId(engine, call.sip_callid, copy),
  trace_id: toCopiedId(engine, call.trace_id, copy),
})

/** A table of SQL whose rows are copied, and its columns with IDs, which are different in copies. */
interface CopiedTable {
  name: keyof Tables
  ids: readonly string[]
}

const callTable: CopiedTable = { name: 'patchbay_calls', ids: ['call_key', 'call_sid', 'sip_callid', 'trace_id'] }

const detailTables: readonly CopiedTable[] = [
  { name: 'patchbay_trace_parts', ids: ['trace_id'] },
  { name: 'patchbay_trace_links', ids: ['call_id', 'trace_id'] },
  { name: 'patchbay_log_parts', ids: ['call_id'] },
  { name: 'patchbay_sip_messages', ids: ['sip_callid'] },
]

type SqlStore = Pick<Database, 'db' | 'engine'>

/** Returns the columns of each index of a table that is not unique. The unique one orders the rows on MariaDB. */
const findIndexes = async ({ db, engine }: SqlStore, table: string): Promise<Map<string, string[]>> => {
  const query =
    engine === 'sqlite'
      ? sql<{ name: string; member: string }>`
          SELECT indexes.name AS name, members.name AS member
          FROM pragma_index_list(${table}) AS indexes, pragma_index_info(indexes.name) AS members
          WHERE NOT "unique" ORDER BY indexes.name, members.seqno`
      : sql<{ name: string; member: string }>`
          SELECT index_name AS name, column_name AS member FROM information_schema.statistics
          WHERE table_schema = DATABASE() AND table_name = ${table} AND non_unique = 1
          ORDER BY index_name, seq_in_index`
  const indexes = new Map<string, string[]>()
  for (const { name, member } of (await query.execute(db)).rows)
    indexes.set(name, [...(indexes.get(name) ?? []), member])
  return indexes
}

/** Doubles the rows of a table `rounds` times. Copies have other IDs, and calls earlier times in the same hours. */
const doubleRows = async (
  { db, engine }: SqlStore,
  { name: table, ids }: CopiedTable,
  rounds: number,
): Promise<void> => {
  // Creating the indexes after the copies takes a fraction of the time, because it sorts the entries first.
  const indexes = await findIndexes({ db, engine }, table)
  for (const name of indexes.keys()) {
    const drop = db.schema.dropIndex(name)
    // The names of indexes belong to a table on MySQL, and to the database on SQLite.
    await (engine === 'mysql' ? drop.on(table) : drop).execute()
  }
  const { rows } = await sql<object>`SELECT * FROM ${sql.table(table)} LIMIT 1`.execute(db)
  const columns = Object.keys(rows[0] ?? {})
  for (let round = 1; columns.length > 0 && round <= rounds; round += 1) {
    const [position, from, to] = digitChange(round)
    const toId = (column: string) => {
      const [start, digit, end] = [
        sql`substr(${sql.ref(column)}, 1, ${position})`,
        sql`substr(${to}, instr(${from}, substr(${sql.ref(column)}, ${position + 1}, 1)), 1)`,
        sql`substr(${sql.ref(column)}, ${position + 2})`,
      ]
      return engine === 'sqlite' ? sql`${start} || ${digit} || ${end}` : sql`concat(${start}, ${digit}, ${end})`
    }
    const time = sql.ref('attempted_at')
    const changed = new Map([
      ...ids.map((column) => [column, toId(column)] as const),
      ['attempted_at', sql`${time} - ${shiftMs * round} % (${time} % ${hourMs} + 1)`],
    ])
    const names = sql.join(columns.map((column) => sql.ref(column)))
    const values = sql.join(columns.map((column) => changed.get(column) ?? sql.ref(column)))
    await sql`INSERT INTO ${sql.table(table)} (${names}) SELECT ${values} FROM ${sql.table(table)}`.execute(db)
    process.stderr.write(`${table} doubled ${round} of ${rounds} times…\n`)
  }
  for (const [name, on] of indexes) await db.schema.createIndex(name).on(table).columns(on).execute()
}

/** Doubles the calls of SQLite or MariaDB `rounds` times, and the rows of other tables with them. */
const doubleSqlCalls = async (
  filled: Filled,
  received: number,
  rounds: number,
  others: readonly CopiedTable[] = [],
): Promise<void> => {
  const { db, engine, close } = openFilled(filled)
  const tables = [callTable, ...others]
  try {
    if (engine === 'sqlite') {
      await sql`PRAGMA cache_size = ${sql.lit(-fillCacheKilobytes)}`.execute(db)
      await sql`PRAGMA synchronous = OFF`.execute(db)
    }
    for (const table of tables) await doubleRows({ db, engine }, table, rounds)
    for (const [table, sums] of countTables)
      await sql`UPDATE ${sql.table(table)} SET ${sql.join(
        sums.map((column) => sql`${sql.ref(column)} = ${sql.ref(column)} * ${2 ** rounds}`),
      )}`.execute(db)
    // The server would otherwise move the copies from the log to the file while it is measured.
    if (engine === 'sqlite') await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(db)
    await printSqlSize({ db, engine }, tables, received * 2 ** rounds)
  } finally {
    await close()
  }
}

const printSize = (bytes: number, calls: number): void => {
  process.stdout.write(`\n${calls.toLocaleString('en')} calls, ${(bytes / calls).toFixed(0)} bytes per call\n`)
}

/** Prints the size of the tables and their indexes. */
const printSqlSize = async ({ db, engine }: SqlStore, tables: readonly CopiedTable[], calls: number): Promise<void> => {
  const names = tables.map(({ name }) => name)
  // InnoDB measures its tables when it analyzes them.
  if (engine === 'mysql') await sql`ANALYZE TABLE ${sql.join(names.map((name) => sql.table(name)))}`.execute(db)
  const size =
    engine === 'sqlite'
      ? sql<{ bytes: number }>`SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size`
      : sql<{ bytes: number }>`
          SELECT sum(data_length + index_length) AS bytes FROM information_schema.tables
          WHERE table_schema = DATABASE() AND table_name IN (${sql.join(names)})`
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
const copyClickHouseDetails = async (filled: Filled, copies: number): Promise<void> => {
  const clickHouse = await openClickHouse(filled)
  if (clickHouse === undefined) return
  try {
    for (let copy = 1; copy <= copies; copy += 1) {
      const replace = (...columns: string[]) =>
        columns
          .map((column) => `concat('${toCopyPrefix(copy)}', substring(${column}, ${changedDigits + 1})) AS ${column}`)
          .join()
      // A condition beside the replaced columns would use these. The few original IDs that begin like those of copies
      // are not copied.
      const originals = (table: string, column: string) =>
        `(SELECT * FROM ${table} WHERE NOT startsWith(ifNull(${column}, ''), '0000'))`
      const time = `attempted_at - toInt64(cityHash64(call_key, ${copy}) % 3600000000000) AS attempted_at`
      await clickHouse.command(
        `INSERT INTO calls SELECT * REPLACE (${time}, ${replace('call_key', 'sip_callid', 'trace_id')})
         FROM ${originals('calls', 'call_key')}`,
      )
      for (const [table, id] of [
        ['trace_parts', 'trace_id'],
        ['log_parts', 'call_id'],
        ['sip_messages', 'sip_callid'],
      ] as const) {
        const received = `received_at - ${(copy % detailDays) * dayMs} AS received_at`
        await clickHouse.command(
          `INSERT INTO ${table} SELECT * REPLACE (${replace(id)}, ${received}) FROM ${originals(table, id)}`,
        )
      }
      process.stderr.write(`copy ${copy} of ${copies}…\n`)
    }
    await printClickHouseSize(clickHouse)
  } finally {
    await clickHouse.close()
  }
}

/**
 * Copies all `received` calls `copies` times, with their traces, logs, and SIP. SQLite and MariaDB double them, so there
 * the number of copies is 1, 3, 7, 15, and so on.
 */
export const copyCallDetails = async (filled: Filled, received: number, copies: number): Promise<void> => {
  if (filled.engine === 'clickhouse') return copyClickHouseDetails(filled, copies)
  const rounds = Math.log2(copies + 1)
  if (!Number.isInteger(rounds)) throw new Error(`${copies} copies are not possible by doubling.`)
  await doubleSqlCalls(filled, received, rounds, detailTables)
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
