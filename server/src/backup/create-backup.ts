import type { StorageLocation } from '../config/settings/storage-settings.ts'
import { buildInfo } from '../lib/build-info.ts'
import { encrypt } from './age.ts'
import { writeArchive } from './archive-writer.ts'
import { BackupError, toBackupError } from './backup-error.ts'
import type { BackupFile } from './backup-file.ts'
import { type BackupHeader, type BackupManifest, formatVersion } from './manifest.ts'
import { openSnapshot } from './open-snapshot.ts'

export interface BackupOptions {
  location: StorageLocation
  /** The new backup. */
  file: BackupFile
  /** The backup is encrypted if this is set. */
  passphrase?: string | undefined
  /** Whether the backup contains `secrets.json`, if it exists. */
  withSecrets: boolean
}

export interface BackupSummary {
  header: BackupHeader
  manifest: BackupManifest
  /** Size of the file. */
  bytes: number
}

interface ArchiveEvents<T> {
  onEnd(result: T): void
  /** Returns the error that the writer of the file gets. */
  explain(error: unknown): unknown
}

/** Passes the chunks of an archive on, so that its errors are not taken for those of the file to which it is written. */
async function* observe<T>(chunks: AsyncGenerator<Buffer, T>, events: ArchiveEvents<T>): AsyncGenerator<Buffer> {
  try {
    events.onEnd(yield* chunks)
  } catch (error) {
    throw events.explain(error)
  }
}

/**
 * Backs up the database and the recordings of an installation, which can be in use. The file is complete or does not
 * exist: it gets its name after its last byte is stored.
 * @throws FatalError if the database cannot be read, or the file exists or cannot be written
 */
export const createBackup = async (options: BackupOptions): Promise<BackupSummary> => {
  const { location, file, passphrase, withSecrets } = options
  if (await file.exists()) throw new BackupError(`The backup cannot be written: ${file.name} exists already.`)
  const explain = (error: unknown) => toBackupError('The backup cannot be written', location.database, error)
  const snapshot = await openSnapshot(location.database).catch((error: unknown) => {
    throw explain(error)
  })
  const header: BackupHeader = {
    format: formatVersion,
    program: buildInfo.version,
    commit: buildInfo.commit,
    modified: buildInfo.modified,
    engine: snapshot.engine,
    createdAt: new Date().toISOString(),
    isAdopted: snapshot.isAdopted,
    migrations: [...snapshot.migrations],
    tables: [...snapshot.tables],
    leftOut: [...snapshot.leftOut],
  }
  try {
    let manifest: BackupManifest | undefined
    const archive = writeArchive({ header, snapshot, dataDir: location.dataDir, withSecrets })
    const plain = observe(archive, { onEnd: (result) => (manifest = result), explain })
    const bytes = await file.write(passphrase === undefined ? plain : encrypt(plain, passphrase))
    if (manifest === undefined) throw new Error('the archive ended without a manifest')
    return { header, manifest, bytes }
  } finally {
    await snapshot.close()
  }
}
