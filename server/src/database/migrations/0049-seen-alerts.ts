import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds how far each user has seen the alerts of an owner. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_seen_alerts (
      user_sid TEXT NOT NULL,
      account_sid TEXT,
      service_provider_sid TEXT,
      raised_at INTEGER NOT NULL,
      raised_ns INTEGER NOT NULL,
      fingerprint TEXT NOT NULL
    )`,
    'CREATE INDEX IF NOT EXISTS patchbay_seen_alerts_idx_1 ON patchbay_seen_alerts (user_sid, account_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_seen_alerts_idx_2 ON patchbay_seen_alerts (account_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_seen_alerts_idx_3 ON patchbay_seen_alerts (service_provider_sid)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_seen_alerts (
      user_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      account_sid VARCHAR(36) COLLATE utf8mb4_bin,
      service_provider_sid VARCHAR(36) COLLATE utf8mb4_bin,
      raised_at BIGINT NOT NULL,
      raised_ns INTEGER NOT NULL,
      fingerprint VARCHAR(64) COLLATE utf8mb4_bin NOT NULL,
      INDEX patchbay_seen_alerts_idx_1 (user_sid, account_sid),
      INDEX patchbay_seen_alerts_idx_2 (account_sid),
      INDEX patchbay_seen_alerts_idx_3 (service_provider_sid)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
