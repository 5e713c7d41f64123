import { createReadStream, existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { getErrorCode } from '../lib/error-code.ts'
import { withFileErrors } from './backup-error.ts'
import type { BackupFile } from './backup-file.ts'
import { syncToDisk, writeDurably } from './durable-files.ts'

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

/** Opens a backup in the file system. */
export const openLocalFile = (path: string): BackupFile => ({
  name: path,
  exists: () => Promise.resolve(existsSync(path)),
  read: () => createReadStream(path, { highWaterMark: readBytes }),
  write: (content) =>
    withFileErrors('The backup cannot be written', path, async () => {
      await removePartialFiles(path, (pid) => !isRunning(pid))
      const temporary = `${path}.${process.pid}.partial`
      try {
        const bytes = await writeDurably(temporary, content)
        await rename(temporary, path)
        await syncToDisk(dirname(path))
        return bytes
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
    }),
  remove: () =>
    withFileErrors('The backup cannot be deleted', path, async () => {
      await rm(path, { force: true })
      await removePartialFiles(path, () => true)
    }),
})
