import type { Database } from '../database/engine.ts'
import { createSchema } from '../database/migrations.ts'
import { BackupError } from './backup-error.ts'
import type { BackupHeader } from './manifest.ts'
import type { CellValue } from './row-encoding.ts'

/**
 * The database did not confirm the commit, because the connection was lost, for example. It contains either all rows or
 * none.
 */
export class UnconfirmedCommitError extends BackupError {
  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(
      `The database did not confirm that the backup was restored: ${reason}. ` +
        'Restore again: Patchbay reports if the database is not empty any more, which means that it was restored.',
      { cause },
    )
  }
}

/** An empty database into which a backup is restored. Until `commit` has returned, it looks unchanged. */
export interface RestoreTarget {
  /** The tables of the backup whose rows are restored. */
  tables: ReadonlySet<string>
  insertRows(table: BackupHeader['tables'][number], rows: readonly CellValue[][]): Promise<void>
  /**
   * Completes the database and runs `moveFiles` immediately before the change becomes visible.
   * @throws UnconfirmedCommitError if it is unknown whether the change is visible
   */
  commit(moveFiles: () => Promise<void>): Promise<void>
  /** Migrates the database to the current schema, unless `commit` has done so. */
  upgrade(): Promise<void>
  /** Discards everything. Does nothing after a commit. */
  close(): Promise<void>
}

/** The table whose rows a new schema contains already. */
export const settingsTable = 'patchbay_settings'

/** Patchbay has created all tables of a restored database, also if the backup was taken on a platform. */
export const markAsOwn = `UPDATE ${settingsTable} SET value = 'no' WHERE setting = 'adopted'`

/** Runs a statement that stores rows. Errors name the table. */
export const withRowErrors = async <T>(table: string, work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BackupError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new BackupError(`The rows of ${table} cannot be restored: ${reason}. Nothing was changed.`, { cause: error })
  }
}

/**
 * Creates the tables of a backup in an empty database, as the last migration of the backup left them. Returns their names.
 *
 * On MySQL a migration that was interrupted, and is not in the list of migrations, can have created tables already. The
 * backup contains them, and the database does not. Only that migration has filled them, from the other tables, and it
 * does so again after the restore.
 */
export const createBackupTables = async (database: Database, header: BackupHeader): Promise<Set<string>> => {
  await createSchema(database, header.migrations.at(-1) ?? '')
  const existing = new Set((await database.db.introspection.getTables()).map(({ name }) => name))
  return new Set(header.tables.map(({ name }) => name).filter((name) => existing.has(name)))
}
