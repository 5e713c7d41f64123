import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  CompiledQuery,
  type Dialect,
  type Insertable,
  Kysely,
  type SelectQueryBuilder,
  sql,
  type Transaction,
} from 'kysely'
import type { DatabaseAddress, MysqlAddress } from '../config/option-types.ts'
import { exponentialBackoffMs } from '../lib/backoff.ts'
import { monotonicMs } from '../lib/clock.ts'
import { getErrorCode } from '../lib/error-code.ts'
import { transactionEvents } from '../lib/telemetry.ts'
import { type Column, now } from './columns.ts'
import { mysqlDialect } from './mysql-dialect.ts'
import { MysqlPool, type PoolUse } from './mysql-pool.ts'
import { createLock, type SqliteFiles, sqliteDialect } from './sqlite-dialect.ts'
import { readerEnded, SqliteFile } from './sqlite-file.ts'
import type { Tables } from './tables.ts'

/** This module contains everything that differs between the two database engines. */

export type EngineName = 'sqlite' | 'mysql'

export interface Database {
  engine: EngineName
  db: Kysely<Tables>
  /** For reads of call records and long lists. With SQLite they run on a separate thread. */
  reader: Kysely<Tables>
  /**
   * For pages of the records of an account, and of carriers. These lists are short, so that on MySQL their pages share
   * connections with other short reads.
   */
  pageReader: Kysely<Tables>
  /** For searches that may take a second. They run one after another and delay no other query. */
  searcher: Kysely<Tables>
  /** Number of operations of each kind that can run concurrently without delaying others. */
  concurrency: { reads: number; searches: number; writes: number }
  /** Returns the current use of each connection pool. */
  pools(): readonly PoolUse[]
  close(): Promise<void>
}

const openSqliteFiles = (path: string): SqliteFiles => {
  mkdirSync(dirname(path), { recursive: true })
  return { writer: new SqliteFile(path), reader: new SqliteFile(path, { readOnly: true }) }
}

/** Time limit of a search of call records, enforced by the server. */
const searchSeconds = 30
const maxSearches = 2

const openMysql = (address: MysqlAddress): Database => {
  const { connections } = address
  const pool = new MysqlPool(address, 'main')
  const searchPool = new MysqlPool({ ...address, connections: maxSearches }, 'searcher', searchSeconds)
  const db = new Kysely<Tables>({ dialect: mysqlDialect({ pool, sharesReads: true }) })
  const reader = new Kysely<Tables>({ dialect: mysqlDialect({ pool, sharesReads: false }) })
  const searcher = new Kysely<Tables>({ dialect: mysqlDialect({ pool: searchPool, sharesReads: false }) })
  const close = async () => {
    await Promise.all([searcher.destroy(), reader.destroy(), db.destroy()])
  }
  // The other half of the connections is for queries that do not wait in a queue.
  const halfOfConnections = Math.max(1, connections >> 1)
  return {
    engine: 'mysql',
    db,
    reader,
    pageReader: db,
    searcher,
    concurrency: { reads: halfOfConnections, searches: maxSearches, writes: halfOfConnections },
    pools: () => [pool.use(), searchPool.use()],
    close,
  }
}

/** Opens a read-only connection to SQLite. `pool` is its label in metrics. */
type OpenReader = (file: string, pool: string) => Dialect

const openSqlite = (file: string, openReader: OpenReader): Database => {
  const writeLock = createLock()
  const db = new Kysely<Tables>({ dialect: sqliteDialect(openSqliteFiles(file), writeLock) })
  const reader = new Kysely<Tables>({ dialect: openReader(file, 'reader') })
  const searcher = new Kysely<Tables>({ dialect: openReader(file, 'searcher') })
  const close = async () => {
    await Promise.all([reader.destroy(), searcher.destroy()])
    await db.destroy()
  }
  return {
    engine: 'sqlite',
    db,
    reader,
    pageReader: reader,
    searcher,
    concurrency: { reads: 4, searches: 1, writes: 1 },
    // The only limited connection is the one that writes.
    pools: () => [{ pool: 'main', max: 1, ...writeLock.use() }],
    close,
  }
}

