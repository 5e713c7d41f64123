import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds the unindexed table to which SQLite writes new entries of the audit trail first. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_audit_latest (
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
  ],
  mysql: [],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
