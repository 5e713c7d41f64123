import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds links from traces of agents to calls. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_trace_links (
      call_id TEXT NOT NULL,
      trace_id TEXT NOT NULL,
      received_at INTEGER NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_trace_links_idx_1 ON patchbay_trace_links (call_id, trace_id)',
    'CREATE INDEX IF NOT EXISTS patchbay_trace_links_idx_2 ON patchbay_trace_links (received_at)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_trace_links (
      call_id VARCHAR(255) COLLATE utf8mb4_bin NOT NULL,
      trace_id VARCHAR(32) COLLATE utf8mb4_bin NOT NULL,
      received_at BIGINT NOT NULL,
      UNIQUE INDEX patchbay_trace_links_idx_1 (call_id, trace_id),
      INDEX patchbay_trace_links_idx_2 (received_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
