import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { type Database, openDatabase, quotedName } from '../database/engine.ts'
import { migrate } from '../database/migrations.ts'
import { sqliteReader } from '../database/sqlite-reader.ts'
import { moveToNewName, syncToDisk } from '../lib/durable-files.ts'
import { getErrorCode } from '../lib/error-code.ts'
import { BackupError } from './backup-error.ts'
import type { BackupHeader } from './manifest.ts'
import { createBackupTables, markAsOwn, type RestoreTarget, settingsTable, withRowErrors } from './restore-target.ts'

/** Restores into a new SQLite file, which replaces nothing and gets its name when it is complete. */

/**
 * Returns the reason why an SQLite file is not empty. A file that exists is never empty, because the server fills a new
 * one at its first start.
 */
export const findSqliteContent = (file: string): string | undefined => {
  const existing = [file, `${file}-wal`, `${file}-shm`].find((path) => existsSync(path))
  return existing === undefined ? undefined : `${existing} exists`
}

const withSchema = async <T>(file: string, work: (database: Database) => Promise<T>): Promise<T> => {
  const database = openDatabase({ engine: 'sqlite', file }, sqliteReader)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Indexes that are created after the rows are sorted once, which takes a fraction of the time of inserting into them. */
const dropIndexes = (connection: DatabaseSync): string[] => {
  const indexes = connection
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    .all()
  for (const { name } of indexes) connection.exec(`DROP INDEX ${quotedName('sqlite', String(name))}`)
  return indexes.map(({ sql }) => String(sql))
}

/**
 * Creates a database file in the staging folder.
 * @param staged path of the file until the commit
 * @param file path of the file after it
 */
export const createSqliteTarget = async (
  header: BackupHeader,
  staged: string,
  file: string,
): Promise<RestoreTarget> => {
  // Another restore can have been completed after the first check.
  if (existsSync(file)) throw new BackupError(`${file} was created meanwhile. Nothing was changed.`)
  const tables = await withSchema(staged, (database) => createBackupTables(database, header))
  const connection = new DatabaseSync(staged)
  // If this process is killed, the next restore deletes the file, so a journal is not needed.
  for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'foreign_keys = OFF', 'cache_size = -64000'])
    connection.exec(`PRAGMA ${pragma}`)
  const indexes = dropIndexes(connection)
  connection.exec(`BEGIN; DELETE FROM ${settingsTable}`)
  const statements = new Map<string, StatementSync>()
  const prepare = ({ name, columns }: BackupHeader['tables'][number]): StatementSync => {
    const list = columns.map((column) => quotedName('sqlite', column)).join(', ')
    const text = `INSERT INTO ${quotedName('sqlite', name)} (${list}) VALUES (${columns.map(() => '?').join(', ')})`
    const existing = statements.get(name)
    if (existing !== undefined) return existing
    const statement = connection.prepare(text)
    // Node.js 26 rejects an insert whose row ID is no exact JavaScript number, which it would return.
    statement.setReadBigInts(true)
    statements.set(name, statement)
    return statement
  }
  return {
    tables,
    insertRows: (table, rows) =>
      withRowErrors(table.name, () => {
        const statement = prepare(table)
        for (const row of rows) statement.run(...(row satisfies SQLInputValue[]))
      }),
    async commit(moveFiles) {
      await withRowErrors('the indexes', () => {
        connection.exec(markAsOwn)
        for (const index of indexes) connection.exec(index)
        connection.exec('COMMIT')
        connection.close()
      })
      await withSchema(staged, migrate)
      await syncToDisk(staged, 'r+')
      await moveFiles()
      await moveToNewName(staged, file).catch((error: unknown) => {
        if (getErrorCode(error) !== 'EEXIST') throw error
        throw new BackupError(`${file} was created meanwhile. Stop Patchbay, and restore again.`, { cause: error })
      })
      await syncToDisk(dirname(file))
    },
    upgrade: () => Promise.resolve(),
    close: () => Promise.resolve(connection.isOpen ? connection.close() : undefined),
  }
}
