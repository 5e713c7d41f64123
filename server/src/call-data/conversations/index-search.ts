import type { Phrase, TranscriptQuery } from '@patchbay/contract/conversations/transcript-query'
import { type RawBuilder, sql } from 'kysely'
import { type CallOwner, ownerColumn, type Window } from '../calls/search-options.ts'
import { type Speaker, toToken } from './transcript-tokens.ts'

/** A search in the full-text index of transcripts. */

/** Tokens that follow each other. */
export type TokenPhrase = readonly string[]

export interface IndexSearch {
  owner: CallOwner
  application_sid: string | undefined
  /** Each transcript contains at least one of the alternatives of each condition. */
  included: readonly (readonly TokenPhrase[])[]
  /** No transcript contains one of these. */
  excluded: readonly TokenPhrase[]
  /** Transcript IDs. Both ends are inclusive. */
  ids: Window
  offset: number
  limit: number
}

/** Returns the condition that a row of `transcripts` belongs to the tenant and has the other properties. */
export const isSelected = ({ owner, application_sid, ids }: IndexSearch): RawBuilder<boolean> => {
  const [column, sid] = ownerColumn(owner)
  return sql<boolean>`transcripts.${sql.raw(column)} = ${sid} AND transcripts.transcript_id BETWEEN ${ids.from} AND ${ids.until}${
    application_sid === undefined ? sql`` : sql` AND transcripts.application_sid = ${application_sid}`
  }`
}

/** The condition that a row of `transcripts` is visible with the row `settings` of its account. */
export const isVisible = sql<boolean>`transcripts.generation = COALESCE(settings.generation, 0)`

/** Returns the phrases as tokens: one alternative for each speaker. */
export const toTokenPhrases = (
  { included, excluded }: TranscriptQuery,
  speaker: Speaker | undefined,
): Pick<IndexSearch, 'included' | 'excluded'> => {
  const speakers: readonly Speaker[] = speaker === undefined ? ['caller', 'agent'] : [speaker]
  const toAlternatives = (phrase: Phrase): TokenPhrase[] =>
    speakers.map((side) => phrase.map((term) => toToken(side, term)))
  return { included: included.map(toAlternatives), excluded: excluded.flatMap(toAlternatives) }
}
