import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { link, mkdir, open, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isSid } from '@patchbay/contract/shared/sids'
import { getErrorCode, ignoreMissingFile } from '../../lib/error-code.ts'
import type { Recording } from './recording.ts'

/**
 * Stores recordings as files in the data folder: `recordings/{account_sid}/2026/05/01/{call_sid}.mp3`. They are written
 * to `recordings/unfinished` and moved when they are complete. Like the data folder, the folders are accessible to
 * their owner only.
 */

export const folderMode = 0o700

const getRecordingsFolder = (dataDir: string): string => join(dataDir, 'recordings')

/** Returns the folder of recordings that are not complete. */
export const getUnfinishedFolder = (dataDir: string): string => join(getRecordingsFolder(dataDir), 'unfinished')

/** Returns the path of a new temporary file, which is moved when it is complete. */
export const createUnfinishedPath = async (dataDir: string): Promise<string> => {
  const folder = getUnfinishedFolder(dataDir)
  await mkdir(folder, { recursive: true, mode: folderMode })
  return join(folder, randomUUID())
}

export interface FileStore {
  getPath(key: string): string
  /** Returns the recording with this key. Its `remove` deletes only that file. */
  find(key: string): Promise<Recording | undefined>
  /** Returns whether a file other than `file` has this key. */
  isTaken(key: string, file: string): Promise<boolean>
  /**
   * Moves a file to its key and syncs it to disk. Returns false if another file has this key. Moving a file again, as
   * recovery after a kill does, returns true.
   */
  store(key: string, file: string): Promise<boolean>
}

const isSameFile = async (firstPath: string, otherPath: string): Promise<boolean> => {
  const [a, b] = await Promise.all([firstPath, otherPath].map((path) => stat(path).catch(ignoreMissingFile)))
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev
}

/** Creates a hard link. Returns false if the new name already exists. */
export const linkNew = (from: string, to: string): Promise<boolean> =>
  link(from, to).then(
    () => true,
    (error: unknown) => {
      if (getErrorCode(error) === 'EEXIST') return false
      throw error
    },
  )

/**
 * Creates the file store of an account. Keys come from `getRecordingKey` and validated parts, so that they cannot lead
 * out of the folder.
 */
export const fileRecordings = (dataDir: string, account_sid: string): FileStore => {
  if (!isSid(account_sid)) throw new Error(`${account_sid} is not a SID`)
  const folder = join(getRecordingsFolder(dataDir), account_sid.toLowerCase())
  const getPath = (key: string) => join(folder, key)
  return {
    getPath,
    async find(key) {
      const path = getPath(key)
      const stats = await stat(path).catch(ignoreMissingFile)
      if (!stats?.isFile()) return undefined
      return {
        size: stats.size,
        account_sid,
        read: (start, end, signal) => Promise.resolve(createReadStream(path, { start, end, signal })),
        remove: () => rm(path, { force: true }),
      }
    },
    isTaken: async (key, file) =>
      (await stat(getPath(key)).catch(ignoreMissingFile)) !== undefined && !(await isSameFile(file, getPath(key))),
    async store(key, file) {
      const path = getPath(key)
      await mkdir(dirname(path), { recursive: true, mode: folderMode })
      const handle = await open(file, 'r+')
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
      // Unlike a rename, a link never replaces a file that another process has stored in the meantime.
      const isStored = (await linkNew(file, path)) || (await isSameFile(file, path))
      if (isStored) await rm(file, { force: true })
      return isStored
    },
  }
}

/** Returns the names in a folder. Empty if the folder does not exist. */
export const listNames = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(ignoreMissingFile)) ?? []

/** Yields the day folders of an account, or of all accounts. */
async function* listDays(dataDir: string, only?: string): AsyncGenerator<{ day: string; path: string }> {
  const root = getRecordingsFolder(dataDir)
  const accounts = only === undefined ? await listNames(root) : [only.toLowerCase()]
  for (const account of accounts.filter(isSid))
    for (const year of await listNames(join(root, account)))
      for (const month of await listNames(join(root, account, year)))
        for (const day of await listNames(join(root, account, year, month)))
          yield { day: `${year}-${month}-${day}`, path: join(root, account, year, month, day) }
}

/** Removes an empty folder and its empty parents. */
const removeEmpty = async (path: string, levels: number): Promise<void> => {
  for (let folder = path, remainingLevels = levels; remainingLevels > 0; folder = dirname(folder), remainingLevels -= 1)
    if (
      !(await rmdir(folder).then(
        () => true,
        () => false,
      ))
    )
      return
}

/**
 * Removes the recordings of all UTC days before a time in milliseconds since the Unix epoch, one account and day at a
 * time.
 * @param account_sid removes those of this account only
 */
export const removeRecordingsBefore = async (
  dataDir: string,
  before: number,
  signal?: AbortSignal,
  account_sid?: string,
): Promise<void> => {
  const firstDay = new Date(before).toISOString().slice(0, 10)
  for await (const { day, path } of listDays(dataDir, account_sid)) {
    if (signal?.aborted) return
    if (!/^\d{4}-\d\d-\d\d$/.test(day) || day >= firstDay) continue
    await rm(path, { recursive: true, force: true })
    await removeEmpty(dirname(path), 3)
  }
}

/** Deletes all recording files of an account. */
export const deleteAccountFiles = (dataDir: string, account_sid: string): Promise<void> =>
  isSid(account_sid)
    ? rm(join(getRecordingsFolder(dataDir), account_sid.toLowerCase()), { recursive: true, force: true })
    : Promise.resolve()
