import { open } from 'node:fs/promises'

/** Syncs the entries of a folder to disk, so that renames survive a power failure. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
