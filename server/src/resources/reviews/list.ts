import type { ReviewedCall, ReviewList } from '@patchbay/contract/reviews'
import { formatCursor } from '@patchbay/contract/shared/conversation-cursor'
import { type ReviewSearch, readReviewItems } from '../../call-data/reviews/review-list.ts'
import { readReviews } from '../../call-data/reviews/reviews.ts'
import type { Database } from '../../database/engine.ts'
import { readUserNames, toItemState } from './store.ts'

/** Lists calls with their reviews. */

export interface PageOfReviews {
  after?: string | undefined
  count: number
}

/** Returns a page of calls, newest first. */
export const listReviews = async (
  database: Database,
  search: ReviewSearch,
  { after, count }: PageOfReviews,
): Promise<ReviewList> => {
  const rows = await readReviewItems(database, search, { after, count: count + 1 })
  const items = rows.slice(0, count)
  const assignees = items.map(({ assignee_sid }) => assignee_sid)
  const [getReviews, names] = await Promise.all([
    readReviews(database.reader, items),
    readUserNames(database.reader, assignees),
  ])
  const calls = items.map((item): ReviewedCall => {
    const { account_sid, call_sid, started_at } = item
    const started = new Date(started_at).toISOString()
    return { account_sid, call_sid, started_at: started, ...toItemState(item, names), reviews: getReviews(item) }
  })
  const last = items.at(-1)
  return { calls, next: rows.length > count && last !== undefined ? formatCursor(last) : null }
}

/** Yields all matching calls in pages, newest first. */
export const walkReviews = async function* (
  readPage: (page: PageOfReviews) => Promise<ReviewList>,
): AsyncGenerator<ReviewList['calls']> {
  for (let after: string | undefined; ; ) {
    const { calls, next } = await readPage({ after, count: 100 })
    yield calls
    if (next === null) return
    after = next
  }
}
