import { defaultReviewSettings, type ReviewSettings } from '@patchbay/contract/review-settings'
import { type ReviewReason, reviewReasons } from '@patchbay/contract/shared/review-limits'
import type { Sums } from '@patchbay/rules/conversations/sums'
import type { Selectable, Transaction } from 'kysely'
import {
  type Database,
  type EngineName,
  insertIgnoringDuplicates,
  inTransaction,
  lockForUpdate,
} from '../../database/engine.ts'
import { createQueueLeases } from '../../database/leases.ts'
import type { Tables } from '../../database/tables.ts'
import { findReviewReasons, type ReviewRules } from './review-rules.ts'

/** The list of calls to review: a row for each call that a rule selects, or that a user has reviewed or assigned. */

/** Values of `state`. */
export const itemState = { toReview: 0, reviewed: 1 } as const

/** Returns the bit of a reason. The order of reasons must not change, because rows contain the bits. */
export const reasonBit = (reason: ReviewReason): number => 1 << reviewReasons.indexOf(reason)

const manualBit = reasonBit('manual')

const toBits = (reasons: readonly ReviewReason[]): number => reasons.reduce((bits, one) => bits | reasonBit(one), 0)

/** Returns the reasons in a bit set. */
export const toReasons = (bits: number): ReviewReason[] =>
  reviewReasons.filter((reason) => (bits & reasonBit(reason)) !== 0)

/** Returns the settings of a provider, or the default. */
export const readReviewSettings = async (db: Database['db'], service_provider_sid: string): Promise<ReviewSettings> => {
  const row = await db
    .selectFrom('patchbay_review_settings')
    .select(['criteria', 'labels', 'slow_ms', 'interrupted', 'failed', 'random_percent'])
    .where('service_provider_sid', '=', service_provider_sid)
    .executeTakeFirst()
  if (row === undefined) return defaultReviewSettings
  return {
    ...row,
    criteria: JSON.parse(row.criteria) as ReviewSettings['criteria'],
    labels: JSON.parse(row.labels) as string[],
  }
}

const toRules = ({ slow_ms, interrupted, failed, random_percent }: ReviewSettings): ReviewRules => ({
  slow_ms,
  interrupted: interrupted === 1,
  failed: failed === 1,
  random_percent,
})

export interface ReviewCall {
  account_sid: string
  call_sid: string
}

export interface ReviewedConversation extends ReviewCall {
  service_provider_sid: string | null
  /** Milliseconds since the Unix epoch. */
  started_at: number
}

const selectItem = (trx: Transaction<Tables>, { account_sid, call_sid }: ReviewCall) =>
  trx.selectFrom('patchbay_review_items').where('account_sid', '=', account_sid).where('call_sid', '=', call_sid)

/** Returns the locked row of a call, or undefined if there is none. */
const lockItem = (trx: Transaction<Tables>, engine: EngineName, call: ReviewCall) =>
  lockForUpdate(
    engine,
    selectItem(trx, call).select(['reasons', 'state', 'lowest_score', 'assignee_sid']),
  ).executeTakeFirst()

/** Changes the row of a call. */
export const changeItem = async (
  trx: Transaction<Tables>,
  { account_sid, call_sid }: ReviewCall,
  values: {
    reasons?: number
    state?: number
    lowest_score?: number | null
    assignee_sid?: string | null
  },
): Promise<void> => {
  await trx
    .updateTable('patchbay_review_items')
    .set(values)
    .where('account_sid', '=', account_sid)
    .where('call_sid', '=', call_sid)
    .execute()
}

/** Returns the locked row of a call. Inserts it if no rule has selected the call. */
export const lockOrCreateItem = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  { account_sid, call_sid, service_provider_sid, started_at }: ReviewedConversation,
) => {
  const row = {
    account_sid,
    call_sid,
    service_provider_sid,
    started_at,
    reasons: manualBit,
    state: itemState.toReview,
    lowest_score: null,
    assignee_sid: null,
    check_at: null,
  }
  await insertIgnoringDuplicates(trx, engine, 'patchbay_review_items', [row])
  return (await lockItem(trx, engine, row)) ?? row
}

/**
 * Adds a computed conversation to the list if a rule of its provider selects it. A conversation that is computed again
 * leaves the list if no rule selects it any more and it has neither a review nor an assignee.
 *
 * @param sums those of the conversation in the dimension `all`
 */
export const selectForReview = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  conversation: ReviewedConversation,
  sums: Sums,
  now: number,
): Promise<void> => {
  const { account_sid, call_sid, service_provider_sid, started_at } = conversation
  if (service_provider_sid === null) return
  const rules = toRules(await readReviewSettings(trx, service_provider_sid))
  const selected = toBits(findReviewReasons(call_sid, sums, rules))
  const existing = await lockItem(trx, engine, conversation)
  if (existing !== undefined) {
    // `manual` is the reason of calls that no rule selects.
    const reasons = selected === 0 ? existing.reasons & manualBit : selected
    const isNeeded = reasons !== 0 || existing.lowest_score !== null || existing.assignee_sid !== null
    if (!isNeeded)
      await trx
        .deleteFrom('patchbay_review_items')
        .where('account_sid', '=', account_sid)
        .where('call_sid', '=', call_sid)
        .execute()
    else if (reasons !== existing.reasons) await changeItem(trx, conversation, { reasons })
    return
  }
  if (selected === 0) return
  const model = await trx
    .selectFrom('patchbay_review_models')
    .select('service_provider_sid')
    .where('service_provider_sid', '=', service_provider_sid)
    .where('is_enabled', '=', 1)
    .where('is_automatic', '=', 1)
    .executeTakeFirst()
  const row = { account_sid, call_sid, service_provider_sid, started_at, reasons: selected, state: itemState.toReview }
  const check_at = model === undefined ? null : now
  await insertIgnoringDuplicates(trx, engine, 'patchbay_review_items', [
    { ...row, lowest_score: null, assignee_sid: null, check_at },
  ])
}

/** A check that does not end within this time was interrupted, and is repeated. */
const checkMs = 10 * 60_000

const checkLeases = createQueueLeases({
  table: 'patchbay_review_items',
  key: ['account_sid', 'call_sid'],
  dueAt: 'check_at',
  durationMs: checkMs,
  longestMs: checkMs,
})

export type ClaimedCheck = Selectable<Tables['patchbay_review_items']>

/** Claims calls that wait for a check by a language model. Other processes do not claim them. */
export const claimModelChecks = (database: Database, now: number, limit: number): Promise<ClaimedCheck[]> =>
  checkLeases.claimDue(database, now, limit)

/** Ends the check of a call, unless another process has claimed it since. */
export const endModelCheck = (database: Database, claimed: ClaimedCheck): Promise<boolean> =>
  inTransaction(database, (trx) => checkLeases.change(trx, claimed, { check_at: null }))
