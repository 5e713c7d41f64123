import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds the statistics of conversations. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_conversation_queue (
      account_sid TEXT NOT NULL,
      call_sid TEXT NOT NULL,
      due_at INTEGER NOT NULL,
      attempts INTEGER NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_conversation_queue_idx_1 ON patchbay_conversation_queue (account_sid, call_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_conversation_queue_idx_2 ON patchbay_conversation_queue (due_at)',
    `CREATE TABLE IF NOT EXISTS patchbay_conversations (
      account_sid TEXT NOT NULL,
      call_sid TEXT NOT NULL,
      service_provider_sid TEXT,
      trace_id TEXT,
      started_at INTEGER NOT NULL,
      computed_at INTEGER NOT NULL,
      content BLOB NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_conversations_idx_1 ON patchbay_conversations (call_sid, account_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_conversations_idx_2 ON patchbay_conversations (trace_id)',
    'CREATE INDEX IF NOT EXISTS patchbay_conversations_idx_3 ON patchbay_conversations (started_at)',
    `CREATE TABLE IF NOT EXISTS patchbay_conversation_days (
      owner_sid TEXT NOT NULL,
      dimension TEXT NOT NULL,
      day INTEGER NOT NULL,
      value TEXT NOT NULL,
      conversations INTEGER NOT NULL,
      sums TEXT NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_conversation_days_idx_1 ON patchbay_conversation_days (owner_sid, dimension, day, value)',
    'CREATE INDEX IF NOT EXISTS patchbay_conversation_days_idx_2 ON patchbay_conversation_days (day)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_conversation_queue (
      account_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      call_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      due_at BIGINT NOT NULL,
      attempts INTEGER NOT NULL,
      UNIQUE INDEX patchbay_conversation_queue_idx_1 (account_sid, call_sid),
      INDEX patchbay_conversation_queue_idx_2 (due_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_conversations (
      account_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      call_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      service_provider_sid VARCHAR(36) COLLATE utf8mb4_bin,
      trace_id VARCHAR(32) COLLATE utf8mb4_bin,
      started_at BIGINT NOT NULL,
      computed_at BIGINT NOT NULL,
      content MEDIUMBLOB NOT NULL,
      UNIQUE INDEX patchbay_conversations_idx_1 (call_sid, account_sid),
      INDEX patchbay_conversations_idx_2 (trace_id),
      INDEX patchbay_conversations_idx_3 (started_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_conversation_days (
      owner_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      dimension VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      day INTEGER NOT NULL,
      value VARCHAR(128) COLLATE utf8mb4_bin NOT NULL,
      conversations BIGINT NOT NULL,
      sums MEDIUMTEXT NOT NULL,
      UNIQUE INDEX patchbay_conversation_days_idx_1 (owner_sid, dimension, day, value),
      INDEX patchbay_conversation_days_idx_2 (day)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