export const openDatabase = (address: DatabaseAddress, openReader: OpenReader): Database =>
  address.engine === 'mysql' ? openMysql(address) : openSqlite(address.file, openReader)

/** Opens an existing database for statements that only read. Creates no SQLite file, and runs no statement. */
export const openReadOnly = (address: DatabaseAddress): Kysely<Tables> => {
  if (address.engine === 'mysql')
    return new Kysely<Tables>({
      dialect: mysqlDialect({ pool: new MysqlPool({ ...address, connections: 1 }, 'plan'), sharesReads: false }),
    })
  const open = () => new SqliteFile(address.file, { readOnly: true })
  return new Kysely<Tables>({ dialect: sqliteDialect({ writer: open(), reader: open() }) })
}

/** Returns the column type of an engine. On SQLite, CHECK and COLLATE enforce what MySQL's types enforce. */
export const columnType = (engine: EngineName, name: string, { kind }: Column): string => {
  const onMysql = engine === 'mysql'
  switch (kind.is) {
    case 'sid':
      return onMysql ? 'CHAR(36)' : 'TEXT'
    case 'text': {
      if (onMysql) return kind.exact ? `VARCHAR(${kind.max}) COLLATE utf8mb4_bin` : `VARCHAR(${kind.max})`
      return kind.exact ? 'TEXT' : 'TEXT COLLATE NOCASE'
    }
    case 'longText':
      return onMysql ? 'MEDIUMTEXT' : 'TEXT'
    case 'bytes':
      return onMysql ? 'MEDIUMBLOB' : 'BLOB'
    case 'flag':
      return onMysql ? 'BOOLEAN' : `INTEGER CHECK ("${name}" IN (0, 1))`
    case 'integer':
      return 'INTEGER'
    case 'bigInteger':
      return onMysql ? 'BIGINT' : 'INTEGER'
    case 'real':
      return onMysql ? 'DOUBLE' : 'REAL'
    case 'oneOf': {
      const values = kind.values.map((value) => `'${value}'`).join(', ')
      return onMysql ? `ENUM(${values})` : `TEXT CHECK ("${name}" IN (${values}))`
    }
    case 'dateTime':
      return onMysql ? 'DATETIME' : 'TEXT'
    case 'timestamp':
      return onMysql ? 'TIMESTAMP NULL' : 'TEXT'
  }
}

export const columnDefault = (engine: EngineName, value: string | number): string => {
  if (typeof value === 'number') return String(value)
  if (value !== now) return `'${value}'`
  return engine === 'mysql' ? 'CURRENT_TIMESTAMP' : "(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))"
}

/** Formats a time for a date column of the engine. */
export const sqlTime = (engine: EngineName, at: Date): string =>
  engine === 'mysql' ? at.toISOString().slice(0, 19).replace('T', ' ') : at.toISOString()

/** Condition that a column contains a text. It is case-sensitive if the column is exact. Wildcards have no effect. */
export const contains = (engine: EngineName, column: string, part: string) =>
  engine === 'mysql'
    ? sql<boolean>`LOCATE(${part}, ${sql.ref(column)}) > 0`
    : sql<boolean>`INSTR(${sql.ref(column)}, ${part}) > 0`

/** Like `contains`, at the start of the column. MySQL's LOCATE would also look at all later positions. */
export const startsWith = (engine: EngineName, column: string, start: string) =>
  engine === 'mysql'
    ? like(column, `${start.replaceAll(/[\\%_]/g, '\\$&')}%`)
    : sql<boolean>`INSTR(${sql.ref(column)}, ${start}) = 1`

/** Condition that a column matches a LIKE pattern with % and _, which \\ escapes. Case-insensitive. */
export const like = (column: string, pattern: string) => sql<boolean>`${sql.ref(column)} LIKE ${pattern} ESCAPE ${'\\'}`

/** Condition that a text column contains a character other than a digit. */
export const holdsNonDigit = (engine: EngineName, column: string) =>
  engine === 'mysql'
    ? sql<boolean>`${sql.ref(column)} REGEXP ${'[^0-9]'}`
    : sql<boolean>`${sql.ref(column)} GLOB ${'*[^0-9]*'}`

