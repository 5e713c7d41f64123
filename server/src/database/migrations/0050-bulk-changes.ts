import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds changes of several records, and the records that they change. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_bulk_changes (
      bulk_change_sid TEXT NOT NULL PRIMARY KEY,
      user_sid TEXT,
      api_key_sid TEXT,
      account_sid TEXT,
      service_provider_sid TEXT,
      requested_by TEXT COLLATE NOCASE,
      address TEXT NOT NULL,
      request_id TEXT NOT NULL,
      kind TEXT NOT NULL,
      operation TEXT NOT NULL,
      new_values TEXT NOT NULL,
      status TEXT NOT NULL,
      stop_reason TEXT COLLATE NOCASE,
      total INTEGER NOT NULL,
      requested_at INTEGER NOT NULL,
      finished_at INTEGER,
      due_at INTEGER,
      claim TEXT,
      claimed_until INTEGER NOT NULL,
      failures INTEGER NOT NULL
    )`,
    'CREATE INDEX IF NOT EXISTS patchbay_bulk_changes_idx_1 ON patchbay_bulk_changes (user_sid, requested_at)',
    'CREATE INDEX IF NOT EXISTS patchbay_bulk_changes_idx_2 ON patchbay_bulk_changes (api_key_sid, requested_at)',
    'CREATE INDEX IF NOT EXISTS patchbay_bulk_changes_idx_3 ON patchbay_bulk_changes (account_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_bulk_changes_idx_4 ON patchbay_bulk_changes (service_provider_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_bulk_changes_idx_5 ON patchbay_bulk_changes (due_at)',
    'CREATE INDEX IF NOT EXISTS patchbay_bulk_changes_idx_6 ON patchbay_bulk_changes (finished_at)',
    `CREATE TABLE IF NOT EXISTS patchbay_bulk_change_records (
      bulk_change_sid TEXT NOT NULL,
      position INTEGER NOT NULL,
      record_sid TEXT NOT NULL,
      name TEXT COLLATE NOCASE,
      status TEXT NOT NULL,
      reason TEXT COLLATE NOCASE
    )`,
    `CREATE UNIQUE INDEX IF NOT EXISTS patchbay_bulk_change_records_idx_1
      ON patchbay_bulk_change_records (bulk_change_sid, position)`,
    `CREATE INDEX IF NOT EXISTS patchbay_bulk_change_records_idx_2
      ON patchbay_bulk_change_records (bulk_change_sid, status, position)`,
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_bulk_changes (
      bulk_change_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      user_sid VARCHAR(36) COLLATE utf8mb4_bin,
      api_key_sid VARCHAR(36) COLLATE utf8mb4_bin,
      account_sid VARCHAR(36) COLLATE utf8mb4_bin,
      service_provider_sid VARCHAR(36) COLLATE utf8mb4_bin,
      requested_by VARCHAR(255),
      address VARCHAR(64) COLLATE utf8mb4_bin NOT NULL,
      request_id VARCHAR(64) COLLATE utf8mb4_bin NOT NULL,
      kind VARCHAR(64) COLLATE utf8mb4_bin NOT NULL,
      operation VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      new_values MEDIUMTEXT NOT NULL,
      status VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      stop_reason VARCHAR(300),
      total INTEGER NOT NULL,
      requested_at BIGINT NOT NULL,
      finished_at BIGINT,
      due_at BIGINT,
      claim VARCHAR(36) COLLATE utf8mb4_bin,
      claimed_until BIGINT NOT NULL,
      failures INTEGER NOT NULL,
      INDEX patchbay_bulk_changes_idx_1 (user_sid, requested_at),
      INDEX patchbay_bulk_changes_idx_2 (api_key_sid, requested_at),
      INDEX patchbay_bulk_changes_idx_3 (account_sid),
      INDEX patchbay_bulk_changes_idx_4 (service_provider_sid),
      INDEX patchbay_bulk_changes_idx_5 (due_at),
      INDEX patchbay_bulk_changes_idx_6 (finished_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_bulk_change_records (
      bulk_change_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      position INTEGER NOT NULL,
      record_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      name VARCHAR(255),
      status VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      reason VARCHAR(300),
      UNIQUE INDEX patchbay_bulk_change_records_idx_1 (bulk_change_sid, position),
      INDEX patchbay_bulk_change_records_idx_2 (bulk_change_sid, status, position)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
