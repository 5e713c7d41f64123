import { existsSync } from 'node:fs'
import { link, open, rename, unlink } from 'node:fs/promises'
import { getErrorCode } from './error-code.ts'

/** Writes files so that they survive a power failure. */

/**
 * Syncs an existing file, or the entries of a folder, to disk.
 * @param flags `r+` for a file, because Windows syncs only what can be written
 */
export const syncToDisk = async (path: string, flags: 'r' | 'r+' = 'r'): Promise<void> => {
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes chunks to a new file, which only its owner can read, and syncs it to disk. Returns its size. */
export const writeDurably = async (file: string, chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<number> => {
  const handle = await open(file, 'wx', 0o600)
  try {
    let bytes = 0
    for await (const chunk of chunks) {
      await handle.writeFile(chunk)
      bytes += chunk.length
    }
    await handle.sync()
    return bytes
  } finally {
    await handle.close()
  }
}

/** Errors of file systems without links, such as FAT, and of some network drives. */
const withoutLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

class FileExistsError extends Error {
  readonly code = 'EEXIST'
}

/**
 * Moves a file to another name in the same file system. Unlike `rename`, it replaces nothing, not even a file that appears
 * at the same moment, except on file systems without links.
 * @throws an error with the code EEXIST if the name is in use
 */
export const moveToNewName = async (from: string, to: string): Promise<void> => {
  try {
    await link(from, to)
  } catch (error) {
    if (!withoutLinks.includes(getErrorCode(error))) throw error
    if (existsSync(to)) throw new FileExistsError(`${to} exists`)
    await rename(from, to)
    return
  }
  await unlink(from)
}
