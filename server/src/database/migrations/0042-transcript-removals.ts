import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds the transcripts that must be removed from an external index. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_transcript_removals (
      transcript_id INTEGER NOT NULL PRIMARY KEY,
      removed_at INTEGER NOT NULL
    )`,
    'CREATE INDEX IF NOT EXISTS patchbay_transcript_removals_idx_1 ON patchbay_transcript_removals (removed_at)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_transcript_removals (
      transcript_id BIGINT NOT NULL PRIMARY KEY,
      removed_at BIGINT NOT NULL,
      INDEX patchbay_transcript_removals_idx_1 (removed_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
