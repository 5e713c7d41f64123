import type { ReviewFilters } from '@patchbay/contract/reviews'
import { type ConversationCursor, parseCursor } from '@patchbay/contract/shared/conversation-cursor'
import { dayMs } from '@patchbay/contract/shared/durations'
import { toDayRange } from '@patchbay/rules/calls/call-quality'
import { sql } from 'kysely'
import type { Database } from '../../database/engine.ts'
import { type CallOwner, ownerColumn } from '../calls/search-options.ts'
import { isAfterCursor } from '../conversations/conversation-list.ts'
import { itemState, reasonBit } from './review-items.ts'

/** Lists the calls to review and the reviewed ones. */

export interface ReviewSearch extends Omit<ReviewFilters, 'assignee'> {
  owner: CallOwner
  /** Null selects calls without an assignee. */
  assignee_sid?: string | null
}

/** Returns a page of rows, newest first. */
export const readReviewItems = (
  { reader }: Pick<Database, 'reader'>,
  { owner, from, until, state, reason, assignee_sid, max_score }: ReviewSearch,
  { after, count }: { after: string | ConversationCursor | undefined; count: number },
) => {
  const [column, sid] = ownerColumn(owner)
  const days = toDayRange({ from, until })
  const cursor = typeof after === 'string' ? parseCursor(after) : after
  let rows = reader
    .selectFrom('patchbay_review_items')
    .select(['account_sid', 'call_sid', 'service_provider_sid', 'started_at', 'state', 'reasons', 'assignee_sid'])
    .where(column, '=', sid)
    .where('state', '=', itemState[state === 'reviewed' ? 'reviewed' : 'toReview'])
    .where('started_at', '>=', days.from * dayMs)
    .where('started_at', '<', (days.until + 1) * dayMs)
    .orderBy('started_at', 'desc')
    .orderBy('call_sid', 'desc')
    .orderBy('account_sid', 'desc')
    .limit(count)
  if (reason !== undefined) rows = rows.where(sql<boolean>`reasons & ${sql.lit(reasonBit(reason))} <> 0`)
  if (assignee_sid === null) rows = rows.where('assignee_sid', 'is', null)
  if (typeof assignee_sid === 'string') rows = rows.where('assignee_sid', '=', assignee_sid)
  if (max_score !== undefined) rows = rows.where('lowest_score', '<=', max_score)
  return (cursor === undefined ? rows : rows.where(isAfterCursor(cursor))).execute()
}
