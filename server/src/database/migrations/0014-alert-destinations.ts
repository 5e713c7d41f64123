import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds the destinations of alerts. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_alert_destinations (
      alert_destination_sid TEXT NOT NULL PRIMARY KEY,
      account_sid TEXT,
      service_provider_sid TEXT,
      name TEXT COLLATE NOCASE NOT NULL,
      kind TEXT NOT NULL,
      target TEXT NOT NULL,
      types TEXT NOT NULL,
      is_active INTEGER CHECK ("is_active" IN (0, 1)) NOT NULL,
      webhook_secret TEXT,
      due_at INTEGER,
      claim TEXT,
      claimed_until INTEGER NOT NULL,
      minute_at INTEGER NOT NULL,
      minute_sent INTEGER NOT NULL,
      left_out INTEGER NOT NULL,
      failing_since INTEGER,
      last_delivered_at INTEGER,
      last_error TEXT COLLATE NOCASE
    )`,
    'CREATE INDEX IF NOT EXISTS patchbay_alert_destinations_idx_1 ON patchbay_alert_destinations (account_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_alert_destinations_idx_2 ON patchbay_alert_destinations (service_provider_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_alert_destinations_idx_3 ON patchbay_alert_destinations (due_at)',
    `CREATE TABLE IF NOT EXISTS patchbay_alert_deliveries (
      delivery_sid TEXT NOT NULL PRIMARY KEY,
      alert_destination_sid TEXT NOT NULL,
      queued_at INTEGER NOT NULL,
      raised_at INTEGER NOT NULL,
      raised_ns INTEGER NOT NULL,
      fingerprint TEXT NOT NULL,
      alert_type TEXT NOT NULL,
      state TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      attempted_at INTEGER,
      status INTEGER,
      error TEXT COLLATE NOCASE,
      together INTEGER NOT NULL
    )`,
    'CREATE INDEX IF NOT EXISTS patchbay_alert_deliveries_idx_1 ON patchbay_alert_deliveries (alert_destination_sid, queued_at, delivery_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_alert_deliveries_idx_2 ON patchbay_alert_deliveries (alert_destination_sid, state, queued_at, delivery_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_alert_deliveries_idx_3 ON patchbay_alert_deliveries (queued_at)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_alert_destinations (
      alert_destination_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      account_sid CHAR(36),
      service_provider_sid CHAR(36),
      name VARCHAR(64) NOT NULL,
      kind VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      target VARCHAR(1024) COLLATE utf8mb4_bin NOT NULL,
      types MEDIUMTEXT NOT NULL,
      is_active BOOLEAN NOT NULL,
      webhook_secret MEDIUMTEXT,
      due_at BIGINT,
      claim VARCHAR(36) COLLATE utf8mb4_bin,
      claimed_until BIGINT NOT NULL,
      minute_at BIGINT NOT NULL,
      minute_sent INTEGER NOT NULL,
      left_out INTEGER NOT NULL,
      failing_since BIGINT,
      last_delivered_at BIGINT,
      last_error VARCHAR(300),
      INDEX patchbay_alert_destinations_idx_1 (account_sid),
      INDEX patchbay_alert_destinations_idx_2 (service_provider_sid),
      INDEX patchbay_alert_destinations_idx_3 (due_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_alert_deliveries (
      delivery_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      alert_destination_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      queued_at BIGINT NOT NULL,
      raised_at BIGINT NOT NULL,
      raised_ns INTEGER NOT NULL,
      fingerprint VARCHAR(64) COLLATE utf8mb4_bin NOT NULL,
      alert_type VARCHAR(64) COLLATE utf8mb4_bin NOT NULL,
      state VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      attempts INTEGER NOT NULL,
      attempted_at BIGINT,
      status INTEGER,
      error VARCHAR(300),
      together INTEGER NOT NULL,
      INDEX patchbay_alert_deliveries_idx_1 (alert_destination_sid, queued_at, delivery_sid),
      INDEX patchbay_alert_deliveries_idx_2 (alert_destination_sid, state, queued_at, delivery_sid),
      INDEX patchbay_alert_deliveries_idx_3 (queued_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
