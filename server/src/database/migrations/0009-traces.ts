import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds traces. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_trace_parts (
      trace_id TEXT NOT NULL,
      part_key TEXT NOT NULL,
      received_at INTEGER NOT NULL,
      content BLOB NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_trace_parts_idx_1 ON patchbay_trace_parts (trace_id, part_key)',
    'CREATE INDEX IF NOT EXISTS patchbay_trace_parts_idx_2 ON patchbay_trace_parts (received_at)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_trace_parts (
      trace_id VARCHAR(32) COLLATE utf8mb4_bin NOT NULL,
      part_key VARCHAR(64) COLLATE utf8mb4_bin NOT NULL,
      received_at BIGINT NOT NULL,
      content MEDIUMBLOB NOT NULL,
      UNIQUE INDEX patchbay_trace_parts_idx_1 (trace_id, part_key),
      INDEX patchbay_trace_parts_idx_2 (received_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
