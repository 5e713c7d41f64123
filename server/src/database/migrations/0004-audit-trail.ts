import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds the audit trail. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_audit_trail (
      moment INTEGER NOT NULL PRIMARY KEY,
      action TEXT NOT NULL,
      kind TEXT NOT NULL,
      sid TEXT,
      name TEXT COLLATE NOCASE,
      account_sid TEXT,
      service_provider_sid TEXT,
      actor TEXT NOT NULL,
      actor_sid TEXT,
      actor_name TEXT COLLATE NOCASE,
      actor_scope TEXT,
      address TEXT,
      request_id TEXT,
      changes TEXT NOT NULL,
      reason TEXT COLLATE NOCASE,
      times INTEGER NOT NULL
    )`,
    'CREATE INDEX IF NOT EXISTS patchbay_audit_trail_idx_1 ON patchbay_audit_trail (service_provider_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_audit_trail_idx_2 ON patchbay_audit_trail (account_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_audit_trail_idx_3 ON patchbay_audit_trail (sid)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_audit_trail (
      moment BIGINT NOT NULL PRIMARY KEY,
      action VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      kind VARCHAR(64) COLLATE utf8mb4_bin NOT NULL,
      sid VARCHAR(64) COLLATE utf8mb4_bin,
      name VARCHAR(255),
      account_sid VARCHAR(36) COLLATE utf8mb4_bin,
      service_provider_sid VARCHAR(36) COLLATE utf8mb4_bin,
      actor VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      actor_sid VARCHAR(36) COLLATE utf8mb4_bin,
      actor_name VARCHAR(255),
      actor_scope VARCHAR(16) COLLATE utf8mb4_bin,
      address VARCHAR(64) COLLATE utf8mb4_bin,
      request_id VARCHAR(64) COLLATE utf8mb4_bin,
      changes MEDIUMTEXT NOT NULL,
      reason VARCHAR(255),
      times INTEGER NOT NULL,
      INDEX patchbay_audit_trail_idx_1 (service_provider_sid),
      INDEX patchbay_audit_trail_idx_2 (account_sid),
      INDEX patchbay_audit_trail_idx_3 (sid)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
