import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds limits of conversations. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_conversation_limits (
      owner_sid TEXT NOT NULL,
      gap_p95_ms INTEGER,
      interrupted_percent INTEGER,
      talked_over_percent INTEGER,
      failed_percent INTEGER,
      minutes INTEGER NOT NULL,
      min_conversations INTEGER NOT NULL,
      states TEXT NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_conversation_limits_idx_1 ON patchbay_conversation_limits (owner_sid)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_conversation_limits (
      owner_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      gap_p95_ms INTEGER,
      interrupted_percent INTEGER,
      talked_over_percent INTEGER,
      failed_percent INTEGER,
      minutes INTEGER NOT NULL,
      min_conversations INTEGER NOT NULL,
      states MEDIUMTEXT NOT NULL,
      UNIQUE INDEX patchbay_conversation_limits_idx_1 (owner_sid)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
