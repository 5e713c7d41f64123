import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds registrations of new users. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_registrations (
      user_sid TEXT NOT NULL PRIMARY KEY,
      account_sid TEXT,
      service_provider_sid TEXT,
      email TEXT COLLATE NOCASE NOT NULL,
      hashed_password TEXT,
      invite_code TEXT COLLATE NOCASE,
      code_hash TEXT,
      tries_left INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    )`,
    'CREATE INDEX IF NOT EXISTS patchbay_registrations_idx_1 ON patchbay_registrations (expires_at)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_registrations (
      user_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      account_sid VARCHAR(36) COLLATE utf8mb4_bin,
      service_provider_sid VARCHAR(36) COLLATE utf8mb4_bin,
      email VARCHAR(255) NOT NULL,
      hashed_password VARCHAR(1024) COLLATE utf8mb4_bin,
      invite_code VARCHAR(6),
      code_hash VARCHAR(64) COLLATE utf8mb4_bin,
      tries_left INTEGER NOT NULL,
      expires_at BIGINT NOT NULL,
      INDEX patchbay_registrations_idx_1 (expires_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
