import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds the health of carriers. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_carrier_health_states (
      watched_sid TEXT NOT NULL PRIMARY KEY,
      state TEXT NOT NULL,
      failure_alerted_at INTEGER NOT NULL DEFAULT 0,
      recovery_alerted_at INTEGER NOT NULL DEFAULT 0
    )`,
    `CREATE TABLE IF NOT EXISTS patchbay_carrier_health_changes (
      change_sid TEXT NOT NULL PRIMARY KEY,
      voip_carrier_sid TEXT NOT NULL,
      watched_sid TEXT NOT NULL,
      address TEXT COLLATE NOCASE,
      from_state TEXT,
      to_state TEXT NOT NULL,
      reason TEXT COLLATE NOCASE,
      changed_at INTEGER NOT NULL
    )`,
    'CREATE INDEX IF NOT EXISTS patchbay_carrier_health_changes_idx_1 ON patchbay_carrier_health_changes (voip_carrier_sid, changed_at, change_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_carrier_health_changes_idx_2 ON patchbay_carrier_health_changes (watched_sid, changed_at)',
    'CREATE INDEX IF NOT EXISTS patchbay_carrier_health_changes_idx_3 ON patchbay_carrier_health_changes (changed_at)',
    `CREATE TABLE IF NOT EXISTS patchbay_carrier_health_watches (
      started_at INTEGER NOT NULL PRIMARY KEY,
      until_at INTEGER NOT NULL
    )`,
    'CREATE INDEX IF NOT EXISTS patchbay_carrier_health_watches_idx_1 ON patchbay_carrier_health_watches (until_at)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_carrier_health_states (
      watched_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      state VARCHAR(20) COLLATE utf8mb4_bin NOT NULL,
      failure_alerted_at BIGINT NOT NULL DEFAULT 0,
      recovery_alerted_at BIGINT NOT NULL DEFAULT 0
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_carrier_health_changes (
      change_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      voip_carrier_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      watched_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      address VARCHAR(300),
      from_state VARCHAR(20) COLLATE utf8mb4_bin,
      to_state VARCHAR(20) COLLATE utf8mb4_bin NOT NULL,
      reason VARCHAR(255),
      changed_at BIGINT NOT NULL,
      INDEX patchbay_carrier_health_changes_idx_1 (voip_carrier_sid, changed_at, change_sid),
      INDEX patchbay_carrier_health_changes_idx_2 (watched_sid, changed_at),
      INDEX patchbay_carrier_health_changes_idx_3 (changed_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_carrier_health_watches (
      started_at BIGINT NOT NULL PRIMARY KEY,
      until_at BIGINT NOT NULL,
      INDEX patchbay_carrier_health_watches_idx_1 (until_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
