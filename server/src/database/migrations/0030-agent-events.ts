import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds events of agents. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_agent_events (
      account_sid TEXT NOT NULL,
      call_sid TEXT NOT NULL,
      seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      received_at INTEGER NOT NULL,
      size INTEGER NOT NULL,
      content TEXT NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_agent_events_idx_1 ON patchbay_agent_events (account_sid, call_sid, seq)',
    'CREATE INDEX IF NOT EXISTS patchbay_agent_events_idx_2 ON patchbay_agent_events (received_at)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_agent_events (
      account_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      call_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      seq BIGINT NOT NULL,
      at BIGINT NOT NULL,
      received_at BIGINT NOT NULL,
      size INTEGER NOT NULL,
      content MEDIUMTEXT NOT NULL,
      UNIQUE INDEX patchbay_agent_events_idx_1 (account_sid, call_sid, seq),
      INDEX patchbay_agent_events_idx_2 (received_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
