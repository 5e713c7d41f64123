import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds the results of scheduled backups. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_backups (
      name TEXT NOT NULL PRIMARY KEY,
      target TEXT NOT NULL,
      state TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      heartbeat_at INTEGER NOT NULL,
      ended_at INTEGER,
      size INTEGER,
      next_due_at INTEGER,
      reason TEXT,
      has_file INTEGER CHECK ("has_file" IN (0, 1)) NOT NULL
    )`,
    'CREATE INDEX IF NOT EXISTS patchbay_backups_idx_1 ON patchbay_backups (state, started_at)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_backups (
      name VARCHAR(64) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      target MEDIUMTEXT NOT NULL,
      state VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      started_at BIGINT NOT NULL,
      heartbeat_at BIGINT NOT NULL,
      ended_at BIGINT,
      size BIGINT,
      next_due_at BIGINT,
      reason MEDIUMTEXT,
      has_file BOOLEAN NOT NULL,
      INDEX patchbay_backups_idx_1 (state, started_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
