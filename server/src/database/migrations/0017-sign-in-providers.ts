import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds links to users of Google and GitHub, and the DNS records of SIP realms. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_sign_in_links (
      provider TEXT NOT NULL,
      provider_id TEXT NOT NULL,
      user_sid TEXT NOT NULL,
      linked_at INTEGER NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_sign_in_links_idx_1 ON patchbay_sign_in_links (provider, provider_id)',
    'CREATE INDEX IF NOT EXISTS patchbay_sign_in_links_idx_2 ON patchbay_sign_in_links (user_sid)',
    `CREATE TABLE IF NOT EXISTS patchbay_link_tickets (
      ticket_hash TEXT NOT NULL PRIMARY KEY,
      user_sid TEXT NOT NULL,
      provider TEXT NOT NULL,
      provider_id TEXT NOT NULL,
      provider_userid TEXT COLLATE NOCASE NOT NULL,
      email TEXT COLLATE NOCASE NOT NULL,
      picture TEXT,
      tries_left INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    )`,
    'CREATE INDEX IF NOT EXISTS patchbay_link_tickets_idx_1 ON patchbay_link_tickets (user_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_link_tickets_idx_2 ON patchbay_link_tickets (expires_at)',
    `CREATE TABLE IF NOT EXISTS patchbay_realm_records (
      realm_records_sid TEXT NOT NULL PRIMARY KEY,
      account_sid TEXT NOT NULL,
      sip_realm TEXT NOT NULL,
      claim TEXT,
      state TEXT NOT NULL,
      zone TEXT,
      record_ids TEXT,
      due_at INTEGER
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_realm_records_idx_1 ON patchbay_realm_records (claim)',
    'CREATE INDEX IF NOT EXISTS patchbay_realm_records_idx_2 ON patchbay_realm_records (account_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_realm_records_idx_3 ON patchbay_realm_records (due_at)',
    'CREATE INDEX IF NOT EXISTS patchbay_realm_records_idx_4 ON patchbay_realm_records (sip_realm)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_sign_in_links (
      provider VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      provider_id VARCHAR(255) COLLATE utf8mb4_bin NOT NULL,
      user_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      linked_at BIGINT NOT NULL,
      UNIQUE INDEX patchbay_sign_in_links_idx_1 (provider, provider_id),
      INDEX patchbay_sign_in_links_idx_2 (user_sid)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_link_tickets (
      ticket_hash VARCHAR(64) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      user_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      provider VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      provider_id VARCHAR(255) COLLATE utf8mb4_bin NOT NULL,
      provider_userid VARCHAR(255) NOT NULL,
      email VARCHAR(255) NOT NULL,
      picture MEDIUMTEXT,
      tries_left INTEGER NOT NULL,
      expires_at BIGINT NOT NULL,
      INDEX patchbay_link_tickets_idx_1 (user_sid),
      INDEX patchbay_link_tickets_idx_2 (expires_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_realm_records (
      realm_records_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      account_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      sip_realm VARCHAR(132) COLLATE utf8mb4_bin NOT NULL,
      claim VARCHAR(132) COLLATE utf8mb4_bin,
      state VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      zone VARCHAR(255) COLLATE utf8mb4_bin,
      record_ids MEDIUMTEXT,
      due_at BIGINT,
      UNIQUE INDEX patchbay_realm_records_idx_1 (claim),
      INDEX patchbay_realm_records_idx_2 (account_sid),
      INDEX patchbay_realm_records_idx_3 (due_at),
      INDEX patchbay_realm_records_idx_4 (sip_realm)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
