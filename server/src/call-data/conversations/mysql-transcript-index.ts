import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { type IndexSearch, isSelected, isVisible, type TokenPhrase } from './index-search.ts'
import { transcriptIndexTable } from './transcript-index-table.ts'

/**
 * Searches in the FULLTEXT index. InnoDB reads all entries of a word, of all tenants, before it returns the newest: 7 ms
 * for each thousand transcripts. So the newest transcripts of the tenant are searched without the index first, which
 * finds common words, and the index is used for the rarest word only.
 */

/** Transcripts that are searched without the index. They take about 25 ms. */
export const scannedTranscripts = 5000
/** Transcripts that show which word of a query is the rarest. */
const sampledTranscripts = 500

const indexTable = sql.raw(transcriptIndexTable)

/** The words of a transcript have spaces between them and at both ends. Tokens contain no wildcards. */
const containsPhrase = (phrase: TokenPhrase): RawBuilder<boolean> =>
  sql<boolean>`indexed.tokens LIKE ${`% ${phrase.join(' ')} %`}`

const containsAny = (phrases: readonly TokenPhrase[]): RawBuilder<boolean> =>
  sql<boolean>`(${sql.join(phrases.map(containsPhrase), sql` OR `)})`

const matches = ({ included, excluded }: IndexSearch): RawBuilder<boolean> =>
  sql<boolean>`${sql.join(included.map(containsAny), sql` AND `)}${
    excluded.length === 0 ? sql`` : sql` AND NOT ${containsAny(excluded)}`
  }`

/** The newest transcripts of the tenant. */
const newestIds = (search: IndexSearch, count: number) => sql`
    SELECT transcripts.transcript_id FROM patchbay_transcripts AS transcripts
    LEFT JOIN patchbay_transcript_settings AS settings ON settings.account_sid = transcripts.account_sid
    WHERE ${isSelected(search)} AND ${isVisible}
    ORDER BY transcripts.transcript_id DESC LIMIT ${sql.lit(count)}`

/** The newest transcripts of the tenant, with their words. */
const newest = (search: IndexSearch, count: number) => sql`(${newestIds(search, count)}
  ) AS newest STRAIGHT_JOIN ${indexTable} AS indexed ON indexed.transcript_id = newest.transcript_id`

/** Alternatives of one token each, one of which every match contains. */
type IndexedTerm = readonly string[]

const listIndexedTerms = ({ included }: IndexSearch): IndexedTerm[] =>
  included.flatMap((alternatives) =>
    (alternatives[0] ?? []).map((_, position) => alternatives.flatMap((phrase) => phrase[position] ?? [])),
  )

const isScanComplete = async (db: Kysely<Tables>, search: IndexSearch): Promise<boolean> => {
  const ids = newestIds(search, scannedTranscripts)
  const { rows } = await sql<{ scanned: number | string }>`SELECT COUNT(*) AS scanned FROM (${ids}) AS ids`.execute(db)
  return Number(rows[0]?.scanned) < scannedTranscripts
}

/** Returns the word that the fewest transcripts of a sample contain. */
const findRarestTerm = async (db: Kysely<Tables>, search: IndexSearch): Promise<IndexedTerm> => {
  const all = listIndexedTerms(search)
  const [only] = all
  if (only !== undefined && all.length === 1) return only
  const sums = all.map(
    (tokens, position) => sql`SUM(${containsAny(tokens.map((token) => [token]))}) AS ${sql.raw(`count_${position}`)}`,
  )
  const { rows } = await sql<Record<string, number | string | null>>`
    SELECT ${sql.join(sums)} FROM ${newest(search, sampledTranscripts)}`.execute(db)
  const [counts = {}] = rows
  const byCount = all
    .map((tokens, position) => ({ tokens, count: Number(counts[`count_${position}`] ?? 0) }))
    .toSorted((a, b) => a.count - b.count)
  return byCount[0]?.tokens ?? []
}

const readIds = async (db: Kysely<Tables>, query: RawBuilder<{ transcript_id: number | string }>): Promise<number[]> =>
  (await query.execute(db)).rows.map(({ transcript_id }) => Number(transcript_id))

/** Returns the IDs of the visible transcripts that match, newest first. */
export const findWithFulltext = async (db: Kysely<Tables>, search: IndexSearch): Promise<number[]> => {
  const { offset, limit } = search
  const page = sql`LIMIT ${sql.lit(limit)} OFFSET ${sql.lit(offset)}`
  const found = await readIds(
    db,
    sql`SELECT newest.transcript_id FROM ${newest(search, scannedTranscripts)} WHERE ${matches(search)}
      ORDER BY newest.transcript_id DESC ${page}`,
  )
  if (found.length === limit || (await isScanComplete(db, search))) return found
  const rarest = await findRarestTerm(db, search)
  return readIds(
    db,
    sql`SELECT indexed.transcript_id FROM ${indexTable} AS indexed
      JOIN patchbay_transcripts AS transcripts ON transcripts.transcript_id = indexed.transcript_id
      LEFT JOIN patchbay_transcript_settings AS settings ON settings.account_sid = transcripts.account_sid
      WHERE MATCH (indexed.tokens) AGAINST (${rarest.join(' ')} IN BOOLEAN MODE) AND ${matches(search)}
        AND ${isSelected(search)} AND ${isVisible}
      ORDER BY indexed.transcript_id DESC ${page}`,
  )
}
