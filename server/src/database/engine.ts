import {
  CompiledQuery,
  type Dialect,
  type Insertable,
  Kysely,
  type KyselyPlugin,
  MysqlDialect,
  type SelectQueryBuilder,
  sql,
  type Transaction,
} from 'kysely'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { getErrorCode } from '../lib/error-code.ts'
import { type Column, now } from './columns.ts'
import { openMysqlPool } from './mysql-connection.ts'
import { sqliteDialect, type SqliteFiles } from './sqlite-dialect.ts'
import { readerEnded, SqliteFile } from './sqlite-file.ts'
import type { Tables } from './tables.ts'
import type { DatabaseAddress, MysqlAddress } from '../config/option-types.ts'

/** All that differs between the two engines stands in this file. */

export type EngineName = 'sqlite' | 'mysql'

export interface Database {
  engine: EngineName
  db: Kysely<Tables>
  /** The same data for reads of call records and long lists, off the main thread where the engine is in this process. */
  reader: Kysely<Tables>
  /** And for those that may take a second: they wait for each other, and nothing else waits for them. */
  searcher: Kysely<Tables>
  /** How many of each it does at a time without keeping others waiting. */
  concurrency: { reads: number; searches: number; writes: number }
  close(): Promise<void>
}

const openSqliteFiles = (path: string): SqliteFiles => {
  mkdirSync(dirname(path), { recursive: true })
  return { writer: new SqliteFile(path), reader: new SqliteFile(path, { readOnly: true }) }
}

const textOf = (date: Date): string | null => (Number.isNaN(date.getTime()) ? null : date.toISOString())

/** DATETIME and TIMESTAMP as ISO text. (mysql2 has a hook for every field it reads, at several times this cost.) */
const datesAsText: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: ({ result }) => {
    for (const row of result.rows)
      for (const name of Object.keys(row)) {
        const value = row[name]
        if (value instanceof Date) row[name] = textOf(value)
      }
    return Promise.resolve(result)
  },
}

const mysqlDialect = (address: MysqlAddress, statementSeconds?: number) =>
  new MysqlDialect({ pool: () => openMysqlPool(address, statementSeconds) })

/** A search of call records that takes longer than this is ended by the server. */
const searchSeconds = 30
const searches = 2

const openMysql = (address: MysqlAddress): Database => {
  const { connections } = address
  const db = new Kysely<Tables>({ dialect: mysqlDialect(address), plugins: [datesAsText] })
  const searcher = new Kysely<Tables>({
    dialect: mysqlDialect({ ...address, connections: searches }, searchSeconds),
    plugins: [datesAsText],
  })
  const close = async () => {
    await searcher.destroy()
    await db.destroy()
  }
  // The other half of the connections is for what waits for no turn.
  const half = Math.max(1, connections >> 1)
  return { engine: 'mysql', db, reader: db, searcher, concurrency: { reads: half, searches, writes: half }, close }
}

const openSqlite = (file: string, openReader: (file: string) => Dialect): Database => {
  const db = new Kysely<Tables>({ dialect: sqliteDialect(openSqliteFiles(file)) })
  const reader = new Kysely<Tables>({ dialect: openReader(file) })
  const searcher = new Kysely<Tables>({ dialect: openReader(file) })
  const close = async () => {
    await Promise.all([reader.destroy(), searcher.destroy()])
    await db.destroy()
  }
  return { engine: 'sqlite', db, reader, searcher, concurrency: { reads: 4, searches: 1, writes: 1 }, close }
}

export const openDatabase = (address: DatabaseAddress, openReader: (file: string) => Dialect): Database =>
  address.engine === 'mysql' ? openMysql(address) : openSqlite(address.file, openReader)

/** Column types: the engine's own words. SQLite enforces what MySQL's types do through CHECK and collation. */
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

/** An instant as the engine's date columns take it. */
export const sqlTime = (engine: EngineName, at: Date): string =>
  engine === 'mysql' ? at.toISOString().slice(0, 19).replace('T', ' ') : at.toISOString()

/** `column` contains `part`, case-sensitively when the column is exact. No wildcard is live. */
export const contains = (engine: EngineName, column: string, part: string) =>
  engine === 'mysql'
    ? sql<boolean>`LOCATE(${part}, ${sql.ref(column)}) > 0`
    : sql<boolean>`INSTR(${sql.ref(column)}, ${part}) > 0`

/** `column` is like `pattern`, in which % and _ stand for any and \\ takes their meaning; case does not matter. */
export const like = (column: string, pattern: string) => sql<boolean>`${sql.ref(column)} LIKE ${pattern} ESCAPE ${'\\'}`

/** The text of `column` holds something that is no digit. */
export const holdsNonDigit = (engine: EngineName, column: string) =>
  engine === 'mysql'
    ? sql<boolean>`${sql.ref(column)} REGEXP ${'[^0-9]'}`
    : sql<boolean>`${sql.ref(column)} GLOB ${'*[^0-9]*'}`

