import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds subscriptions. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_billing (
      account_sid TEXT NOT NULL PRIMARY KEY,
      claim TEXT,
      claimed_until INTEGER NOT NULL,
      is_action INTEGER CHECK ("is_action" IN (0, 1)) NOT NULL,
      asked INTEGER NOT NULL,
      looked INTEGER NOT NULL,
      due_at INTEGER,
      failures INTEGER NOT NULL,
      intent TEXT,
      customer_key TEXT
    )`,
    'CREATE INDEX IF NOT EXISTS patchbay_billing_idx_1 ON patchbay_billing (due_at)',
    `CREATE TABLE IF NOT EXISTS patchbay_billing_events (
      event_id TEXT NOT NULL PRIMARY KEY,
      received_at INTEGER NOT NULL
    )`,
    'CREATE INDEX IF NOT EXISTS patchbay_billing_events_idx_1 ON patchbay_billing_events (received_at)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_billing (
      account_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      claim VARCHAR(36) COLLATE utf8mb4_bin,
      claimed_until BIGINT NOT NULL,
      is_action BOOLEAN NOT NULL,
      asked BIGINT NOT NULL,
      looked BIGINT NOT NULL,
      due_at BIGINT,
      failures INTEGER NOT NULL,
      intent MEDIUMTEXT,
      customer_key VARCHAR(36) COLLATE utf8mb4_bin,
      INDEX patchbay_billing_idx_1 (due_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_billing_events (
      event_id VARCHAR(255) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      received_at BIGINT NOT NULL,
      INDEX patchbay_billing_events_idx_1 (received_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
