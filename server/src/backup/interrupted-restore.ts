import { existsSync } from 'node:fs'
import { lstat, opendir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { DatabaseAddress } from '../config/option-types.ts'
import { ignoreMissingFile } from '../lib/error-code.ts'
import { lockFolder } from './folder-lock.ts'
import { recordingsFolder, stagedDatabase, stagingFolder } from './stored-files.ts'

/**
 * A restore moves its recordings to the data folder immediately before it commits the database. If it is interrupted
 * between the two steps, its staging folder contains a note about the move, and the next restore can remove the
 * recordings. A server that uses the data folder, or a restore that finds a used database, discards the note.
 */

const noteName = 'moved.json'

const note = z.strictObject({
  /** Host and name of the database. Null for an SQLite file, which is in the staging folder until the commit. */
  database: z.string().nullable(),
  /** The inode of the folder of recordings, which it keeps when it is moved. */
  inode: z.string(),
})

const describeDatabase = (address: DatabaseAddress): string | null => {
  if (address.engine === 'sqlite') return null
  const { host, pathname } = new URL(address.url)
  return `${host}${pathname}`
}

/** Returns undefined if there is no note, or it is incomplete, so that nothing was moved. */
const readNote = async (file: string): Promise<z.infer<typeof note> | undefined> => {
  const text = await readFile(file, 'utf8').catch(ignoreMissingFile)
  try {
    // Earlier versions have written a list of names, by which the recordings cannot be recognized.
    return note.safeParse(JSON.parse(text ?? 'null')).data
  } catch {
    return undefined
  }
}

const readInode = async (path: string): Promise<string> => String((await stat(path, { bigint: true })).ino)

/** The kernel counts the times of files in steps of up to 10 ms. */
const timeStepMs = 25

/**
 * Notes that the recordings of a staging folder are about to be moved to the data folder. The note is newer than they are,
 * and not newer than any later file.
 */
export const noteMove = async (staging: string, database: DatabaseAddress): Promise<void> => {
  await pause(timeStepMs)
  const content = { database: describeDatabase(database), inode: await readInode(join(staging, recordingsFolder)) }
  await writeFile(join(staging, noteName), JSON.stringify(content), { flush: true })
}

/**
 * Returns whether anything in a folder was created, changed, or removed at or after a time. Programs can set the time of a
 * modification, but not that of a change (ctime).
 */
const hasChanged = async (folder: string, sinceNs: bigint): Promise<boolean> => {
  for await (const entry of await opendir(folder, { recursive: true }))
    if ((await lstat(join(entry.parentPath, entry.name), { bigint: true })).ctimeNs >= sinceNs) return true
  return false
}

/** Returns whether the data folder contains exactly the recordings that a restore has moved but not committed. */
const hasUncommittedRecordings = async (dataDir: string, database: DatabaseAddress): Promise<boolean> => {
  const staging = join(dataDir, stagingFolder)
  const file = join(staging, noteName)
  const moved = await readNote(file)
  const recordings = join(dataDir, recordingsFolder)
  if (moved === undefined || !existsSync(recordings) || moved.inode !== (await readInode(recordings))) return false
  const isUncommitted =
    moved.database === null ? existsSync(join(staging, stagedDatabase)) : moved.database === describeDatabase(database)
  return isUncommitted && !(await hasChanged(recordings, (await stat(file, { bigint: true })).mtimeNs))
}

/**
 * Removes the staging folder of an interrupted restore, and the recordings that it has moved, if they are still exactly
 * these. The caller has the lock of the staging folder, and the database is empty.
 */
export const removeInterruptedRestore = async (dataDir: string, database: DatabaseAddress): Promise<void> => {
  if (await hasUncommittedRecordings(dataDir, database))
    await rm(join(dataDir, recordingsFolder), { recursive: true, force: true })
  await rm(join(dataDir, stagingFolder), { recursive: true, force: true })
}

/** Removes a staging folder, and releases its lock. */
export const removeStaging = async (staging: string, release: () => void): Promise<void> => {
  // Windows deletes no open file. Elsewhere the lock must not be free while the folder exists.
  if (process.platform === 'win32') release()
  await rm(staging, { recursive: true, force: true })
  if (process.platform !== 'win32') release()
}

/**
 * Removes the staging folder of an interrupted restore, unless a restore is running. Recordings remain, because they
 * belong to a database that is in use.
 */
export const discardInterruptedRestore = async (dataDir: string): Promise<void> => {
  const staging = join(dataDir, stagingFolder)
  const release = existsSync(staging) ? lockFolder(staging) : undefined
  if (release !== undefined) await removeStaging(staging, release)
}
