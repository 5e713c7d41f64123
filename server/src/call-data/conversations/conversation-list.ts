import {
  type ConversationList,
  type conversationListQuery,
  maxSearchedConversations,
} from '@patchbay/contract/conversation-list'
import { type ConversationCursor, formatCursor } from '@patchbay/contract/shared/conversation-cursor'
import { dayMs } from '@patchbay/contract/shared/durations'
import { toBucket } from '@patchbay/rules/conversations/duration-buckets'
import { toFigures } from '@patchbay/rules/conversations/quality-figures'
import { getAmount, type Sums, sumUp } from '@patchbay/rules/conversations/sums'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Database } from '../../database/engine.ts'
import { type CallOwner, ownerColumn } from '../calls/search-options.ts'
import { type StoredContribution, unpackContributions } from './conversation-day-sums.ts'

/** Lists computed conversations. Which properties and problems they have is in their contributions. */

export type ConversationFilters = Pick<
  z.output<typeof conversationListQuery>,
  'by' | 'value' | 'problem' | 'duration' | 'min_ms'
>

export interface ConversationListSearch extends ConversationFilters {
  owner: CallOwner
  /** First and last day of the period, as day numbers. */
  from: number
  until: number
  after: ConversationCursor | undefined
  count: number
}

/** Returns the condition for rows that follow a cursor, newest first. */
export const isAfterCursor = ({ started_at, call_sid, account_sid }: ConversationCursor) =>
  // The first condition is redundant. It lets the database use the index.
  sql<boolean>`started_at <= ${started_at} AND (started_at < ${started_at} OR call_sid < ${call_sid}
    OR (call_sid = ${call_sid} AND account_sid < ${account_sid}))`

const rowsPerRead = 100

const readRows = (
  { reader }: Database,
  { owner, from, until }: ConversationListSearch,
  after: ConversationCursor | undefined,
) => {
  const [column, sid] = ownerColumn(owner)
  const rows = reader
    .selectFrom('patchbay_conversations')
    .select(['account_sid', 'call_sid', 'started_at', 'content'])
    .where(column, '=', sid)
    .where('started_at', '>=', from * dayMs)
    .where('started_at', '<', (until + 1) * dayMs)
    .orderBy('started_at', 'desc')
    .orderBy('call_sid', 'desc')
    .orderBy('account_sid', 'desc')
    .limit(rowsPerRead)
  return (after === undefined ? rows : rows.where(isAfterCursor(after))).execute()
}

/** Returns the sums of a conversation if it has an agent and the filters select it. */
const select = (
  contributions: readonly StoredContribution[],
  { by, value = '', problem, duration, min_ms }: ConversationFilters,
): Sums | undefined => {
  const sums = sumUp(contributions.filter(({ dimension }) => dimension === 'all'))
  const hasValue = by === undefined || contributions.some((other) => other.dimension === by && other.value === value)
  const has = (measure: string): boolean => getAmount(sums, measure) > 0
  if (!hasValue || !has('conversations')) return undefined
  if (problem === 'failed' && !has('errors')) return undefined
  if (problem === 'interrupted' && !has('caller_interruptions') && !has('agent_interruptions')) return undefined
  const isSlow = min_ms === undefined || (sums.get(duration)?.length ?? 0) > toBucket(min_ms)
  return isSlow ? sums : undefined
}

/** Returns a page of conversations, newest first. Searches 1,000 at most. */
export const listConversations = async (
  database: Database,
  search: ConversationListSearch,
): Promise<ConversationList> => {
  const conversations: ConversationList['conversations'] = []
  let { after } = search
  for (let searched = 0; searched < maxSearchedConversations; ) {
    const rows = await readRows(database, search, after)
    for (const { account_sid, call_sid, started_at, content } of rows) {
      after = { started_at, call_sid, account_sid }
      const sums = select(await unpackContributions(content), search)
      if (sums === undefined) continue
      const call = { account_sid, call_sid, started_at: new Date(started_at).toISOString() }
      conversations.push({ ...call, ...toFigures(sums) })
      if (conversations.length === search.count) return { conversations, next: formatCursor(after) }
    }
    searched += rows.length
    if (rows.length < rowsPerRead) return { conversations, next: null }
  }
  return { conversations, next: after === undefined ? null : formatCursor(after) }
}