type DbErrorKind =
  | 'conflict'
  | 'duplicate'
  | 'missing_parent'
  | 'still_referenced'
  /** The server has ended a statement at its time limit. */
  | 'timeout'
  | 'unreachable'
  /** The disk is full or read-only. */
  | 'unwritable'
  | 'other'

const errorKinds: Readonly<Record<string, DbErrorKind>> = {
  SQLITE_CONSTRAINT_UNIQUE: 'duplicate',
  SQLITE_CONSTRAINT_PRIMARYKEY: 'duplicate',
  ER_DUP_ENTRY: 'duplicate',
  SQLITE_CONSTRAINT_FOREIGNKEY: 'missing_parent',
  ER_NO_REFERENCED_ROW_2: 'missing_parent',
  ER_ROW_IS_REFERENCED_2: 'still_referenced',
  ER_LOCK_DEADLOCK: 'conflict',
  ER_LOCK_WAIT_TIMEOUT: 'conflict',
  // Data that the transaction has read was changed, or a table of a prepared statement.
  ER_CHECKREAD: 'conflict',
  ER_NEED_REPREPARE: 'conflict',
  SQLITE_BUSY_SNAPSHOT: 'conflict',
  ER_STATEMENT_TIMEOUT: 'timeout',
  // The driver's name for the error of MySQL with the number 3024.
  ER_UNUSED_1: 'timeout',
  SQLITE_FULL: 'unwritable',
  SQLITE_IOERR: 'unwritable',
  // Reported for disk quotas and file size limits.
  SQLITE_IOERR_WRITE: 'unwritable',
  SQLITE_IOERR_SHMSIZE: 'unwritable',
  SQLITE_IOERR_FSYNC: 'unwritable',
  SQLITE_IOERR_TRUNCATE: 'unwritable',
  SQLITE_READONLY: 'unwritable',
  ER_DISK_FULL: 'unwritable',
  ER_RECORD_FILE_FULL: 'unwritable',
  ER_ERROR_ON_WRITE: 'unwritable',
  ER_OPTION_PREVENTS_STATEMENT: 'unwritable',
  ECONNREFUSED: 'unreachable',
  ECONNRESET: 'unreachable',
  ETIMEDOUT: 'unreachable',
  EPIPE: 'unreachable',
  ENOTFOUND: 'unreachable',
  PROTOCOL_CONNECTION_LOST: 'unreachable',
  ER_CON_COUNT_ERROR: 'unreachable',
  ER_MAX_PREPARED_STMT_COUNT_REACHED: 'unreachable',
  ER_SERVER_SHUTDOWN: 'unreachable',
  ER_CONNECTION_KILLED: 'unreachable',
  // Reported by a node of a Galera cluster that starts or has lost the majority.
  ER_UNKNOWN_COM_ERROR: 'unreachable',
  [readerEnded]: 'unreachable',
}

/**
 * An error that ended the connection may have any code or none, such as "Can't add new command when connection is in
 * closed state".
 */
const classifyOtherError = (error: unknown, code: string): DbErrorKind | undefined => {
  if (error instanceof Error && 'fatal' in error && error.fatal === true) return 'unreachable'
  return code.startsWith('SQLITE_') || code.startsWith('ER_') ? 'other' : undefined
}

/** Classifies a database error. For a duplicate it also returns the column that caused it. */
export const classifyDbError = (error: unknown): { fault: DbErrorKind; column?: string } | undefined => {
  const code = getErrorCode(error)
  const fault = errorKinds[code] ?? classifyOtherError(error, code)
  if (fault === undefined) return undefined
  return fault === 'duplicate' && error instanceof Error
    ? { fault, column: findDuplicateColumn(error.message) }
    : { fault }
}

/**
 * Parses `UNIQUE constraint failed: accounts.sip_realm` or `Duplicate entry 'x' for key 'sip_realm'` (or
 * `accounts.sip_realm`).
 */
const findDuplicateColumn = (message: string): string | undefined =>
  /failed: (?:[^,.:]+\.)?(\w+)/.exec(message)?.[1] ?? /for key '(?:\w+\.)?(\w+)'/.exec(message)?.[1]

