import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds links to calls. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_call_shares (
      call_share_sid TEXT NOT NULL PRIMARY KEY,
      account_sid TEXT NOT NULL,
      call_sid TEXT NOT NULL,
      token_hash TEXT NOT NULL,
      user_sid TEXT,
      api_key_sid TEXT,
      created_by TEXT COLLATE NOCASE,
      note TEXT COLLATE NOCASE,
      includes_recording INTEGER CHECK ("includes_recording" IN (0, 1)) NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      views INTEGER NOT NULL,
      last_viewed_at INTEGER
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_call_shares_idx_1 ON patchbay_call_shares (token_hash)',
    'CREATE INDEX IF NOT EXISTS patchbay_call_shares_idx_2 ON patchbay_call_shares (account_sid, call_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_call_shares_idx_3 ON patchbay_call_shares (account_sid, created_at)',
    'CREATE INDEX IF NOT EXISTS patchbay_call_shares_idx_4 ON patchbay_call_shares (expires_at)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_call_shares (
      call_share_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      account_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      call_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      token_hash VARCHAR(64) COLLATE utf8mb4_bin NOT NULL,
      user_sid VARCHAR(36) COLLATE utf8mb4_bin,
      api_key_sid VARCHAR(36) COLLATE utf8mb4_bin,
      created_by VARCHAR(255),
      note VARCHAR(200),
      includes_recording BOOLEAN NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      views INTEGER NOT NULL,
      last_viewed_at BIGINT,
      UNIQUE INDEX patchbay_call_shares_idx_1 (token_hash),
      INDEX patchbay_call_shares_idx_2 (account_sid, call_sid),
      INDEX patchbay_call_shares_idx_3 (account_sid, created_at),
      INDEX patchbay_call_shares_idx_4 (expires_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
