import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Locks a folder with the exclusive lock of an SQLite file in it. The operating system releases the lock when the
 * process ends, however it ends, and in containers a process id would say nothing.
 */

const lockName = 'lock.sqlite'

const readInode = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino

/** Returns a function that releases the lock, or undefined if another process has it or has replaced the folder. */
export const lockFolder = (folder: string): (() => void) | undefined => {
  const inode = readInode(folder)
  if (inode === undefined) return undefined
  try {
    const file = new DatabaseSync(join(folder, lockName), { timeout: 0 })
    try {
      file.exec('BEGIN EXCLUSIVE')
      // The process that had the lock before can have replaced the folder, with a lock of its own, in the meantime.
      if (readInode(folder) === inode) return () => file.close()
    } catch {
      // Another process has the lock.
    }
    file.close()
  } catch {
    // The folder was removed while the file was opened.
  }
  return undefined
}
