import { DatabaseSync } from 'node:sqlite'

/**
 * A file that one at a time holds, of all processes that see the folder. The system lets go of it with the process,
 * however that ends: SQLite's own locks on an empty database (https://www.sqlite.org/lockingv3.html).
 */
export interface Lock {
  release(): void
}

const busy = 5

/** Undefined while somebody else holds it. */
export const lockFile = (path: string): Lock | undefined => {
  const connection = new DatabaseSync(path, { timeout: 0 })
  try {
    connection.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    connection.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) return undefined
    throw error
  }
  return { release: () => connection.close() }
}
