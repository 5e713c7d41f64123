import { type Kysely, sql } from 'kysely'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { type IndexSearch, isSelected, isVisible } from './index-search.ts'

/**
 * A full-text index outside the database. The database contains the transcripts, and decides which of them a search
 * returns, because the index changes later.
 */

/** The words of a transcript, and what a search can be limited to. */
export interface IndexEntry {
  transcript_id: number
  account_sid: string
  service_provider_sid: string | null
  application_sid: string | null
  generation: number
  /** Tokens with spaces between them and at both ends. */
  tokens: string
}

export interface ExternalSearch extends Omit<IndexSearch, 'offset'> {
  /** The generations of accounts that have hidden transcripts. The others have generation 0. */
  generations: ReadonlyMap<string, number>
}

export interface ExternalTranscriptIndex {
  /**
   * Returns the IDs of transcripts that match, newest first. Some of them can have been deleted.
   * @throws ApiError `unavailable` if the index cannot be read
   */
  find(search: ExternalSearch, signal?: AbortSignal): Promise<number[]>
  /** Adds transcripts. Those that the index has already are replaced. */
  add(entries: readonly IndexEntry[]): Promise<void>
  /** Removes transcripts from searches. Their words remain on the disk until the index rewrites its files. */
  remove(ids: readonly number[]): Promise<void>
  /**
   * Deletes the words of an account, of calls that began before a time in milliseconds since the Unix epoch, or all.
   * @throws an AbortError if the signal aborts
   */
  removeAccount(account_sid: string, before: number | undefined, signal: AbortSignal): Promise<void>
}

/** The transcripts, and the index outside the database if there is one. */
export interface TranscriptStorage {
  database: Database
  transcriptIndex: ExternalTranscriptIndex | undefined
}

const readGenerations = async (db: Kysely<Tables>, { owner }: IndexSearch): Promise<ReadonlyMap<string, number>> => {
  const all = db
    .selectFrom('patchbay_transcript_settings')
    .select(['account_sid', 'generation'])
    .where('generation', '>', 0)
  const rows = await ('account_sid' in owner ? all.where('account_sid', '=', owner.account_sid) : all).execute()
  return new Map(rows.map(({ account_sid, generation }) => [account_sid, generation]))
}

/** Returns the IDs of transcripts that exist and that the search may return. */
const selectVisible = async (db: Kysely<Tables>, search: IndexSearch, ids: readonly number[]): Promise<Set<number>> => {
  if (ids.length === 0) return new Set()
  const { rows } = await sql<{ transcript_id: number | string }>`
    SELECT transcripts.transcript_id FROM patchbay_transcripts AS transcripts
    LEFT JOIN patchbay_transcript_settings AS settings ON settings.account_sid = transcripts.account_sid
    WHERE transcripts.transcript_id IN (${sql.join(ids)}) AND ${isSelected(search)} AND ${isVisible}`.execute(db)
  return new Set(rows.map(({ transcript_id }) => Number(transcript_id)))
}

/** Returns the IDs of the visible transcripts that match, newest first. */
export const findInExternalIndex = async (
  { reader }: Database,
  index: ExternalTranscriptIndex,
  search: IndexSearch,
  signal: AbortSignal | undefined,
): Promise<number[]> => {
  const { ids, offset, limit } = search
  const generations = await readGenerations(reader, search)
  const visibleIds: number[] = []
  for (let until = ids.until; visibleIds.length < offset + limit; ) {
    const count = offset + limit - visibleIds.length
    const candidates = await index.find({ ...search, ids: { ...ids, until }, limit: count, generations }, signal)
    const visible = await selectVisible(reader, search, candidates)
    visibleIds.push(...candidates.filter((id) => visible.has(id)))
    const last = candidates.at(-1)
    if (last === undefined || candidates.length < count) break
    until = last - 1
  }
  return visibleIds.slice(offset)
}
