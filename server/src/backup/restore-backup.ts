import { parseSecretsFile } from '../config/secrets.ts'
import type { StorageLocation } from '../config/settings/storage-settings.ts'
import { toCurrentName } from '../database/migrations/index.ts'
import { listMigrations } from '../database/migrations.ts'
import { FatalError } from '../lib/cli.ts'
import type { ArchiveHandler } from './archive-reader.ts'
import { BackupError, DamagedBackupError, toBackupError } from './backup-error.ts'
import type { BackupFile } from './backup-file.ts'
import { assertRestorable, createRowCheck, createZeroDateReplacement, type RowProblem } from './check-rows.ts'
import type { BackupSummary } from './create-backup.ts'
import { discardInterruptedRestore } from './interrupted-restore.ts'
import { findColumn } from './known-tables.ts'
import type { BackupHeader } from './manifest.ts'
import { createMysqlTarget, findMysqlContent } from './mysql-restore.ts'
import { readBackup } from './open-backup.ts'
import { type RestoreTarget, UnconfirmedCommitError } from './restore-target.ts'
import { createSqliteTarget, findSqliteContent } from './sqlite-restore.ts'
import { assertNoRecordings, createStaging, type StagedFiles } from './staged-files.ts'
import { stagedDatabase } from './stored-files.ts'

export interface RestoreOptions {
  location: StorageLocation
  file: BackupFile
  getPassphrase: () => Promise<string | undefined>
  /** Rejects a backup that is not encrypted. */
  requiresEncryption?: boolean
  /** ISO time to store instead of zero dates in columns that do not allow NULL. Without it, a restore of them fails. */
  zeroDates?: string | undefined
}

const assertEmptyDatabase = async ({ dataDir, database }: StorageLocation): Promise<void> => {
  const content = database.engine === 'sqlite' ? findSqliteContent(database.file) : await findMysqlContent(database)
  if (content === undefined) return
  await discardInterruptedRestore(dataDir)
  throw new BackupError(`A backup is restored into an empty database only, and ${content}. Nothing was changed.`)
}

/** Throws a BackupError if the backup has migrations, tables, or columns that this program does not know. */
const assertKnownSchema = async ({ program, migrations, tables }: BackupHeader): Promise<void> => {
  const knownMigrations = listMigrations()
  const unknown = [
    ...migrations.filter((name, position) => toCurrentName(name) !== knownMigrations[position]),
    ...tables.flatMap(({ name, columns }) =>
      columns.filter((column) => findColumn(name, column) === undefined).map((column) => `${name}.${column}`),
    ),
  ]
  if (unknown.length > 0 || migrations.length === 0)
    throw new BackupError(
      `Patchbay ${program} wrote the backup, and this program does not know its schema (${unknown.slice(0, 3).join(', ')}). ` +
        `Use Patchbay ${program} or newer. Nothing was changed.`,
    )
}

/** Throws a BackupError if a server could not start with the secrets of a backup. */
const assertUsableSecrets = (content: Buffer): void => {
  if (parseSecretsFile(content.toString('utf8')) === undefined)
    throw new DamagedBackupError('no server can start with its secrets.json')
}

/** Runs work with the database. Its errors, such as a full disk, become a FatalError. */
const withDatabaseErrors = async <T>({ database }: StorageLocation, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw toBackupError('The backup cannot be restored', database, error, ' Nothing was changed.')
  }
}

/** Upgrades a restored database. Errors say that it is restored, because a second restore is refused. */
const upgrade = async (target: RestoreTarget, { database }: StorageLocation): Promise<void> => {
  try {
    await target.upgrade()
  } catch (error) {
    const explained = toBackupError('the change of the schema failed', database, error)
    if (!(explained instanceof FatalError)) throw explained
    throw new BackupError(
      `The backup was restored, but is not upgraded yet: ${explained.message} The next start of Patchbay upgrades it.`,
      { cause: error },
    )
  }
}

const createTarget = (
  { database }: StorageLocation,
  header: BackupHeader,
  files: StagedFiles,
): Promise<RestoreTarget> =>
  database.engine === 'sqlite'
    ? createSqliteTarget(header, files.getPath(stagedDatabase), database.file)
    : createMysqlTarget(header, database)

/**
 * Reads a whole backup, and finds the rows that a restore would reject.
 * @throws BackupError if the backup cannot be read, is damaged, or has a newer schema
 */
export const verifyBackup = async (
  file: BackupFile,
  getPassphrase: () => Promise<string | undefined>,
  requiresEncryption: boolean,
): Promise<{ summary: BackupSummary; problems: RowProblem[] }> => {
  const check = createRowCheck({ comparesRows: true })
  const checks = { onRows: check.onRows, onSecrets: assertUsableSecrets }
  const summary = await readBackup(file, getPassphrase, checks, requiresEncryption)
  await assertKnownSchema(summary.header)
  return { summary, problems: check.problems() }
}

/**
 * Restores a backup into an empty database and a data folder without recordings. If it fails or is killed at any moment,
 * the database is still empty.
 * @throws BackupError if the target is not empty, or the backup cannot be read, is damaged, or has a newer schema
 */
export const restoreBackup = async ({
  location,
  file,
  getPassphrase,
  requiresEncryption = false,
  zeroDates,
}: RestoreOptions): Promise<BackupSummary> => {
  await withDatabaseErrors(location, () => assertEmptyDatabase(location))
  const check = createRowCheck({ comparesRows: false })
  const checks = { onRows: check.onRows, onSecrets: assertUsableSecrets }
  const summary = await readBackup(file, getPassphrase, checks, requiresEncryption)
  await assertKnownSchema(summary.header)
  assertRestorable(check.problems(), location.database.engine, zeroDates !== undefined)
  const replaceZeroDates = zeroDates === undefined ? undefined : createZeroDateReplacement(zeroDates)
  const files = await createStaging(location)
  const prepare = async (): Promise<RestoreTarget> => {
    await assertNoRecordings(location.dataDir)
    return withDatabaseErrors(location, () => createTarget(location, summary.header, files))
  }
  const target = await prepare().catch(async (error: unknown) => {
    await files.remove()
    throw error
  })
  try {
    const handler = {
      onRows: (table, rows) =>
        target.tables.has(table.name) ? target.insertRows(table, replaceZeroDates?.(table, rows) ?? rows) : undefined,
      onRecording: files.writeRecording,
      onSecrets: files.writeSecrets,
    } satisfies ArchiveHandler
    await readBackup(file, getPassphrase, handler, requiresEncryption)
    await withDatabaseErrors(location, () => target.commit(files.move))
  } catch (error) {
    await target.close().catch(() => undefined)
    // The next restore finds out whether the files belong to the database, and removes them otherwise.
    if (error instanceof UnconfirmedCommitError) {
      files.release()
      throw error
    }
    await files.moveBack()
    await files.remove()
    throw error
  }
  await target.close()
  await files.remove()
  await upgrade(target, location)
  return summary
}