type DbErrorKind =
  | 'conflict'
  | 'duplicate'
  | 'missing_parent'
  | 'still_referenced'
  | 'unreachable'
  /** no room on the disk, or a disk that takes no writes */
  | 'unwritable'
  | 'other'

const faults: Readonly<Record<string, DbErrorKind>> = {
  SQLITE_CONSTRAINT_UNIQUE: 'duplicate',
  SQLITE_CONSTRAINT_PRIMARYKEY: 'duplicate',
  ER_DUP_ENTRY: 'duplicate',
  SQLITE_CONSTRAINT_FOREIGNKEY: 'missing_parent',
  ER_NO_REFERENCED_ROW_2: 'missing_parent',
  ER_ROW_IS_REFERENCED_2: 'still_referenced',
  ER_LOCK_DEADLOCK: 'conflict',
  ER_LOCK_WAIT_TIMEOUT: 'conflict',
  // What a transaction read has been changed since, or a table under a prepared statement.
  ER_CHECKREAD: 'conflict',
  ER_NEED_REPREPARE: 'conflict',
  SQLITE_BUSY_SNAPSHOT: 'conflict',
  SQLITE_FULL: 'unwritable',
  SQLITE_IOERR: 'unwritable',
  // A quota or a limit on the size of files says so.
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
  [readerEnded]: 'unreachable',
}

/** An error that ended the connection may have any code, or none: "Can't add new command when connection is in closed state". */
const otherFault = (error: unknown, code: string): DbErrorKind | undefined => {
  if (error instanceof Error && 'fatal' in error && error.fatal === true) return 'unreachable'
  return code.startsWith('SQLITE_') || code.startsWith('ER_') ? 'other' : undefined
}

/** What kind of database failure an error is, and for a duplicate the column that clashed. */
export const classifyDbError = (error: unknown): { fault: DbErrorKind; column?: string } | undefined => {
  const code = getErrorCode(error)
  const fault = faults[code] ?? otherFault(error, code)
  if (fault === undefined) return undefined
  return fault === 'duplicate' && error instanceof Error ? { fault, column: clashedColumn(error.message) } : { fault }
}

/** `UNIQUE constraint failed: accounts.sip_realm` or `Duplicate entry 'x' for key 'sip_realm'` (or `accounts.sip_realm`). */
const clashedColumn = (message: string): string | undefined =>
  /failed: (?:[^,.:]+\.)?(\w+)/.exec(message)?.[1] ?? /for key '(?:\w+\.)?(\w+)'/.exec(message)?.[1]

export const quotedName = (engine: EngineName, name: string): string =>
  engine === 'mysql' ? `\`${name}\`` : `"${name}"`

type Values = Readonly<Record<string, string | number | Uint8Array | null | undefined>>

const valuesOf = (columns: readonly string[], row: Values) => columns.map((column) => row[column] ?? null)

interface InsertWords {
  /** the beginning */
  into: string
  /** of the values of a row */
  placeholders: string
}

/** By table and columns, which are few: making them takes as long as an embedded database does to insert a row. */
const knownWords = new Map<string, InsertWords>()

const insertWords = (engine: EngineName, table: string, columns: readonly string[]): InsertWords => {
  const key = `${engine} ${table} ${columns.join(' ')}`
  const known = knownWords.get(key)
  if (known) return known
  const names = columns.map((column) => quotedName(engine, column)).join(', ')
  const placeholders = columns.map(() => '?').join(', ')
  const made = { into: `INSERT INTO ${quotedName(engine, table)} (${names}) VALUES`, placeholders: `(${placeholders})` }
  knownWords.set(key, made)
  return made
}

/** Rows of one statement on MySQL, a power of two. */
const maxRows = 256

/** Lots of 2^n rows: so few texts of one INSERT can be kept prepared. */
function* lotsOf<R>(rows: readonly R[]): Generator<readonly R[]> {
  for (let start = 0, size = maxRows; start < rows.length; start += size) {
    while (size > rows.length - start) size /= 2
    yield rows.slice(start, start + size)
  }
}

const rowsInsert = (words: InsertWords, columns: readonly string[], rows: readonly Values[], more = '') =>
  CompiledQuery.raw(
    `${words.into} ${rows.map(() => words.placeholders).join(', ')}${more}`,
    rows.flatMap((row) => valuesOf(columns, row)),
  )

