import { randomUUID } from 'node:crypto'
import { dayMs } from '@patchbay/contract/shared/durations'
import { ownerColumn, type Window } from '../calls/search-options.ts'
import type { ExternalSearch, ExternalTranscriptIndex, IndexEntry } from '../conversations/external-transcript-index.ts'
import type { TokenPhrase } from '../conversations/index-search.ts'
import { indexVersions } from '../conversations/transcript-tokens.ts'
import { idsPerMs } from '../conversations/transcripts.ts'
import { type ClickHouse, quoteAll } from './clickhouse.ts'
import { deleteFrom, startMarking, waitForDeletions } from './mutations.ts'
import { transcriptMonth } from './schema.ts'

/**
 * The index of the words in transcripts. ClickHouse finds words by its text index alone. For a phrase it also reads the
 * words of all transcripts that contain those of the phrase, so that searches with phrases begin with the newest days.
 */

const table = 'transcript_tokens'

/** A phrase matches within one turn, which a token separates from the next. Tokens are ASCII letters and digits. */
const containsPhrase = (phrase: TokenPhrase): string =>
  `(hasAllTokens(tokens, [${quoteAll(phrase)}]) AND position(tokens, ${quoteAll([` ${phrase.join(' ')} `])}) > 0)`

const containsAny = (phrases: readonly TokenPhrase[]): string => {
  const single = phrases.flatMap((phrase) => (phrase.length === 1 ? phrase : []))
  const longer = phrases.filter(({ length }) => length > 1).map(containsPhrase)
  return `(${[...(single.length === 0 ? [] : [`hasAnyTokens(tokens, [${quoteAll(single)}])`]), ...longer].join(' OR ')})`
}

const isVisible = (generations: ReadonlyMap<string, number>): string => {
  if (generations.size === 0) return 'generation = 0'
  const pairs = [...generations].map(([account_sid, generation]) => `(${quoteAll([account_sid])}, ${generation})`)
  return `if(account_sid IN (${quoteAll(generations.keys())}), (account_sid, generation) IN (${pairs.join()}), generation = 0)`
}

const createStatement = ({ owner, application_sid, included, excluded, generations }: ExternalSearch): string => {
  const conditions = [
    `${ownerColumn(owner)[0]} = {owner:String}`,
    'transcript_id BETWEEN {from:Int64} AND {until:Int64}',
    `index_version = ${indexVersions.external}`,
    ...(application_sid === undefined ? [] : ['application_sid = {application:String}']),
    isVisible(generations),
    ...included.map(containsAny),
    ...(excluded.length === 0 ? [] : [`NOT ${containsAny(excluded)}`]),
  ]
  return `SELECT DISTINCT transcript_id FROM ${table} WHERE ${conditions.join(' AND ')}
    ORDER BY transcript_id DESC LIMIT {count:UInt32}`
}

/** Ages of the oldest calls in the first windows. The last window contains all earlier calls. */
const windowDays = [1, 5, 21, 85]

/** Returns the windows of a search, the newest first. Only searches with phrases have more than one. */
const toWindows = ({ ids, included, excluded }: ExternalSearch, now: number): Window[] => {
  const hasPhrases = [...included.flat(), ...excluded].some(({ length }) => length > 1)
  if (!hasPhrases) return [ids]
  const windows: Window[] = []
  let { until } = ids
  for (const days of windowDays) {
    const from = (now - days * dayMs) * idsPerMs
    if (from <= ids.from || from > until) continue
    windows.push({ from, until })
    until = from - 1
  }
  return [...windows, { from: ids.from, until }]
}

const toRow = ({ service_provider_sid, application_sid, ...entry }: IndexEntry) => ({
  ...entry,
  service_provider_sid: service_provider_sid ?? '',
  application_sid: application_sid ?? '',
  index_version: indexVersions.external,
})

/** ClickHouse continues after this time, and the next attempt waits for it. */
const maxRemovalMs = 60_000

/** Creates the index. Its methods can be used concurrently. */
export const createClickHouseTranscriptIndex = (clickHouse: ClickHouse): ExternalTranscriptIndex => ({
  async find(search, signal) {
    const ids: number[] = []
    const statement = createStatement(search)
    for (const { from, until } of toWindows(search, Date.now())) {
      const count = search.limit - ids.length
      const rows = await clickHouse.query<{ transcript_id: string }>(
        statement,
        { owner: ownerColumn(search.owner)[1], application: search.application_sid ?? '', from, until, count },
        signal,
      )
      ids.push(...rows.map(({ transcript_id }) => Number(transcript_id)))
      if (ids.length >= search.limit) break
    }
    return ids
  },
  async add(entries) {
    // The table keeps one of equal rows, and after a restore the same rows have to be added again.
    await clickHouse.insert(table, entries.map(toRow), randomUUID())
  },
  async remove(ids) {
    const condition = `transcript_id IN (${ids.join()})`
    const months = await clickHouse.query<{ month: number }>(
      `SELECT DISTINCT ${transcriptMonth} AS month FROM ${table} WHERE ${condition}`,
      {},
    )
    for (const { month } of months) await startMarking(clickHouse, table, String(month), condition)
    await waitForDeletions(clickHouse, [table], AbortSignal.timeout(maxRemovalMs))
  },
  async removeAccount(account_sid, before, signal) {
    const end = before === undefined ? '' : ` AND transcript_id < ${before * idsPerMs}`
    await deleteFrom(clickHouse, table, `account_sid = ${quoteAll([account_sid])}${end}`)
    await waitForDeletions(clickHouse, [table], signal)
  },
})
