import type { Review, ReviewInput } from '@patchbay/contract/reviews'
import type { ReviewScore } from '@patchbay/contract/shared/review-limits'
import type { Kysely, Selectable, Transaction } from 'kysely'
import { type EngineName, lockForUpdate } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { changeItem, itemState, lockOrCreateItem, type ReviewCall, type ReviewedConversation } from './review-items.ts'

/** Reviews of calls by users, by API keys, and by a language model. */

/** `reviewer_sid` of a check by a language model. */
export const modelReviewer = 'model'

/** Returns the reviewer of a check by a language model. */
export const toModelReviewer = (model: string): Reviewer => ({ reviewer_sid: modelReviewer, reviewer: model })

export interface Reviewer {
  reviewer_sid: string
  /** Name to show. */
  reviewer: string
}

/** Returns the hash of what a language model received for its review of a call, or undefined if there is none. */
export const readModelInputHash = async (
  db: Kysely<Tables>,
  { account_sid, call_sid }: ReviewCall,
): Promise<string | undefined> => {
  const row = await db
    .selectFrom('patchbay_reviews')
    .select('input_hash')
    .where('call_sid', '=', call_sid)
    .where('account_sid', '=', account_sid)
    .where('reviewer_sid', '=', modelReviewer)
    .executeTakeFirst()
  return row?.input_hash ?? undefined
}

type ReviewContent = Pick<Review, 'criteria' | 'labels' | 'note'>

const toReview = (row: Selectable<Tables['patchbay_reviews']>): Review => ({
  reviewer_sid: row.reviewer_sid,
  reviewer: row.reviewer,
  is_model: row.reviewer_sid === modelReviewer,
  score: row.score as ReviewScore,
  ...(JSON.parse(row.content) as ReviewContent),
  created_at: new Date(row.created_at).toISOString(),
  updated_at: new Date(row.updated_at).toISOString(),
})

const toKey = ({ account_sid, call_sid }: ReviewCall): string => `${account_sid} ${call_sid}`

/** Returns a function that returns the reviews of one of these calls, the latest first. */
export const readReviews = async (
  db: Kysely<Tables>,
  calls: readonly ReviewCall[],
): Promise<(call: ReviewCall) => Review[]> => {
  const sids = calls.map(({ call_sid }) => call_sid)
  const rows =
    sids.length === 0
      ? []
      : await db
          .selectFrom('patchbay_reviews')
          .selectAll()
          .where('call_sid', 'in', sids)
          .orderBy('updated_at', 'desc')
          .orderBy('reviewer_sid')
          .execute()
  const byCall = new Map<string, Review[]>()
  for (const row of rows) {
    const key = toKey(row)
    byCall.set(key, [...(byCall.get(key) ?? []), toReview(row)])
  }
  return (call) => byCall.get(toKey(call)) ?? []
}

const selectReviews = (trx: Transaction<Tables>, { account_sid, call_sid }: ReviewCall) =>
  trx.selectFrom('patchbay_reviews').where('call_sid', '=', call_sid).where('account_sid', '=', account_sid)

/** Updates the state and the lowest score of a call. The caller has locked its row. */
const updateItem = async (trx: Transaction<Tables>, call: ReviewCall): Promise<void> => {
  const reviews = await selectReviews(trx, call).select(['reviewer_sid', 'score']).execute()
  const isReviewed = reviews.some(({ reviewer_sid }) => reviewer_sid !== modelReviewer)
  await changeItem(trx, call, {
    state: isReviewed ? itemState.reviewed : itemState.toReview,
    lowest_score: reviews.length === 0 ? null : Math.min(...reviews.map(({ score }) => score)),
  })
}

/** Returns the locked review, or undefined if the reviewer has none. */
const lockReview = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  call: ReviewCall,
  reviewer_sid: string,
): Promise<Review | undefined> => {
  const row = await lockForUpdate(
    engine,
    selectReviews(trx, call).selectAll().where('reviewer_sid', '=', reviewer_sid),
  ).executeTakeFirst()
  return row === undefined ? undefined : toReview(row)
}

/** Creates or replaces the review of a reviewer. Returns the review that it replaces. */
export const storeReview = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  {
    call,
    reviewer,
    input: { score, criteria, labels, note },
    inputHash = null,
    now,
  }: {
    call: ReviewedConversation
    reviewer: Reviewer
    input: ReviewInput
    /** SHA-256 of what a language model received. */
    inputHash?: string | null
    now: number
  },
): Promise<Review | undefined> => {
  await lockOrCreateItem(trx, engine, call)
  const before = await lockReview(trx, engine, call, reviewer.reviewer_sid)
  const values = {
    reviewer: reviewer.reviewer,
    score,
    content: JSON.stringify({ criteria, labels, note } satisfies ReviewContent),
    input_hash: inputHash,
    updated_at: now,
  }
  const { account_sid, call_sid, started_at } = call
  if (before === undefined)
    await trx
      .insertInto('patchbay_reviews')
      .values({ account_sid, call_sid, started_at, reviewer_sid: reviewer.reviewer_sid, created_at: now, ...values })
      .execute()
  else
    await trx
      .updateTable('patchbay_reviews')
      .set(values)
      .where('call_sid', '=', call_sid)
      .where('account_sid', '=', account_sid)
      .where('reviewer_sid', '=', reviewer.reviewer_sid)
      .execute()
  await updateItem(trx, call)
  return before
}

/** Deletes the review of a reviewer. Returns the deleted review, or undefined if there was none. */
export const deleteReview = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  call: ReviewedConversation,
  reviewer_sid: string,
): Promise<Review | undefined> => {
  await lockOrCreateItem(trx, engine, call)
  const before = await lockReview(trx, engine, call, reviewer_sid)
  await trx
    .deleteFrom('patchbay_reviews')
    .where('call_sid', '=', call.call_sid)
    .where('account_sid', '=', call.account_sid)
    .where('reviewer_sid', '=', reviewer_sid)
    .execute()
  await updateItem(trx, call)
  return before
}
