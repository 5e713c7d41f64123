import { throwApiError } from '@patchbay/contract/api/errors'
import type { CallReviews, Review, ReviewInput } from '@patchbay/contract/reviews'
import type { Kysely, Selectable } from 'kysely'
import type { ModelReview } from '../../call-data/reviews/model-check.ts'
import {
  changeItem,
  itemState,
  lockOrCreateItem,
  type ReviewedConversation,
  toReasons,
} from '../../call-data/reviews/review-items.ts'
import { deleteReview, readReviews, storeReview, toModelReviewer } from '../../call-data/reviews/reviews.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Caller } from '../../lib/caller.ts'
import { checkReviewer } from './reviewers.ts'

/** Reads and changes the reviews of a call. */

type Item = Pick<Selectable<Tables['patchbay_review_items']>, 'state' | 'reasons' | 'assignee_sid'>

/** The SID under which a caller's reviews are stored. Components of the platform have none. */
const toReviewerSid = ({ sid }: Pick<Caller, 'sid'>): string => sid ?? throwApiError('forbidden')

/** Returns the names of users, for those that exist. */
export const readUserNames = async (
  db: Kysely<Tables>,
  sids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> => {
  const userSids = [...new Set(sids)].filter((sid) => sid !== null)
  if (userSids.length === 0) return new Map()
  const users = await db.selectFrom('users').select(['user_sid', 'name']).where('user_sid', 'in', userSids).execute()
  return new Map(users.map(({ user_sid, name }) => [user_sid, name]))
}

/** Returns the state of a row for a response. A deleted assignee is the same as none. */
export const toItemState = (item: Item, names: ReadonlyMap<string, string>) => {
  const name = item.assignee_sid === null ? undefined : names.get(item.assignee_sid)
  return {
    state: item.state === itemState.reviewed ? ('reviewed' as const) : ('to_review' as const),
    reasons: toReasons(item.reasons),
    assignee: item.assignee_sid === null || name === undefined ? null : { user_sid: item.assignee_sid, name },
  }
}

/** Returns the name of the language model of a provider, or null if it uses none. */
const readModelName = async (db: Kysely<Tables>, service_provider_sid: string | null): Promise<string | null> => {
  if (service_provider_sid === null) return null
  const row = await db
    .selectFrom('patchbay_review_models')
    .select('model')
    .where('service_provider_sid', '=', service_provider_sid)
    .where('is_enabled', '=', 1)
    .executeTakeFirst()
  return row?.model ?? null
}

/** Returns the reviews of a call, the caller's own first. */
export const readCallReviews = async (
  db: Kysely<Tables>,
  { sid }: Pick<Caller, 'sid'>,
  call: ReviewedConversation,
): Promise<CallReviews> => {
  const item = await db
    .selectFrom('patchbay_review_items')
    .select(['state', 'reasons', 'assignee_sid'])
    .where('account_sid', '=', call.account_sid)
    .where('call_sid', '=', call.call_sid)
    .executeTakeFirst()
  const model = await readModelName(db, call.service_provider_sid)
  if (item === undefined) return { state: null, reasons: [], assignee: null, reviews: [], has_own: false, model }
  const [names, getReviews] = await Promise.all([readUserNames(db, [item.assignee_sid]), readReviews(db, [call])])
  const isOwn = ({ reviewer_sid }: Review) => reviewer_sid === sid
  const reviews = getReviews(call).toSorted((one, other) => Number(isOwn(other)) - Number(isOwn(one)))
  return { ...toItemState(item, names), reviews, has_own: reviews.some(isOwn), model }
}

/** Notes can repeat what was said in the call, and audit entries are stored for longer than calls. */
const toAudited = (review: Pick<Review, 'score' | 'criteria' | 'labels'> | undefined) =>
  review === undefined ? null : { score: review.score, criteria: review.criteria, labels: review.labels }

const recordReview = (
  write: WriteTransaction,
  call: ReviewedConversation,
  [before, after]: readonly [Review | undefined, ReviewInput | undefined],
): void => {
  if (before === undefined && after === undefined) return
  const { account_sid, service_provider_sid, call_sid } = call
  write.record({
    action: before === undefined ? 'create' : after === undefined ? 'delete' : 'update',
    kind: 'call_review',
    sid: call_sid,
    owner: { account_sid, service_provider_sid },
    before: toAudited(before),
    after: toAudited(after),
  })
}

/** Creates or replaces the caller's review. */
export const saveOwnReview = async (
  write: WriteTransaction<Caller>,
  call: ReviewedConversation,
  input: ReviewInput,
  now: number,
): Promise<void> => {
  const { trx, engine, author } = write
  const reviewer = { reviewer_sid: toReviewerSid(author), reviewer: author.name ?? '' }
  const before = await storeReview(trx, engine, { call, reviewer, input, now })
  recordReview(write, call, [before, input])
}

/** Stores the review of a language model. */
export const saveModelReview = async (
  write: WriteTransaction,
  call: ReviewedConversation,
  { model, input, inputHash }: ModelReview,
  now: number,
): Promise<void> => {
  const reviewer = toModelReviewer(model)
  const before = await storeReview(write.trx, write.engine, { call, reviewer, input, inputHash, now })
  recordReview(write, call, [before, input])
}

/** Deletes the caller's review, if there is one. */
export const deleteOwnReview = async (write: WriteTransaction<Caller>, call: ReviewedConversation): Promise<void> => {
  const before = await deleteReview(write.trx, write.engine, call, toReviewerSid(write.author))
  recordReview(write, call, [before, undefined])
}

/** Assigns a call to a user, or ends the assignment. */
export const assignCall = async (
  write: WriteTransaction<Caller>,
  call: ReviewedConversation,
  user_sid: string | null,
): Promise<void> => {
  const { trx, engine, author } = write
  if (user_sid !== null) await checkReviewer(trx, author, call, user_sid)
  const item = await lockOrCreateItem(trx, engine, call)
  if (item.assignee_sid === user_sid) return
  await changeItem(trx, call, { assignee_sid: user_sid })
  const { account_sid, service_provider_sid, call_sid } = call
  write.record({
    action: 'update',
    kind: 'call_review',
    sid: call_sid,
    owner: { account_sid, service_provider_sid },
    before: { assignee_sid: item.assignee_sid },
    after: { assignee_sid: user_sid },
  })
}
