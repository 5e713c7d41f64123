import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds the links to reset a password. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_reset_links (
      user_sid TEXT NOT NULL PRIMARY KEY,
      link_hash TEXT NOT NULL,
      made_for TEXT NOT NULL,
      expires_at INTEGER NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_reset_links_idx_1 ON patchbay_reset_links (link_hash)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_reset_links (
      user_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      link_hash VARCHAR(64) COLLATE utf8mb4_bin NOT NULL,
      made_for VARCHAR(64) COLLATE utf8mb4_bin NOT NULL,
      expires_at BIGINT NOT NULL,
      UNIQUE INDEX patchbay_reset_links_idx_1 (link_hash)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
