import { type FoundCall, maxFoundTurns } from '@patchbay/contract/conversation-search'
import { createExcerpt, findMatches, type TranscriptQuery } from '@patchbay/contract/conversations/transcript-query'
import type { Database } from '../../database/engine.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'
import { maxSearchesPerTenant, type PageSearch, type SearchContext, toWindow } from '../calls/search-options.ts'
import { findInExternalIndex, type TranscriptStorage } from './external-transcript-index.ts'
import { type IndexSearch, toTokenPhrases } from './index-search.ts'
import { findTranscripts } from './transcript-index.ts'
import type { Speaker } from './transcript-tokens.ts'
import { type Transcript, toIdWindow, unpackTranscript } from './transcripts.ts'

/** Searches in what was said in calls. */

export interface TranscriptPageSearch extends PageSearch {
  query: TranscriptQuery
  speaker?: Speaker
  application_sid?: string
}

export interface FoundCalls {
  calls: FoundCall[]
  /** Whether older calls match, too. */
  hasMore: boolean
}

export interface TranscriptSearch {
  search(search: TranscriptPageSearch, context: SearchContext): Promise<FoundCalls>
}

const findTurns = ({ turns }: Transcript, { query, speaker }: TranscriptPageSearch) => {
  const found = turns.flatMap((turn) => {
    const matches = speaker === undefined || turn.speaker === speaker ? findMatches(turn.text, query.included) : []
    return matches.length === 0 ? [] : [{ ...turn, ...createExcerpt(turn.text, matches) }]
  })
  return { turns: found.slice(0, maxFoundTurns), turn_count: found.length }
}

/** Transcripts that are read and unpacked at a time. */
const batchSize = 50

const readCalls = async (
  { reader }: Database,
  ids: readonly number[],
  search: TranscriptPageSearch,
): Promise<FoundCall[]> => {
  const calls: FoundCall[] = []
  for (let from = 0; from < ids.length; from += batchSize) {
    const rows = await reader
      .selectFrom('patchbay_transcripts')
      .select(['account_sid', 'call_sid', 'application_sid', 'content'])
      .where('transcript_id', 'in', ids.slice(from, from + batchSize))
      .orderBy('transcript_id', 'desc')
      .execute()
    for (const { content, ...sids } of rows) {
      const transcript = await unpackTranscript(content)
      calls.push({ ...sids, ...transcript, ...findTurns(transcript, search) })
    }
  }
  return calls
}

/** Creates the search. Searches run one after another on SQLite, and two at a time on MySQL. */
export const createTranscriptSearch = ({ database, transcriptIndex }: TranscriptStorage): TranscriptSearch => {
  const queue = createFairQueue({
    name: 'transcript_search',
    concurrency: database.concurrency.searches,
    max: maxSearchesPerTenant,
  })
  const findIds = (search: IndexSearch, signal: AbortSignal | undefined): Promise<number[]> =>
    transcriptIndex === undefined
      ? findTranscripts(database, search)
      : findInExternalIndex(database, transcriptIndex, search, signal)
  const find = async (search: TranscriptPageSearch, signal: AbortSignal | undefined): Promise<FoundCalls> => {
    const { owner, page, pageSize, query, speaker, application_sid } = search
    const indexSearch = {
      owner,
      application_sid,
      ...toTokenPhrases(query, speaker),
      ids: toIdWindow(toWindow(search)),
      offset: (page - 1) * pageSize,
      limit: pageSize + 1,
    }
    const ids = await findIds(indexSearch, signal)
    return { calls: await readCalls(database, ids.slice(0, pageSize), search), hasMore: ids.length > pageSize }
  }
  return {
    search: (search, { owner, signal }) => queue.run(owner, (runStep) => runStep(() => find(search, signal)), signal),
  }
}
