import { createReadStream, existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { withFileErrors } from './backup-error.ts'
import type { BackupFile } from './backup-file.ts'
import { syncToDisk, writeDurably } from './durable-files.ts'

const readBytes = 2 ** 20

/** Deletes the files of interrupted writes. Their names end with the id of the process and `.partial`. */
const removePartialFiles = async (path: string): Promise<void> => {
  const start = `${basename(path)}.`
  for (const name of await readdir(dirname(path)))
    if (name.startsWith(start) && /^\d+\.partial$/.test(name.slice(start.length)))
      await rm(join(dirname(path), name), { force: true })
}

/** Opens a backup in the file system. */
export const openLocalFile = (path: string): BackupFile => ({
  name: path,
  exists: () => Promise.resolve(existsSync(path)),
  read: () => createReadStream(path, { highWaterMark: readBytes }),
  write: (content) =>
    withFileErrors('The backup cannot be written', path, async () => {
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
      await removePartialFiles(path)
    }),
})
