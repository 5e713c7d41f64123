import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds the voices that were found in recordings. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_voice_activities (
      account_sid TEXT NOT NULL,
      call_sid TEXT NOT NULL,
      recording_url TEXT NOT NULL,
      method_version INTEGER NOT NULL,
      analyzed_at INTEGER NOT NULL,
      activity TEXT
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_voice_activities_idx_1 ON patchbay_voice_activities (account_sid, call_sid, recording_url, method_version)',
    'CREATE INDEX IF NOT EXISTS patchbay_voice_activities_idx_2 ON patchbay_voice_activities (analyzed_at)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_voice_activities (
      account_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      call_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      recording_url VARCHAR(255) COLLATE utf8mb4_bin NOT NULL,
      method_version INTEGER NOT NULL,
      analyzed_at BIGINT NOT NULL,
      activity MEDIUMTEXT,
      UNIQUE INDEX patchbay_voice_activities_idx_1 (account_sid, call_sid, recording_url, method_version),
      INDEX patchbay_voice_activities_idx_2 (analyzed_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
