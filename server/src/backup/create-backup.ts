import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }
import type { StorageLocation } from '../config/configuration.ts'
import { writeArchive } from './archive-writer.ts'
import { BackupError, withFileErrors } from './backup-error.ts'
import { encrypt } from './encrypted-stream.ts'
import { syncToDisk, writeDurably } from './durable-files.ts'
import { type BackupHeader, type BackupManifest, formatVersion } from './manifest.ts'
import { openSnapshot } from './open-snapshot.ts'

export interface BackupOptions {
  location: StorageLocation
  /** Path of the new backup. */
  file: string
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
 * exist: it gets its name after its last byte is on disk.
 * @throws BackupError if the file exists or cannot be written
 */
export const createBackup = async (options: BackupOptions): Promise<BackupSummary> => {
  const { location, file, passphrase, withSecrets } = options
  if (existsSync(file)) throw new BackupError(`The backup cannot be written: ${file} exists already.`)
  const snapshot = await openSnapshot(location.database)
  const temporary = `${file}.${process.pid}.partial`
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
    const bytes = await withFileErrors('The backup cannot be written', file, async () => {
      const written = await writeDurably(temporary, passphrase === undefined ? plain : encrypt(plain, passphrase))
      await rename(temporary, file)
      await syncToDisk(dirname(file))
      return written
    })
    if (manifest === undefined) throw new Error('the archive ended without a manifest')
    return { header, manifest, bytes }
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  } finally {
    await snapshot.close()
  }
}
