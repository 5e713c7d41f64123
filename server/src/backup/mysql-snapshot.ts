import type { Connection } from 'mariadb'
import type { MysqlAddress } from '../config/option-types.ts'
import type { Column } from '../database/columns.ts'
import { quotedName } from '../database/engine.ts'
import { openDriverConnection } from '../database/mysql-connection.ts'
import { MysqlError, toMysqlError } from '../database/mysql-error.ts'
import { type BackupTable, type ExistingColumns, findColumn, selectTables } from './known-tables.ts'
import type { CellValue } from './row-encoding.ts'
import type { Snapshot } from './snapshot.ts'

/** A snapshot of a MySQL or MariaDB database: one transaction with a consistent snapshot, whose rows are streamed. */

const queryRows = async (connection: Connection, sql: string): Promise<unknown[][]> => {
  const [rows] = await connection.query<[unknown[][], unknown]>(sql).catch((error: unknown) => {
    throw toMysqlError(error, sql)
  })
  return rows
}

/** Statements of which each server knows only some. */
const trySet = async (connection: Connection, sql: string): Promise<void> => {
  await queryRows(connection, sql).catch(() => undefined)
}

const readColumns = async (connection: Connection): Promise<ExistingColumns> => {
  const rows = await queryRows(
    connection,
    `SELECT c.TABLE_NAME, c.COLUMN_NAME FROM information_schema.COLUMNS c
     JOIN information_schema.TABLES t ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
     WHERE c.TABLE_SCHEMA = DATABASE() AND t.TABLE_TYPE = 'BASE TABLE'
     ORDER BY c.TABLE_NAME, c.ORDINAL_POSITION`,
  )
  const columns = new Map<string, string[]>()
  for (const [table, column] of rows)
    columns.set(String(table), [...(columns.get(String(table)) ?? []), String(column)])
  return columns
}

/** Converts `2026-11-21 12:00:00` to ISO text. MySQL can store days that do not exist, which become NULL. */
const toIsoText = (text: string): string | null => {
  const date = new Date(`${text.replace(' ', 'T')}Z`)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/** The driver returns integers that a number cannot represent as strings. */
type MysqlValue = null | number | string | Buffer

const toInteger = (value: MysqlValue): CellValue => (typeof value === 'number' ? value : BigInt(String(value)))

/** Converts a value by the kind of its column, because an adopted database can have columns of similar types. */
const convertValue = ({ kind }: Column, value: MysqlValue): CellValue => {
  if (value === null) return null
  switch (kind.is) {
    case 'dateTime':
    case 'timestamp':
      return toIsoText(String(value))
    case 'flag':
      // An adopted column can be a BIT.
      return Buffer.isBuffer(value) ? (value.at(-1) ?? 0) : toInteger(value)
    case 'integer':
    case 'bigInteger':
      return toInteger(value)
    case 'real':
      return Number(value)
    case 'bytes':
      return Buffer.isBuffer(value) ? value : Buffer.from(String(value))
    default:
      return String(value)
  }
}

async function* readRows(connection: Connection, { name, columns }: BackupTable): AsyncGenerator<CellValue[]> {
  const list = columns.map((column) => quotedName('mysql', column)).join(', ')
  const sql = `SELECT ${list} FROM ${quotedName('mysql', name)}`
  const definitions = columns.map((column) => findColumn(name, column))
  // The driver does not report that the query of a stream was not sent.
  if (!connection.isValid()) throw new MysqlError('the connection was lost', { fatal: true })
  try {
    const rows: AsyncIterable<MysqlValue[]> = connection.queryStream(sql)
    for await (const row of rows)
      yield row.map((value, position) => {
        const definition = definitions[position]
        return definition === undefined ? null : convertValue(definition, value)
      })
  } catch (error) {
    throw toMysqlError(error, `SELECT … FROM ${name}`)
  }
}

/** Opens a snapshot of a database, which the server can use meanwhile. */
export const openMysqlSnapshot = async (address: MysqlAddress): Promise<Snapshot> => {
  const connection = await openDriverConnection(address)
  try {
    // The server must not end the transfer of a large table because the backup's disk is slower.
    await queryRows(connection, 'SET SESSION net_write_timeout = 3600')
    await trySet(connection, 'SET SESSION max_statement_time = 0')
    await trySet(connection, 'SET SESSION max_execution_time = 0')
    await queryRows(connection, 'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ')
    await queryRows(connection, 'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY')
    const existing = await readColumns(connection)
    const read = async (table: string, sql: string) => (existing.has(table) ? queryRows(connection, sql) : [])
    const adopted = await read('patchbay_settings', "SELECT value FROM patchbay_settings WHERE setting = 'adopted'")
    const migrations = await read('patchbay_migrations', 'SELECT name FROM patchbay_migrations ORDER BY name')
    return {
      engine: 'mysql',
      ...selectTables(existing),
      migrations: migrations.map(([name]) => String(name)),
      isAdopted: adopted[0]?.[0] === 'yes',
      readRows: (table) => readRows(connection, table),
      close: () => Promise.resolve(connection.destroy()),
    }
  } catch (error) {
    connection.destroy()
    throw error
  }
}
