import { DatabaseSync } from 'node:sqlite'
import { quotedName } from '../database/engine.ts'
import { toSqliteError } from '../database/sqlite-file.ts'
import { type BackupTable, type ExistingColumns, latestAuditTable, selectTables } from './known-tables.ts'
import type { CellValue } from './row-encoding.ts'
import type { Snapshot } from './snapshot.ts'

/**
 * A snapshot of an SQLite database: one read transaction. In WAL mode it does not block the server. Until it ends, the
 * WAL file grows by what the server writes.
 */

function* query(connection: DatabaseSync, text: string): Generator<CellValue[]> {
  try {
    const statement = connection.prepare(text)
    statement.setReadBigInts(true)
    statement.setReturnArrays(true)
    // setReturnArrays makes rows arrays, which Node's types do not reflect.
    yield* statement.iterate() as Iterable<unknown> as Iterable<CellValue[]>
  } catch (error) {
    throw toSqliteError(error)
  }
}

const open = (file: string): DatabaseSync => {
  try {
    return new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  } catch (error) {
    throw toSqliteError(error)
  }
}

const readColumns = (connection: DatabaseSync): ExistingColumns => {
  const text = `
    SELECT "table".name, "column".name
    FROM sqlite_master AS "table" JOIN pragma_table_info("table".name) AS "column"
    WHERE "table".type = 'table' AND "table".name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
    ORDER BY "table".name, "column".cid`
  const columns = new Map<string, string[]>()
  for (const [table, column] of query(connection, text))
    columns.set(String(table), [...(columns.get(String(table)) ?? []), String(column)])
  return columns
}

const selectRows = ({ name, columns }: BackupTable, existing: ExistingColumns): string => {
  const list = columns.map((column) => quotedName('sqlite', column)).join(', ')
  const select = (table: string) => `SELECT ${list} FROM ${quotedName('sqlite', table)}`
  return name === 'patchbay_audit_trail' && existing.has(latestAuditTable)
    ? `${select(name)} UNION ALL ${select(latestAuditTable)}`
    : select(name)
}

/** Opens a snapshot of a database file, which the server can use meanwhile. */
export const openSqliteSnapshot = (file: string): Snapshot => {
  const connection = open(file)
  try {
    connection.exec('PRAGMA trusted_schema = OFF')
    // The transaction sees the state of its first read.
    connection.exec('BEGIN')
    const existing = readColumns(connection)
    const read = (table: string, text: string) => (existing.has(table) ? [...query(connection, text)] : [])
    const adopted = read('patchbay_settings', "SELECT value FROM patchbay_settings WHERE setting = 'adopted'")
    const migrations = read('patchbay_migrations', 'SELECT name FROM patchbay_migrations ORDER BY name')
    return {
      engine: 'sqlite',
      ...selectTables(existing),
      migrations: migrations.map(([name]) => String(name)),
      isAdopted: adopted[0]?.[0] === 'yes',
      readRows: (table) => query(connection, selectRows(table, existing)),
      close: () => Promise.resolve(connection.close()),
    }
  } catch (error) {
    connection.close()
    throw toSqliteError(error)
  }
}
