import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeDataFolder } from '../config/data-directory.ts'
import type { StorageLocation } from '../config/settings/storage-settings.ts'
import { moveToNewName, syncToDisk, writeDurably } from '../lib/durable-files.ts'
import { getErrorCode, ignoreMissingFile } from '../lib/error-code.ts'
import { BackupError, withFileErrors } from './backup-error.ts'
import { lockFolder } from './folder-lock.ts'
import { noteMove, removeInterruptedRestore, removeStaging } from './interrupted-restore.ts'
import { listRecordings, recordingsFolder, secretsName, stagingFolder } from './stored-files.ts'

/**
 * The staging folder of a restore. Files are moved from it to the data folder immediately before the database is
 * committed.
 */

const what = 'The backup cannot be restored'

export interface StagedFiles {
  /** Returns a path in the staging folder. */
  getPath(name: string): string
  writeRecording(name: string, pieces: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void>
  writeSecrets(content: Buffer): Promise<void>
  /** Moves all files to the data folder. */
  move(): Promise<void>
  /** Moves the files back that `move` has moved, for a restore that failed after it. */
  moveBack(): Promise<void>
  /** Deletes the staging folder, and releases its lock. */
  remove(): Promise<void>
  /** Releases the lock, so that the next restore can decide what happens to the files. */
  release(): void
}

/** Throws a BackupError if the data folder contains recordings. */
export const assertNoRecordings = async (dataDir: string): Promise<void> => {
  for await (const name of listRecordings(dataDir))
    throw new BackupError(
      `A backup is restored into a folder without recordings only, and ${join(dataDir, name)} exists. Nothing was changed.`,
    )
}

/** Removes a folder of recordings that contains none, so that another one can take its place. */
const removeEmptyRecordings = async (dataDir: string): Promise<void> => {
  // A server can have stored recordings while the backup was read.
  await assertNoRecordings(dataDir)
  await rm(join(dataDir, recordingsFolder), { recursive: true, force: true })
}

const throwIsRunning = (dataDir: string): never => {
  throw new BackupError(`Another restore into ${dataDir} is running. Nothing was changed.`)
}

/** Creates and locks the staging folder. Returns a function that releases the lock. */
const replaceStaging = async ({ dataDir, database }: StorageLocation): Promise<() => void> => {
  const staging = join(dataDir, stagingFolder)
  // The lock of the old folder is released when the new one has a lock.
  const releaseOld = existsSync(staging) ? (lockFolder(staging) ?? throwIsRunning(dataDir)) : undefined
  try {
    if (releaseOld !== undefined) await removeInterruptedRestore(dataDir, database)
    await mkdir(staging, { mode: 0o700 }).catch((error: unknown) => {
      if (getErrorCode(error) !== 'EEXIST') throw error
      throwIsRunning(dataDir)
    })
    return lockFolder(staging) ?? throwIsRunning(dataDir)
  } finally {
    releaseOld?.()
  }
}

/**
 * Removes what an interrupted restore has left, and creates the staging folder. The database must be empty.
 * @throws BackupError if another restore into the data folder is running
 */
export const createStaging = async (location: StorageLocation): Promise<StagedFiles> => {
  const { dataDir, database } = location
  makeDataFolder(dataDir)
  const staging = join(dataDir, stagingFolder)
  const release = await replaceStaging(location)
  const getPath = (name: string) => join(staging, name)
  let moved: string[] = []
  return {
    getPath,
    writeRecording: (name, pieces) =>
      withFileErrors(what, join(dataDir, name), async () => {
        await mkdir(dirname(getPath(name)), { recursive: true, mode: 0o700 })
        await writeDurably(getPath(name), pieces)
      }),
    async writeSecrets(content) {
      const existing = await readFile(join(dataDir, secretsName)).catch(ignoreMissingFile)
      if (existing?.equals(content)) return
      const file = join(dataDir, secretsName)
      if (existing)
        throw new BackupError(`${what}: ${file} differs from the secrets of the backup. Remove one of them.`)
      await withFileErrors(what, file, () => writeDurably(getPath(secretsName), [content]))
    },
    move: () =>
      withFileErrors(what, dataDir, async () => {
        const names = [secretsName, recordingsFolder].filter((name) => existsSync(getPath(name)))
        if (names.includes(recordingsFolder)) await noteMove(staging, database)
        await syncToDisk(staging)
        for (const name of names) {
          if (name === recordingsFolder) {
            await removeEmptyRecordings(dataDir)
            await rename(getPath(name), join(dataDir, name))
          } else
            await withFileErrors(what, join(dataDir, name), () => moveToNewName(getPath(name), join(dataDir, name)))
          moved = [...moved, name]
        }
        await syncToDisk(dataDir)
      }),
    async moveBack() {
      for (const name of moved) await rename(join(dataDir, name), getPath(name))
      moved = []
    },
    remove: () => removeStaging(staging, release),
    release,
  }
}
