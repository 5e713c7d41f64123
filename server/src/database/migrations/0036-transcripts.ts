import { createTables, type Migration, type Statements } from './statements.ts'

/**
 * Adds transcripts, and their full-text index: FTS5 on SQLite, and a table with a FULLTEXT index on MySQL. It contains words
 * as tokens of ASCII letters and digits, so that neither stop words, nor the minimum length of words, nor the collation of
 * the server have an effect.
 */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_transcripts (
      transcript_id INTEGER NOT NULL PRIMARY KEY,
      account_sid TEXT NOT NULL,
      call_sid TEXT NOT NULL,
      service_provider_sid TEXT,
      application_sid TEXT,
      generation INTEGER NOT NULL,
      index_version INTEGER NOT NULL DEFAULT 0,
      content BLOB NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_transcripts_idx_1 ON patchbay_transcripts (account_sid, call_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_transcripts_idx_2 ON patchbay_transcripts (account_sid, transcript_id)',
    'CREATE INDEX IF NOT EXISTS patchbay_transcripts_idx_3 ON patchbay_transcripts (service_provider_sid, transcript_id)',
    'CREATE INDEX IF NOT EXISTS patchbay_transcripts_idx_4 ON patchbay_transcripts (account_sid, generation)',
    'CREATE INDEX IF NOT EXISTS patchbay_transcripts_idx_5 ON patchbay_transcripts (index_version)',
    `CREATE TABLE IF NOT EXISTS patchbay_transcript_settings (
      account_sid TEXT NOT NULL PRIMARY KEY,
      access TEXT NOT NULL,
      generation INTEGER NOT NULL
    )`,
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_transcripts (
      transcript_id BIGINT NOT NULL PRIMARY KEY,
      account_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      call_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      service_provider_sid VARCHAR(36) COLLATE utf8mb4_bin,
      application_sid VARCHAR(64) COLLATE utf8mb4_bin,
      generation INTEGER NOT NULL,
      index_version INTEGER NOT NULL DEFAULT 0,
      content MEDIUMBLOB NOT NULL,
      UNIQUE INDEX patchbay_transcripts_idx_1 (account_sid, call_sid),
      INDEX patchbay_transcripts_idx_2 (account_sid, transcript_id),
      INDEX patchbay_transcripts_idx_3 (service_provider_sid, transcript_id),
      INDEX patchbay_transcripts_idx_4 (account_sid, generation),
      INDEX patchbay_transcripts_idx_5 (index_version)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_transcript_settings (
      account_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      access VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      generation INTEGER NOT NULL
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

const index: Statements = {
  sqlite: [
    `CREATE VIRTUAL TABLE IF NOT EXISTS patchbay_transcript_index
     USING fts5(tokens, content='', contentless_delete=1, tokenize='ascii')`,
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_transcript_index (
       transcript_id BIGINT NOT NULL PRIMARY KEY,
       tokens MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       FULLTEXT INDEX patchbay_transcript_index_idx_1 (tokens)
     ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
  await createTables(context, index)
}
