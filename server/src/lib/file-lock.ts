import { DatabaseSync } from 'node:sqlite'

/**
 * A file lock across all processes that use the folder. The operating system releases it when the process ends for any
 * reason. Implemented with SQLite's lock on an empty database (https://www.sqlite.org/lockingv3.html).
 */
export interface Lock {
  release(): void
}

const busy = 5

/** Acquires the lock. Returns undefined if another process has it. */
export const lockFile = (path: string): Lock | undefined => {
  const connection = new DatabaseSync(path, { timeout: 0 })
  try {
    // Without this, SQLite creates a journal file, for which a full disk has no space.
    connection.exec('PRAGMA journal_mode = MEMORY')
    connection.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    connection.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) return undefined
    throw error
  }
  return { release: () => connection.close() }
}
