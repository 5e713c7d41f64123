import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { makeDataFolder } from '../config/data-directory.ts'
import { getErrorCode, ignoreMissingFile } from '../lib/error-code.ts'
import { BackupError, withFileErrors } from './backup-error.ts'
import { syncToDisk, writeDurably } from './durable-files.ts'
import { lockFolder } from './folder-lock.ts'
import { listRecordings, recordingsFolder, secretsName } from './stored-files.ts'

/**
 * The staging folder of a restore, below the data folder. Files are moved from it immediately before the database is
 * committed. Before the first one is moved, their names are written to a list, so that the next restore can remove them
 * if this one is interrupted between the two steps.
 */

const stagingFolder = 'restore.partial'
const listName = 'moved.json'
const what = 'The backup cannot be restored'

export interface StagedFiles {
  /** Returns a path in the staging folder. */
  getPath(name: string): string
  writeRecording(name: string, pieces: AsyncIterable<Buffer>): Promise<void>
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

/** Returns the reason why a restore cannot put recordings into the data folder. */
export const findRecordings = async (dataDir: string): Promise<string | undefined> => {
  for await (const name of listRecordings(dataDir)) return `${join(dataDir, name)} exists`
  return undefined
}

/**
 * Removes what an interrupted restore has left: its staging folder, and the files that it has moved. Only called if the
 * database is empty, so that the interrupted restore was not committed.
 */
const removeInterruptedRestore = async (dataDir: string): Promise<void> => {
  const staging = join(dataDir, stagingFolder)
  const text = await readFile(join(staging, listName), 'utf8').catch(ignoreMissingFile)
  const names = text === undefined ? [] : z.array(z.enum([recordingsFolder, secretsName])).parse(JSON.parse(text))
  for (const name of names)
    if (!existsSync(join(staging, name))) await rm(join(dataDir, name), { recursive: true, force: true })
  await rm(staging, { recursive: true, force: true })
}

const throwIsRunning = (dataDir: string): never => {
  throw new BackupError(`Another restore into ${dataDir} is running. Nothing was changed.`)
}

/** Creates and locks the staging folder. Returns a function that releases the lock. */
const replaceStaging = async (dataDir: string): Promise<() => void> => {
  const staging = join(dataDir, stagingFolder)
  // The lock of the old folder is released when the new one has a lock.
  const releaseOld = existsSync(staging) ? (lockFolder(staging) ?? throwIsRunning(dataDir)) : undefined
  try {
    if (releaseOld !== undefined) await removeInterruptedRestore(dataDir)
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
export const createStaging = async (dataDir: string): Promise<StagedFiles> => {
  makeDataFolder(dataDir)
  const staging = join(dataDir, stagingFolder)
  const release = await replaceStaging(dataDir)
  const getPath = (name: string) => join(staging, name)
  const list = () => [secretsName, recordingsFolder].filter((name) => existsSync(getPath(name)))
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
        const names = list()
        await writeFile(getPath(listName), JSON.stringify(names), { flush: true })
        await syncToDisk(staging)
        for (const name of names) {
          // Only empty folders are there, because the restore was refused otherwise.
          if (name === recordingsFolder) await rm(join(dataDir, name), { recursive: true, force: true })
          await rename(getPath(name), join(dataDir, name))
          moved = [...moved, name]
        }
        await syncToDisk(dataDir)
      }),
    async moveBack() {
      for (const name of moved) await rename(join(dataDir, name), getPath(name))
      moved = []
    },
    async remove() {
      // Windows deletes no open file. Elsewhere the lock must not be free while the folder exists.
      if (process.platform === 'win32') release()
      await rm(staging, { recursive: true, force: true })
      if (process.platform !== 'win32') release()
    },
    release,
  }
}
