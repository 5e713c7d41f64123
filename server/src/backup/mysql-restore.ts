import { CompiledQuery, type Kysely } from 'kysely'
import type { MysqlAddress } from '../config/option-types.ts'
import { type Database, openDatabase, quotedName } from '../database/engine.ts'
import { migrate } from '../database/migrations.ts'
import { sqliteReader } from '../database/sqlite-reader.ts'
import type { Tables } from '../database/tables.ts'
import { getErrorCode } from '../lib/error-code.ts'
import { BackupError } from './backup-error.ts'
import { isKnownTable, migrationTables } from './known-tables.ts'
import type { BackupHeader } from './manifest.ts'
import { throwDuplicate } from './mysql-duplicates.ts'
import {
  createBackupTables,
  markAsOwn,
  type RestoreTarget,
  settingsTable,
  UnconfirmedCommitError,
  withRowErrors,
} from './restore-target.ts'
import { createConverter } from './restored-values.ts'
import type { CellValue } from './row-encoding.ts'

/**
 * Restores into a MySQL or MariaDB database. Creating empty tables does not change the content of a database, and all
 * rows are inserted in one transaction.
 */

const run = (db: Kysely<Tables>, text: string, values: readonly unknown[] = []) =>
  db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, [...values]))

const tableName = (name: string): string => quotedName('mysql', name)

const listTables = async (db: Kysely<Tables>): Promise<string[]> =>
  (await db.introspection.getTables()).map(({ name }) => name)

/** A database without rows contains this setting if a restore was interrupted. */
const ownSetting = "setting = 'adopted' AND value = 'no'"

const findContent = async (db: Kysely<Tables>, tables: readonly string[]): Promise<string | undefined> => {
  for (const table of tables) {
    if (migrationTables.includes(table)) continue
    if (!isKnownTable(table)) return `it contains the table ${table}`
    const condition = table === settingsTable ? ` WHERE NOT (${ownSetting})` : ''
    const { rows } = await run(db, `SELECT 1 FROM ${tableName(table)}${condition} LIMIT 1`)
    if (rows.length > 0) return `its table ${table} contains rows`
  }
  // Without this table, Patchbay has not created the others.
  return tables.length > 0 && !tables.includes(settingsTable) ? 'it contains the tables of a platform' : undefined
}