export const quotedName = (engine: EngineName, name: string): string =>
  engine === 'mysql' ? `\`${name}\`` : `"${name}"`

type Values = Readonly<Record<string, string | number | Uint8Array | null | undefined>>

const getValues = (columns: readonly string[], row: Values) => columns.map((column) => row[column] ?? null)

interface InsertText {
  /** The statement up to VALUES. */
  prefix: string
  /** Placeholders for the values of one row. */
  placeholders: string
}

/**
 * Cached by table and columns, of which there are few. Building the text would take as long as inserting a row on
 * SQLite.
 */
const insertTextCache = new Map<string, InsertText>()

const getInsertText = (engine: EngineName, table: string, columns: readonly string[]): InsertText => {
  const key = `${engine} ${table} ${columns.join(' ')}`
  const cached = insertTextCache.get(key)
  if (cached) return cached
  const names = columns.map((column) => quotedName(engine, column)).join(', ')
  const placeholders = columns.map(() => '?').join(', ')
  const insertText = {
    prefix: `INSERT INTO ${quotedName(engine, table)} (${names}) VALUES`,
    placeholders: `(${placeholders})`,
  }
  insertTextCache.set(key, insertText)
  return insertText
}

/** Maximum number of rows per statement on MySQL. A power of two. */
const maxRowsPerStatement = 256

/** Splits rows into batches of 2^n, so that an INSERT has only a few different texts, which stay prepared. */
function* toBatches<R>(rows: readonly R[]): Generator<readonly R[]> {
  for (let start = 0, size = maxRowsPerStatement; start < rows.length; start += size) {
    while (size > rows.length - start) size /= 2
    yield rows.slice(start, start + size)
  }
}

const createInsert = (insertText: InsertText, columns: readonly string[], rows: readonly Values[], suffix = '') =>
  CompiledQuery.raw(
    `${insertText.prefix} ${rows.map(() => insertText.placeholders).join(', ')}${suffix}`,
    rows.flatMap((row) => getValues(columns, row)),
  )

/** Inserts all rows with one statement. If one of them is a duplicate, inserts each half separately. */
const insertHalving = async <R extends Values>(
  trx: Transaction<Tables>,
  insertText: InsertText,
  columns: readonly string[],
  rows: readonly R[],
): Promise<R[]> => {
  try {
    await trx.executeQuery(createInsert(insertText, columns, rows))
    return [...rows]
  } catch (error) {
    if (classifyDbError(error)?.fault !== 'duplicate') throw error
    if (rows.length === 1) return []
    const middle = rows.length >> 1
    const first = await insertHalving(trx, insertText, columns, rows.slice(0, middle))
    return [...first, ...(await insertHalving(trx, insertText, columns, rows.slice(middle)))]
  }
}

/**
 * Inserts rows, skips those that violate a unique index, and returns the inserted ones. All rows must have the columns
 * of the first one. (INSERT IGNORE would also ignore other errors on MySQL.)
 */
export const insertIgnoringDuplicates = async <T extends keyof Tables, R extends Insertable<Tables[T]> & Values>(
  trx: Transaction<Tables>,
  engine: EngineName,
  table: T,
  rows: readonly R[],
): Promise<R[]> => {
  const columns = Object.keys(rows[0] ?? {})
  const insertText = getInsertText(engine, table, columns)
  const inserted: R[] = []
  if (engine === 'mysql') {
    for (const batch of toBatches(rows)) inserted.push(...(await insertHalving(trx, insertText, columns, batch)))
    return inserted
  }
  // On SQLite, running one prepared statement per row is the fastest way.
  const text = `${insertText.prefix} ${insertText.placeholders} ON CONFLICT DO NOTHING`
  for (const row of rows) {
    const { numAffectedRows } = await trx.executeQuery(CompiledQuery.raw(text, getValues(columns, row)))
    if (numAffectedRows === 1n) inserted.push(row)
  }
  return inserted
}

