import packageJson from '../../../package.json' with { type: 'json' }
import type { StorageLocation } from '../config/configuration.ts'
import { writeArchive } from './archive-writer.ts'
import { BackupError } from './backup-error.ts'
import type { BackupFile } from './backup-file.ts'
import { encrypt } from './encrypted-stream.ts'
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

/** Passes the chunks of a generator on and keeps what it returns. */
async function* keepResult<T>(chunks: AsyncGenerator<Buffer, T>, keep: (result: T) => void): AsyncGenerator<Buffer> {
  keep(yield* chunks)
}

/**
 * Backs up the database and the recordings of an installation, which can be in use. The file is complete or does not
 * exist: it gets its name after its last byte is stored.
 * @throws BackupError if the file exists or cannot be written
 */
export const createBackup = async (options: BackupOptions): Promise<BackupSummary> => {
  const { location, file, passphrase, withSecrets } = options
  if (await file.exists()) throw new BackupError(`The backup cannot be written: ${file.name} exists already.`)
  const snapshot = await openSnapshot(location.database)
  const header: BackupHeader = {
    format: formatVersion,
    program: packageJson.version,
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
    const plain = keepResult(archive, (result) => (manifest = result))
    const bytes = await file.write(passphrase === undefined ? plain : encrypt(plain, passphrase))
    if (manifest === undefined) throw new Error('the archive ended without a manifest')
    return { header, manifest, bytes }
  } finally {
    await snapshot.close()
  }
}
