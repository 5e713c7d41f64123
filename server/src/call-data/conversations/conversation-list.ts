import {
  type ConversationCursor,
  type ConversationList,
  type conversationListQuery,
  formatCursor,
  maxSearchedConversations,
} from '@patchbay/contract/conversation-list'
import { toBucket } from '@patchbay/contract/conversations/duration-buckets'
import { toFigures } from '@patchbay/contract/conversations/quality-figures'
import { addToSums, type Sums } from '@patchbay/contract/conversations/sums'
import { dayMs } from '@patchbay/contract/shared/durations'
import type { z } from 'zod'
import { type StoredContribution, unpackContributions } from '../../database/conversation-day-sums.ts'
import type { Database } from '../../database/engine.ts'
import { type CallOwner, ownerColumn } from '../calls/search-options.ts'

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

const rowsPerRead = 100

const readRows = ({ reader }: Database, { owner, from, until }: ConversationListSearch, after?: ConversationCursor) => {
  const [column, sid] = ownerColumn(owner)
  return reader
    .selectFrom('patchbay_conversations')
    .select(['account_sid', 'call_sid', 'started_at', 'content'])
    .where(column, '=', sid)
    .where('started_at', '>=', from * dayMs)
    .where('started_at', '<', (until + 1) * dayMs)
    .$if(after !== undefined, (query) =>
      // The first condition is redundant. It lets the database use the index.
      query
        .where('started_at', '<=', after?.started_at ?? 0)
        .where(({ eb, or, and }) =>
          or([
            eb('started_at', '<', after?.started_at ?? 0),
            eb('call_sid', '<', after?.call_sid ?? ''),
            and([eb('call_sid', '=', after?.call_sid ?? ''), eb('account_sid', '<', after?.account_sid ?? '')]),
          ]),
        ),
    )
    .orderBy('started_at', 'desc')
    .orderBy('call_sid', 'desc')
    .orderBy('account_sid', 'desc')
    .limit(rowsPerRead)
    .execute()
}

/** Returns the sums of a conversation if it has an agent and the filters select it. */
const select = (
  contributions: readonly StoredContribution[],
  { by, value = '', problem, duration, min_ms }: ConversationFilters,
): Sums | undefined => {
  const sums: Sums = new Map()
  let hasValue = by === undefined
  for (const { dimension, value: other, ...addend } of contributions) {
    if (dimension === 'all') addToSums(sums, addend)
    if (dimension === by && other === value) hasValue = true
  }
  const has = (measure: string): boolean => (sums.get(measure)?.[0] ?? 0) > 0
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