/** Inserts rows, or adds their `sums` columns to those of an existing row with the same unique key. */
export const upsertIncrement = async <T extends keyof Tables>(
  trx: Transaction<Tables>,
  engine: EngineName,
  table: T,
  rows: readonly (Insertable<Tables[T]> & Values)[],
  sums: readonly string[],
): Promise<void> => {
  const [first] = rows
  if (first === undefined) return
  const columns = Object.keys(first)
  const insertText = getInsertText(engine, table, columns)
  const formatSums = (toValue: (name: string) => string) =>
    sums
      .map((sum) => quotedName(engine, sum))
      .map((sum) => `${sum} = ${sum} + ${toValue(sum)}`)
      .join()
  if (engine === 'mysql') {
    const onDuplicate = ` ON DUPLICATE KEY UPDATE ${formatSums((sum) => `VALUES(${sum})`)}`
    for (const batch of toBatches(rows)) await trx.executeQuery(createInsert(insertText, columns, batch, onDuplicate))
    return
  }
  const text = `${insertText.prefix} ${insertText.placeholders} ON CONFLICT DO UPDATE SET ${formatSums((sum) => `excluded.${sum}`)}`
  for (const row of rows) await trx.executeQuery(CompiledQuery.raw(text, getValues(columns, row)))
}

/** Time in which a conflicting transaction is repeated: a third of the default time limit of a request. */
const retryForMs = 10_000

/**
 * Upper limit of the random delay before a conflicting transaction is repeated. Without the randomness, transactions
 * that conflicted once would meet again. In a Galera cluster every conflict is found only at the end of a transaction.
 */
const retryDelay = { firstMs: 5, maxMs: 250 }

/**
 * The connection was lost during COMMIT, so it is unknown whether the transaction was committed. The error has the code
 * of its cause.
 */
export class UnknownCommitError extends Error {
  readonly code: string

  constructor(cause: unknown) {
    super('the connection was lost during COMMIT, so the change may have been made', { cause })
    this.code = getErrorCode(cause)
  }
}

/**
 * Runs `work` in a transaction. Repeats it after a random delay if the transaction conflicts with another one (a
 * deadlock, a lock that is not released, a change of the same row on another node), for ten seconds at most.
 *
 * @throws UnknownCommitError if the connection is lost while the database commits
 */
export const inTransaction = async <R>(
  { db }: Pick<Database, 'db'>,
  work: (trx: Transaction<Tables>) => Promise<R>,
): Promise<R> => {
  const startedAt = monotonicMs()
  for (let failures = 1; ; failures += 1) {
    let isCommitting = false
    try {
      return await db.transaction().execute(async (trx) => {
        const result = await work(trx)
        isCommitting = true
        return result
      })
    } catch (error) {
      const fault = classifyDbError(error)?.fault
      if (isCommitting && fault === 'unreachable') {
        transactionEvents.publish({ is: 'unknown' })
        throw new UnknownCommitError(error)
      }
      if (fault !== 'conflict' || monotonicMs() - startedAt >= retryForMs) throw error
      transactionEvents.publish({ is: 'retried' })
      await pause(Math.random() * exponentialBackoffMs(failures, retryDelay))
    }
  }
}

/** Locks the selected rows until the end of the transaction. (SQLite has only one writer, so no lock is needed.) */
export const lockForUpdate = <T extends keyof Tables, O>(
  engine: EngineName,
  rows: SelectQueryBuilder<Tables, T, O>,
): SelectQueryBuilder<Tables, T, O> => (engine === 'mysql' ? rows.forUpdate() : rows)

/**
 * Acquires a lock that all processes share, until the end of the transaction. SQLite has only one writer, so no lock is
 * needed.
 */
export const acquireNamedLock = async (trx: Transaction<Tables>, engine: EngineName, what: string): Promise<void> => {
  if (engine === 'sqlite') return
  const row = { setting: `one at a time: ${what}`, value: '' }
  await trx.insertInto('patchbay_settings').values(row).onDuplicateKeyUpdate({ value: '' }).execute()
}

/** Divides an integer column by `unit` and rounds down, also for negative values. */
export const floorDivide = (engine: EngineName, column: string, unit: number) => {
  const value = sql.ref(column)
  const size = sql.lit(unit)
  const multiple = sql`(${value} - ((${value} % ${size}) + ${size}) % ${size})`
  return engine === 'mysql' ? sql<number>`${multiple} DIV ${size}` : sql<number>`${multiple} / ${size}`
}
