import { sql, type Transaction } from 'kysely'
import type { Database, EngineName } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { IndexSearch } from './index-search.ts'
import { findWithFulltext } from './mysql-transcript-index.ts'
import { findWithFts5 } from './sqlite-transcript-index.ts'
import { transcriptIndexTable } from './transcript-index-table.ts'
import { type Speaker, toPropertyToken, toTokenText } from './transcript-tokens.ts'

/** The full-text index of transcripts. */

export interface IndexedTranscript {
  transcript_id: number
  account_sid: string
  service_provider_sid: string | null
  application_sid: string | null
  turns: readonly { speaker: Speaker; text: string }[]
}

/** Only FTS5 intersects properties and words in its index. */
const toIndexedText = (engine: EngineName, transcript: IndexedTranscript): string => {
  const tokens = toTokenText(transcript.turns)
  if (engine === 'mysql') return tokens
  const { account_sid, service_provider_sid, application_sid } = transcript
  const owners = [account_sid, service_provider_sid].flatMap((owner) =>
    owner === null ? [] : [toPropertyToken('o', owner)],
  )
  const application = application_sid === null ? [] : [toPropertyToken('p', application_sid)]
  return `${[...owners, ...application].join(' ')}${tokens}`
}

const table = sql.raw(transcriptIndexTable)
const idColumn = (engine: EngineName) => sql.raw(engine === 'sqlite' ? 'rowid' : 'transcript_id')

/** Removes transcripts from the index. */
export const removeFromIndex = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  ids: readonly number[],
): Promise<void> => {
  if (ids.length > 0) await sql`DELETE FROM ${table} WHERE ${idColumn(engine)} IN (${sql.join(ids)})`.execute(trx)
}

/** Adds transcripts to the index, or replaces them. */
export const addToIndex = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  transcripts: readonly IndexedTranscript[],
): Promise<void> => {
  if (transcripts.length === 0) return
  await removeFromIndex(
    trx,
    engine,
    transcripts.map(({ transcript_id }) => transcript_id),
  )
  const rows = transcripts.map((row) => sql`(${row.transcript_id}, ${toIndexedText(engine, row)})`)
  await sql`INSERT INTO ${table} (${idColumn(engine)}, tokens) VALUES ${sql.join(rows)}`.execute(trx)
}

/** Returns the IDs of the visible transcripts that match, newest first. */
export const findTranscripts = ({ engine, searcher }: Database, search: IndexSearch): Promise<number[]> =>
  engine === 'sqlite' ? findWithFts5(searcher, search) : findWithFulltext(searcher, search)
