import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds deletions of call data. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_data_deletions (
      data_deletion_sid TEXT NOT NULL PRIMARY KEY,
      account_sid TEXT,
      service_provider_sid TEXT,
      before_at INTEGER,
      requested_at INTEGER NOT NULL,
      requested_by TEXT COLLATE NOCASE,
      started_at INTEGER,
      finished_at INTEGER,
      runs INTEGER NOT NULL,
      due_at INTEGER,
      claim TEXT,
      claimed_until INTEGER NOT NULL,
      failures INTEGER NOT NULL,
      last_error TEXT COLLATE NOCASE,
      progress TEXT NOT NULL,
      deleted TEXT NOT NULL
    )`,
    'CREATE INDEX IF NOT EXISTS patchbay_data_deletions_idx_1 ON patchbay_data_deletions (account_sid, requested_at)',
    'CREATE INDEX IF NOT EXISTS patchbay_data_deletions_idx_2 ON patchbay_data_deletions (due_at)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_data_deletions (
      data_deletion_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      account_sid VARCHAR(36) COLLATE utf8mb4_bin,
      service_provider_sid VARCHAR(36) COLLATE utf8mb4_bin,
      before_at BIGINT,
      requested_at BIGINT NOT NULL,
      requested_by VARCHAR(255),
      started_at BIGINT,
      finished_at BIGINT,
      runs INTEGER NOT NULL,
      due_at BIGINT,
      claim VARCHAR(36) COLLATE utf8mb4_bin,
      claimed_until BIGINT NOT NULL,
      failures INTEGER NOT NULL,
      last_error VARCHAR(300),
      progress MEDIUMTEXT NOT NULL,
      deleted MEDIUMTEXT NOT NULL,
      INDEX patchbay_data_deletions_idx_1 (account_sid, requested_at),
      INDEX patchbay_data_deletions_idx_2 (due_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
