import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { link, mkdir, open, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isSid } from '@patchbay/contract/values'
import { isAbsent } from './ignore-missing-file.ts'
import { getErrorCode } from '../../lib/error-code.ts'
import type { Recording } from './recording.ts'

/**
 * Recordings as files of the data folder: `recordings/{account_sid}/2026/05/01/{call_sid}.mp3`. They are written in
 * `recordings/unfinished` and moved when they are whole. Folders are for their owner alone, as the data folder is.
 */

export const mode = 0o700

const folderOf = (dataDir: string): string => join(dataDir, 'recordings')

export const unfinishedFolder = (dataDir: string): string => join(folderOf(dataDir), 'unfinished')

/** A file to write, whole or not at all, for nobody else to read. */
export const unfinishedFile = async (dataDir: string): Promise<string> => {
  const folder = unfinishedFolder(dataDir)
  await mkdir(folder, { recursive: true, mode })
  return join(folder, randomUUID())
}

export interface FileStore {
  pathOf(key: string): string
  /** Returns the file of that key. Its `remove` removes that file alone. */
  find(key: string): Promise<Recording | undefined>
  /** Returns whether a file other than `file` has that key. */
  isTaken(key: string, file: string): Promise<boolean>
  /**
   * Moves a file to its key and makes sure that it is on the disk. Returns false if another file has that key. Moving it
   * again, as recovery after a kill does, returns true.
   */
  keep(key: string, file: string): Promise<boolean>
}

const isSameFile = async (one: string, other: string): Promise<boolean> => {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(isAbsent)))
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev
}

/** Returns false if there is a file of the new name already. */
export const linkNew = (from: string, to: string): Promise<boolean> =>
  link(from, to).then(
    () => true,
    (error: unknown) => {
      if (getErrorCode(error) === 'EEXIST') return false
      throw error
    },
  )

/** Keys are made by `getRecordingKey` of parts that were looked at, so nothing of them leads elsewhere. */
export const fileRecordings = (dataDir: string, account_sid: string): FileStore => {
  if (!isSid(account_sid)) throw new Error(`${account_sid} is no sid`)
  const folder = join(folderOf(dataDir), account_sid.toLowerCase())
  const pathOf = (key: string) => join(folder, key)
  return {
    pathOf,
    async find(key) {
      const path = pathOf(key)
      const found = await stat(path).catch(isAbsent)
      if (!found?.isFile()) return undefined
      return {
        size: found.size,
        account_sid,
        read: (start, end, signal) => Promise.resolve(createReadStream(path, { start, end, signal })),
        remove: () => rm(path, { force: true }),
      }
    },
    isTaken: async (key, file) =>
      (await stat(pathOf(key)).catch(isAbsent)) !== undefined && !(await isSameFile(file, pathOf(key))),
    async keep(key, file) {
      const path = pathOf(key)
      await mkdir(dirname(path), { recursive: true, mode })
      const handle = await open(file, 'r+')
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
      // Unlike a rename, a link never replaces what another process has stored meanwhile.
      const isKept = (await linkNew(file, path)) || (await isSameFile(file, path))
      if (isKept) await rm(file, { force: true })
      return isKept
    },
  }
}

export const namesIn = async (folder: string): Promise<string[]> => (await readdir(folder).catch(isAbsent)) ?? []

/** Folders of days: accounts, years, months and days below each other. */
async function* daysIn(dataDir: string): AsyncGenerator<{ day: string; path: string }> {
  const root = folderOf(dataDir)
  for (const account of (await namesIn(root)).filter(isSid))
    for (const year of await namesIn(join(root, account)))
      for (const month of await namesIn(join(root, account, year)))
        for (const day of await namesIn(join(root, account, year, month)))
          yield { day: `${year}-${month}-${day}`, path: join(root, account, year, month, day) }
}

/** Empty folders above go, too. */
const removeEmpty = async (path: string, levels: number): Promise<void> => {
  for (let folder = path, left = levels; left > 0; folder = dirname(folder), left -= 1)
    if (
      !(await rmdir(folder).then(
        () => true,
        () => false,
      ))
    )
      return
}

/** Removes the recordings of all days that were over before an instant (epoch milliseconds), a day of an account at a time. */
export const removeRecordingsBefore = async (dataDir: string, before: number, stop?: AbortSignal): Promise<void> => {
  const first = new Date(before).toISOString().slice(0, 10)
  for await (const { day, path } of daysIn(dataDir)) {
    if (stop?.aborted) return
    if (!/^\d{4}-\d\d-\d\d$/.test(day) || day >= first) continue
    await rm(path, { recursive: true, force: true })
    await removeEmpty(dirname(path), 3)
  }
}

/** All recordings of an account that are files. */
export const deleteAccountFiles = (dataDir: string, account_sid: string): Promise<void> =>
  isSid(account_sid)
    ? rm(join(folderOf(dataDir), account_sid.toLowerCase()), { recursive: true, force: true })
    : Promise.resolve()
