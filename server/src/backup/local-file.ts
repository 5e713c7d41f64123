import { createReadStream, existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { moveToNewName, syncToDisk, writeDurably } from '../lib/durable-files.ts'
import { getErrorCode } from '../lib/error-code.ts'
import { BackupError, withFileErrors } from './backup-error.ts'
import type { BackupFile } from './backup-file.ts'

const readBytes = 2 ** 20

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return getErrorCode(error) !== 'ESRCH'
  }
}

/**
 * Deletes the files of interrupted writes. Their names end with the id of the process and `.partial`.
 * @param isInterrupted returns whether the write of a process with this id was interrupted
 */
const removePartialFiles = async (path: string, isInterrupted: (pid: number) => boolean): Promise<void> => {
  const start = `${basename(path)}.`
  for (const name of await readdir(dirname(path))) {
    const [, pid] = name.startsWith(start) ? (/^(\d{1,10})\.partial$/.exec(name.slice(start.length)) ?? []) : []
    if (pid !== undefined && isInterrupted(Number(pid))) await rm(join(dirname(path), name), { force: true })
  }
}

/**
 * The files that this process is writing. In a container, an interrupted process had the same id, so that the id alone
 * does not say whether its file is in use.
 */
const inProgress = new Set<string>()

const throwInProgress = (path: string): never => {
  throw new BackupError(`The backup cannot be written: ${path}: another backup with this name is in progress.`)
}

/** Opens a backup in the file system. */
export const openLocalFile = (path: string): BackupFile => ({
  name: path,
  exists: () => Promise.resolve(existsSync(path)),
  read: () => createReadStream(path, { highWaterMark: readBytes }),
  write: (content) =>
    withFileErrors('The backup cannot be written', path, async () => {
      const temporary = `${path}.${process.pid}.partial`
      if (inProgress.has(temporary)) throwInProgress(path)
      inProgress.add(temporary)
      try {
        await removePartialFiles(path, (pid) => pid === process.pid || !isRunning(pid))
        const bytes = await writeDurably(temporary, content)
        await moveToNewName(temporary, path)
        await syncToDisk(dirname(path))
        return bytes
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      } finally {
        inProgress.delete(temporary)
      }
    }),
  remove: () =>
    withFileErrors('The backup cannot be deleted', path, async () => {
      await rm(path, { force: true })
      await removePartialFiles(path, () => true)
    }),
})