const withDatabase = async <T>(address: MysqlAddress, work: (database: Database) => Promise<T>): Promise<T> => {
  const database = openDatabase({ ...address, connections: 1 }, sqliteReader)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Returns the reason why a database is not empty. Empty tables of Patchbay are allowed. */
export const findMysqlContent = (address: MysqlAddress): Promise<string | undefined> =>
  withDatabase(address, async ({ db }) => findContent(db, await listTables(db)))

/** Empty tables can have another schema, if another backup was to be restored. */
const dropEmptyTables = async (db: Kysely<Tables>): Promise<void> =>
  db.connection().execute(async (connection) => {
    const tables = await listTables(connection)
    const content = await findContent(connection, tables)
    if (content !== undefined) throw new BackupError(`The database is not empty: ${content}.`)
    if (tables.length === 0) return
    await run(connection, 'SET foreign_key_checks = 0')
    await run(connection, `DROP TABLE ${tables.map(tableName).join(', ')}`)
    await run(connection, 'SET foreign_key_checks = 1')
  })

/** A prepared statement can have 65,535 values. */
const maxValues = 20_000
const maxRows = 500
/** The default of max_allowed_packet is 16 MB on MariaDB. A single row can be as large as a previous insert was. */
const maxBatchBytes = 2 * 2 ** 20

const countBytes = (value: CellValue): number =>
  typeof value === 'string' || value instanceof Uint8Array ? value.length : 8

/** Splits rows into batches that one statement can insert. */
function* splitRows(rows: readonly CellValue[][], columns: number): Generator<CellValue[][]> {
  const limit = Math.min(maxRows, Math.floor(maxValues / columns))
  let batch: CellValue[][] = []
  let bytes = 0
  for (const row of rows) {
    const rowBytes = row.reduce<number>((sum, value) => sum + countBytes(value), 0)
    if (batch.length > 0 && (batch.length >= limit || bytes + rowBytes > maxBatchBytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(row)
    bytes += rowBytes
  }
  if (batch.length > 0) yield batch
}

const insertRows = async (
  connection: Kysely<Tables>,
  table: BackupHeader['tables'][number],
  rows: readonly CellValue[][],
): Promise<void> => {
  const { name, columns } = table
  const converters = columns.map((column) => createConverter('mysql', name, column))
  const list = columns.map(tableName).join(', ')
  const placeholders = `(${columns.map(() => '?').join(', ')})`
  const insert = (batch: readonly CellValue[][]) => {
    const text = `INSERT INTO ${tableName(name)} (${list}) VALUES ${batch.map(() => placeholders).join(', ')}`
    return run(connection, text, batch.flat())
  }
  const convert = (row: readonly CellValue[]) => row.map((value, position) => converters[position]?.(value) ?? null)
  for (const batch of splitRows(rows, columns.length))
    await withRowErrors(name, async () => {
      const converted = batch.map(convert)
      await insert(converted).catch((error: unknown) =>
        throwDuplicate(connection, { table, rows: converted, insert, error }),
      )
    })
}

/** Another process that has used the database meanwhile has added rows. */
const assertCounts = async (connection: Kysely<Tables>, counts: ReadonlyMap<string, number>): Promise<void> => {
  for (const [table, expected] of counts) {
    const { rows } = await run(connection, `SELECT COUNT(*) AS found FROM ${tableName(table)}`)
    if (Number(rows[0]?.['found']) !== expected)
      throw new BackupError(
        `Another process has changed the table ${table} meanwhile. Stop Patchbay, empty the database, and restore again.`,
      )
  }
}

/** Error of servers that have no locks by name, such as nodes of older Galera clusters. */
const notSupported = 'ER_NOT_SUPPORTED_YET'

/** MySQL 9 has no SHA1(). A name of a lock has at most 64 characters. */
const acquireLock = "SELECT GET_LOCK(CONCAT('patchbay_restore_', LEFT(SHA2(DATABASE(), 256), 40)), 0) AS acquired"

/**
 * Locks a database until the connection closes, so that only one restore can run, whatever machine it runs on.
 * @throws BackupError if another restore has the lock
 */
const lockDatabase = async (db: Kysely<Tables>): Promise<void> => {
  const { rows } = await run(db, acquireLock).catch((error: unknown) => {
    if (getErrorCode(error) === notSupported) return { rows: [{ acquired: 1 }] }
    throw error
  })
  if (Number(rows[0]?.['acquired']) !== 1)
    throw new BackupError('Another restore into the same database is running. Nothing was changed.')
}

/** Creates the tables of the backup's schema in an empty database, and starts the transaction. */
export const createMysqlTarget = async (header: BackupHeader, address: MysqlAddress): Promise<RestoreTarget> => {
  const database = openDatabase({ ...address, connections: 2 }, sqliteReader)
  const lock = openDatabase({ ...address, connections: 1 }, sqliteReader)
  const close = async () => {
    await database.close()
    await lock.close()
  }
  try {
    await lockDatabase(lock.db)
    await dropEmptyTables(database.db)
    const tables = await createBackupTables(database, header)
    const counts = new Map([...tables].map((name) => [name, 0]))
    const transaction = await database.db.startTransaction().setIsolationLevel('read committed').execute()
    await run(transaction, 'SET foreign_key_checks = 0')
    await run(transaction, `DELETE FROM ${settingsTable}`)
    return {
      tables,
      async insertRows(table, rows) {
        await insertRows(transaction, table, rows)
        counts.set(table.name, (counts.get(table.name) ?? 0) + rows.length)
      },
      async commit(moveFiles) {
        await run(transaction, markAsOwn)
        await assertCounts(transaction, counts)
        await moveFiles()
        await transaction
          .commit()
          .execute()
          .catch((error: unknown) => {
            throw new UnconfirmedCommitError(error)
          })
      },
      upgrade: async () => void (await withDatabase(address, migrate)),
      // Closing the connection rolls an open transaction back.
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
