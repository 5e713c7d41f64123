import { open } from 'node:fs/promises'

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
