import type { Phrase, TranscriptQuery } from '@patchbay/contract/conversations/transcript-query'
import type { CallOwner, Window } from '../calls/search-options.ts'
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