/** Tries all rows at once, and where one of them is there already, each half by itself. */
const insertHalving = async <R extends Values>(
  trx: Transaction<Tables>,
  words: InsertWords,
  columns: readonly string[],
  rows: readonly R[],
): Promise<R[]> => {
  try {
    await trx.executeQuery(rowsInsert(words, columns, rows))
    return [...rows]
  } catch (error) {
    if (classifyDbError(error)?.fault !== 'duplicate') throw error
    if (rows.length === 1) return []
    const half = rows.length >> 1
    const first = await insertHalving(trx, words, columns, rows.slice(0, half))
    return [...first, ...(await insertHalving(trx, words, columns, rows.slice(half)))]
  }
}

/**
 * Inserts rows, leaving out those that a unique index already holds, and answers those that were new. All rows have
 * the columns of the first. (Not INSERT IGNORE: on MySQL that would let other faults pass, too.)
 */
export const insertIgnoringDuplicates = async <T extends keyof Tables, R extends Insertable<Tables[T]> & Values>(
  trx: Transaction<Tables>,
  engine: EngineName,
  table: T,
  rows: readonly R[],
): Promise<R[]> => {
  const columns = Object.keys(rows[0] ?? {})
  const words = insertWords(engine, table, columns)
  const inserted: R[] = []
  if (engine === 'mysql') {
    for (const lot of lotsOf(rows)) inserted.push(...(await insertHalving(trx, words, columns, lot)))
    return inserted
  }
  // Inside the process one prepared statement, run for each row, is the quickest way.
  const text = `${words.into} ${words.placeholders} ON CONFLICT DO NOTHING`
  for (const row of rows) {
    const { numAffectedRows } = await trx.executeQuery(CompiledQuery.raw(text, valuesOf(columns, row)))
    if (numAffectedRows === 1n) inserted.push(row)
  }
  return inserted
}

/** Inserts rows, or adds their `sums` to those of the rows which a unique index already holds. */
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
  const words = insertWords(engine, table, columns)
  const added = (given: (name: string) => string) =>
    sums
      .map((sum) => quotedName(engine, sum))
      .map((sum) => `${sum} = ${sum} + ${given(sum)}`)
      .join()
  if (engine === 'mysql') {
    const orAdd = ` ON DUPLICATE KEY UPDATE ${added((sum) => `VALUES(${sum})`)}`
    for (const lot of lotsOf(rows)) await trx.executeQuery(rowsInsert(words, columns, lot, orAdd))
    return
  }
  const text = `${words.into} ${words.placeholders} ON CONFLICT DO UPDATE SET ${added((sum) => `excluded.${sum}`)}`
  for (const row of rows) await trx.executeQuery(CompiledQuery.raw(text, valuesOf(columns, row)))
}

const maxAttempts = 5

/**
 * The connection was lost while the database committed, so nobody knows whether it did. The error keeps the code of its
 * cause.
 */
export class UnknownCommitError extends Error {
  readonly code: string

  constructor(cause: unknown) {
    super('the connection was lost during COMMIT, so the change may have been made', { cause })
    this.code = getErrorCode(cause)
  }
}

/**
 * Runs `work` in a transaction. Starts anew, five times at most, if the transaction conflicts with another one.
 *
 * @throws UnknownCommitError if the connection is lost while the database commits
 */
export const inTransaction = async <R>(
  { db }: Pick<Database, 'db'>,
  work: (trx: Transaction<Tables>) => Promise<R>,
): Promise<R> => {
  for (let attempt = 1; ; attempt += 1) {
    let isCommitting = false
    try {
      return await db.transaction().execute(async (trx) => {
        const result = await work(trx)
        isCommitting = true
        return result
      })
    } catch (error) {
      const fault = classifyDbError(error)?.fault
      if (isCommitting && fault === 'unreachable') throw new UnknownCommitError(error)
      if (attempt === maxAttempts || fault !== 'conflict') throw error
    }
  }
}

/** Rows as they are now, which nobody else changes until the transaction ends. (On SQLite no other can.) */
export const lockForUpdate = <T extends keyof Tables, O>(
  engine: EngineName,
  rows: SelectQueryBuilder<Tables, T, O>,
): SelectQueryBuilder<Tables, T, O> => (engine === 'mysql' ? rows.forUpdate() : rows)

/** Lets one transaction at a time go on from here, of all processes, until it ends. SQLite has one writer anyway. */
export const acquireNamedLock = async (trx: Transaction<Tables>, engine: EngineName, what: string): Promise<void> => {
  if (engine === 'sqlite') return
  const row = { setting: `one at a time: ${what}`, value: '' }
  await trx.insertInto('patchbay_settings').values(row).onDuplicateKeyUpdate({ value: '' }).execute()
}

/** Whole `unit`s of an integer column since zero, downwards also below it. */
export const floorDivide = (engine: EngineName, column: string, unit: number) => {
  const value = sql.ref(column)
  const size = sql.lit(unit)
  const down = sql`(${value} - ((${value} % ${size}) + ${size}) % ${size})`
  return engine === 'mysql' ? sql<number>`${down} DIV ${size}` : sql<number>`${down} / ${size}`
}
