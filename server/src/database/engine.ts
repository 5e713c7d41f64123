import Sqlite from 'better-sqlite3'
import { type Dialect, type Insertable, Kysely, MysqlDialect, SqliteDialect, sql } from 'kysely'
import { createPool, type TypeCastField } from 'mysql2'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Column, now } from './columns.ts'
import type { Tables } from './tables.ts'

/** All that differs between the two engines stands in this file. */

export type EngineName = 'sqlite' | 'mysql'

export type DatabaseAddress = { engine: 'sqlite'; file: string } | { engine: 'mysql'; url: string; connections: number }

export interface Database {
  engine: EngineName
  db: Kysely<Tables>
  /** The same data for long reads of call records, off the main thread where the engine is in this process. */
  reader: Kysely<Tables>
  close(): Promise<void>
}

/**
 * SQLite: WAL so that readers never wait for the writer, FULL so that what was acknowledged survives a power cut,
 * foreign keys on (off by default there).
 */
const openSqliteFile = (file: string): Sqlite.Database => {
  mkdirSync(dirname(file), { recursive: true })
  const connection = new Sqlite(file)
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = FULL')
  connection.pragma('foreign_keys = ON')
  connection.pragma('busy_timeout = 5000')
  connection.pragma('trusted_schema = OFF')
  return connection
}

const isoOf = (sqlTime: string | null): string | null =>
  sqlTime === null
    ? null
    : `${sqlTime.slice(0, 19).replace(' ', 'T')}.${(sqlTime.slice(20) || '0').padEnd(3, '0').slice(0, 3)}Z`

/** DATETIME and TIMESTAMP as ISO text; everything else as mysql2 reads it. */
const castMysql = (field: TypeCastField, next: () => unknown): unknown =>
  field.type === 'DATETIME' || field.type === 'TIMESTAMP' ? isoOf(field.string()) : next()

const mysqlDialect = (url: string, connections: number): Dialect => {
  const pool = createPool({
    uri: url,
    connectionLimit: connections,
    waitForConnections: true,
    connectTimeout: 5000,
    enableKeepAlive: true,
    charset: 'utf8mb4',
    timezone: 'Z',
    typeCast: castMysql,
    supportBigNumbers: true,
  })
  // Times are UTC whatever the server's zone; strict mode refuses what would be cut or mangled.
  pool.on('connection', (connection) => {
    connection.query("SET time_zone = '+00:00', sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')")
  })
  return new MysqlDialect({ pool })
}

export const openDatabase = (address: DatabaseAddress, openReader: (file: string) => Dialect): Database => {
  if (address.engine === 'mysql') {
    const db = new Kysely<Tables>({ dialect: mysqlDialect(address.url, address.connections) })
    return { engine: 'mysql', db, reader: db, close: () => db.destroy() }
  }
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: openSqliteFile(address.file) }) })
  const reader = new Kysely<Tables>({ dialect: openReader(address.file) })
  const close = async () => {
    await reader.destroy()
    await db.destroy()
  }
  return { engine: 'sqlite', db, reader, close }
}

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

type EngineFault = 'duplicate' | 'missing_parent' | 'still_referenced' | 'unreachable' | 'full' | 'other'

const faults: Readonly<Record<string, EngineFault>> = {
  SQLITE_CONSTRAINT_UNIQUE: 'duplicate',
  SQLITE_CONSTRAINT_PRIMARYKEY: 'duplicate',
  ER_DUP_ENTRY: 'duplicate',
  SQLITE_CONSTRAINT_FOREIGNKEY: 'missing_parent',
  ER_NO_REFERENCED_ROW_2: 'missing_parent',
  ER_ROW_IS_REFERENCED_2: 'still_referenced',
  SQLITE_FULL: 'full',
  SQLITE_IOERR: 'full',
  ER_DISK_FULL: 'full',
  ER_RECORD_FILE_FULL: 'full',
  ECONNREFUSED: 'unreachable',
  ECONNRESET: 'unreachable',
  ETIMEDOUT: 'unreachable',
  EPIPE: 'unreachable',
  ENOTFOUND: 'unreachable',
  PROTOCOL_CONNECTION_LOST: 'unreachable',
  ER_CON_COUNT_ERROR: 'unreachable',
  ER_SERVER_SHUTDOWN: 'unreachable',
  ER_CONNECTION_KILLED: 'unreachable',
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** What kind of database failure an error is, and for a duplicate the column that clashed. */
export const faultOf = (error: unknown): { fault: EngineFault; column?: string } | undefined => {
  const code = codeOf(error)
  const fault = faults[code] ?? (code.startsWith('SQLITE_') || code.startsWith('ER_') ? 'other' : undefined)
  if (fault === undefined) return undefined
  return fault === 'duplicate' && error instanceof Error ? { fault, column: clashedColumn(error.message) } : { fault }
}

/** `UNIQUE constraint failed: accounts.sip_realm` or `Duplicate entry 'x' for key 'sip_realm'` (or `accounts.sip_realm`). */
const clashedColumn = (message: string): string | undefined =>
  /failed: (?:[^,]*\.)?(\w+)/.exec(message)?.[1] ?? /for key '(?:\w+\.)?(\w+)'/.exec(message)?.[1]

/** MySQL's way to do nothing on a duplicate: set a column to what it is. */
const keepOnDuplicate = ([row]: readonly object[]) => {
  const column = sql.ref(Object.keys(row ?? {})[0] ?? '')
  return sql`ON DUPLICATE KEY UPDATE ${column} = ${column}`
}

/** Values of one statement; SQLite takes 32,766 and MySQL 65,535 parameters. */
const rowsAtOnce = 500

/**
 * Inserts rows in one transaction, leaving out those that a unique index already holds. Only that: MySQL's
 * INSERT IGNORE would also let other faults pass.
 */
export const insertIgnoringDuplicates = async <T extends keyof Tables>(
  { db, engine }: Database,
  table: T,
  rows: readonly Insertable<Tables[T]>[],
): Promise<void> => {
  await db.transaction().execute(async (trx) => {
    for (let start = 0; start < rows.length; start += rowsAtOnce) {
      const insert = trx.insertInto(table).values(rows.slice(start, start + rowsAtOnce))
      if (engine === 'sqlite') await insert.onConflict((conflict) => conflict.doNothing()).execute()
      else await insert.modifyEnd(keepOnDuplicate(rows)).execute()
    }
  })
}
