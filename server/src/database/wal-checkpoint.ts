import { sql } from 'kysely'
import type { Database } from './engine.ts'
import { busyTimeoutMs } from './sqlite-file.ts'

/**
 * Copies the write-ahead log of SQLite to the database, and empties its file, which contains rows as they were before
 * they were changed or deleted. Does not wait for readers. Returns whether the file is empty.
 */
export const truncateWal = ({ db, engine }: Pick<Database, 'db' | 'engine'>): Promise<boolean> => {
  if (engine !== 'sqlite') return Promise.resolve(true)
  return db.connection().execute(async (connection) => {
    // SQLite would wait on the main thread for a search that is running.
    await sql`PRAGMA busy_timeout = 0`.execute(connection)
    try {
      const { rows } = await sql<{ busy: number }>`PRAGMA wal_checkpoint(TRUNCATE)`.execute(connection)
      return rows[0]?.busy === 0
    } finally {
      await sql`PRAGMA busy_timeout = ${sql.lit(busyTimeoutMs)}`.execute(connection)
    }
  })
}
