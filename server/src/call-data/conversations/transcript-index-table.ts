import { type Kysely, sql } from 'kysely'
import type { EngineName } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'

/**
 * The full-text index of transcripts: FTS5 on SQLite, and a table with a FULLTEXT index on MySQL. Both contain words as
 * tokens of ASCII letters and digits (call-data/conversations/transcript-tokens.ts), so that neither stop words, nor the
 * minimum length of words, nor the collation of the server have an effect.
 */

export const transcriptIndexTable = 'patchbay_transcript_index'

/** FTS5 stores its index in tables that begin with the name of the virtual table. */
const sqliteTables: readonly string[] = ['', '_config', '_data', '_docsize', '_idx'].map(
  (suffix) => `${transcriptIndexTable}${suffix}`,
)

/** Returns whether a table is part of the index, which is built again from the transcripts if it is lost. */
export const isTranscriptIndexTable = (table: string): boolean => sqliteTables.includes(table)

/** Creates the index. It does not contain the texts of SQLite, because they are in `patchbay_transcripts`. */
export const createTranscriptIndex = async (db: Kysely<Tables>, engine: EngineName): Promise<void> => {
  const statement =
    engine === 'sqlite'
      ? `CREATE VIRTUAL TABLE IF NOT EXISTS ${transcriptIndexTable}
         USING fts5(tokens, content='', contentless_delete=1, tokenize='ascii')`
      : `CREATE TABLE IF NOT EXISTS ${transcriptIndexTable} (
           transcript_id BIGINT NOT NULL PRIMARY KEY,
           tokens MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
           FULLTEXT INDEX ${transcriptIndexTable}_idx_1 (tokens)
         ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`
  await sql.raw(statement).execute(db)
}
