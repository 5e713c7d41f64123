import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds the usage of accounts. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_account_usage (
      account_sid TEXT NOT NULL,
      kind TEXT NOT NULL,
      day INTEGER NOT NULL,
      amount INTEGER NOT NULL,
      alerted INTEGER NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_account_usage_idx_1 ON patchbay_account_usage (account_sid, kind, day)',
    'CREATE INDEX IF NOT EXISTS patchbay_account_usage_idx_2 ON patchbay_account_usage (day)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_account_usage (
      account_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      kind VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      day INTEGER NOT NULL,
      amount BIGINT NOT NULL,
      alerted INTEGER NOT NULL,
      UNIQUE INDEX patchbay_account_usage_idx_1 (account_sid, kind, day),
      INDEX patchbay_account_usage_idx_2 (day)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
