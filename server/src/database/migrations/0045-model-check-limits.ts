import { alterTables, createTables, type Migration, type Statements } from './statements.ts'

/** Limits the checks of a language model. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_model_check_counts (
      account_sid TEXT NOT NULL PRIMARY KEY,
      used_on INTEGER NOT NULL,
      used INTEGER NOT NULL
    )`,
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_model_check_counts (
      account_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      used_on INTEGER NOT NULL,
      used INTEGER NOT NULL
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

const changes: Statements = {
  sqlite: ['ALTER TABLE patchbay_reviews ADD COLUMN input_hash TEXT'],
  mysql: ['ALTER TABLE patchbay_reviews ADD COLUMN input_hash VARCHAR(64) COLLATE utf8mb4_bin'],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
  await alterTables(context, changes)
}
