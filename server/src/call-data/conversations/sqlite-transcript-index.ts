import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { ownerColumn } from '../calls/search-options.ts'
import { type IndexSearch, isVisible, type TokenPhrase } from './index-search.ts'
import { transcriptIndexTable } from './transcript-index-table.ts'
import { toPropertyToken } from './transcript-tokens.ts'

/** Searches in the FTS5 index. */

const formatPhrase = (phrase: TokenPhrase): string => `"${phrase.join(' ')}"`
const formatAny = (phrases: readonly TokenPhrase[]): string => `(${phrases.map(formatPhrase).join(' OR ')})`

/** Returns the query of FTS5, which contains only tokens and operators. */
export const toFts5Query = ({ owner, application_sid, included, excluded }: IndexSearch): string => {
  const properties = [
    toPropertyToken('o', ownerColumn(owner)[1]),
    ...(application_sid === undefined ? [] : [toPropertyToken('p', application_sid)]),
  ]
  const all = [...properties.map((property) => formatPhrase([property])), ...included.map(formatAny)].join(' AND ')
  return excluded.length === 0 ? all : `(${all}) NOT ${formatAny(excluded)}`
}

/** Returns the IDs of the visible transcripts that match, newest first. FTS5 reads its index in this order. */
export const findWithFts5 = async (db: Kysely<Tables>, search: IndexSearch): Promise<number[]> => {
  const { ids, offset, limit } = search
  const indexed = sql.raw(transcriptIndexTable)
  // CROSS JOIN keeps the order of the tables, so that the index is read first.
  const { rows } = await sql<{ transcript_id: number }>`
    SELECT transcripts.transcript_id FROM ${indexed}
    CROSS JOIN patchbay_transcripts AS transcripts ON transcripts.transcript_id = ${indexed}.rowid
    LEFT JOIN patchbay_transcript_settings AS settings ON settings.account_sid = transcripts.account_sid
    WHERE ${indexed} MATCH ${toFts5Query(search)} AND ${indexed}.rowid BETWEEN ${ids.from} AND ${ids.until}
      AND ${isVisible}
    ORDER BY ${indexed}.rowid DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows.map(({ transcript_id }) => transcript_id)
}
