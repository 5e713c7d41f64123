import { z } from 'zod'
import { accountAccess, type Bytes, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { anySid, instant, name, text } from './api/values.ts'
import { periodQuery } from './call-quality.ts'
import { cursor } from './conversation-list.ts'
import { reviewLabel } from './review-settings.ts'
import { type ReviewState, reviewLimits, reviewReasons, reviewScores, reviewStates } from './shared/review-limits.ts'

/** Reviews of calls with a conversation, and the list of calls to review. A Patchbay extension. */

const score = z.literal(reviewScores)
const scoreInput = z.literal(reviewScores, { error: 'must be a whole number from 1 to 5' })

const criterionScore = z.object({ name: z.string(), score })

export const review = z.object({
  /** SID of the user or API key, or `model` for a check by a language model. */
  reviewer_sid: z.string(),
  /** Name of the user at the time of the review, a masked API key, or the name of the language model. */
  reviewer: z.string(),
  /** True if a language model has written the review. */
  is_model: z.boolean(),
  score,
  /** Scores of the criteria that the reviewer has rated. */
  criteria: z.array(criterionScore),
  labels: z.array(z.string()),
  note: z.string(),
  created_at: instant,
  updated_at: instant,
})
export type Review = z.infer<typeof review>

const assignee = z.object({ user_sid: z.string(), name: z.string() })

const callReviews = z.object({
  /** Null if no rule selects the call and it has no review. */
  state: z.enum(reviewStates).nullable(),
  reasons: z.array(z.enum(reviewReasons)),
  assignee: assignee.nullable(),
  /** The caller's own review first, then the latest. */
  reviews: z.array(review),
  /** True if the first review is the caller's own. */
  has_own: z.boolean(),
  /** The language model that can check the call. Null if the service provider uses none. */
  model: z.string().nullable(),
})
export type CallReviews = z.infer<typeof callReviews>

const reviewInput = z.strictObject({
  score: scoreInput,
  criteria: z
    .array(z.strictObject({ name: name(reviewLimits.criterion), score: scoreInput }), {
      error: 'must be a list of criteria with scores',
    })
    .max(reviewLimits.criteria, { error: `must be at most ${reviewLimits.criteria} criteria` })
    .refine((criteria) => new Set(criteria.map((one) => one.name)).size === criteria.length, {
      error: 'must have different names',
    })
    .default([]),
  labels: z
    .array(reviewLabel, { error: 'must be a list of labels' })
    .max(reviewLimits.labels, { error: `must be at most ${reviewLimits.labels} labels` })
    .transform((labels) => [...new Set(labels)])
    .default([]),
  note: text(reviewLimits.note).default(''),
})
export type ReviewInput = z.output<typeof reviewInput>

/** `me` is the calling user, `none` selects calls without an assignee. */
const assigneeQuery = z.union([z.enum(['me', 'none']), anySid], { error: 'invalid "assignee" query arg' })

const state = z.enum(reviewStates, { error: 'invalid "state" query arg' })

const filters = periodQuery.safeExtend({
  reason: z.enum(reviewReasons, { error: 'invalid "reason" query arg' }).optional(),
  assignee: assigneeQuery.optional(),
  /** Selects calls that a reviewer has given this score or a lower one. */
  max_score: z.enum(['1', '2', '3', '4', '5'], { error: 'invalid "max_score" query arg' }).transform(Number).optional(),
})

export type ReviewFilters = z.output<typeof filters> & { state: ReviewState }

export const reviewListQuery = filters.safeExtend({
  state: state.default('to_review'),
  /** `next` of the page before. */
  after: cursor.optional(),
  count: z
    .string()
    .regex(/^(?:100|[1-9]\d?)$/, 'invalid "count" query arg')
    .transform(Number)
    .default(25),
})

const reviewList = z.object({
  calls: z.array(
    callReviews.omit({ has_own: true, model: true }).extend({
      account_sid: z.string(),
      call_sid: z.string(),
      /** Start of the call, ISO 8601. */
      started_at: z.string(),
    }),
  ),
  /** The `after` of the next page, null if there are no further calls. */
  next: z.string().nullable(),
})
export type ReviewList = z.infer<typeof reviewList>
export type ReviewedCall = ReviewList['calls'][number]

export const reviewExportQuery = filters.safeExtend({ state: state.default('reviewed') })

const file = z.custom<Bytes>()

export const reviewEndpoints = endpoints({
  'GET /patchbay/accounts/:account_sid/calls/:call_sid/reviews': {
    summary: 'Get the reviews of a call, and why it is to be reviewed',
    access: accountAccess,
    responses: { 200: callReviews },
  },
  'PUT /patchbay/accounts/:account_sid/calls/:call_sid/reviews/own': {
    summary: "Create or replace the caller's review of a call",
    access: accountAccess,
    body: reviewInput,
    responses: { 204: null },
  },
  'DELETE /patchbay/accounts/:account_sid/calls/:call_sid/reviews/own': {
    summary: "Delete the caller's review of a call",
    access: accountAccess,
    responses: { 204: null },
  },
  'PUT /patchbay/accounts/:account_sid/calls/:call_sid/assignee': {
    summary: 'Assign the review of a call to a user who may see the call; null ends the assignment',
    access: accountAccess,
    body: z.strictObject({ user_sid: anySid.nullable() }),
    responses: { 204: null },
  },
  'GET /patchbay/accounts/:account_sid/reviewers': {
    summary: 'List the users who may review calls of an account, by name; those of the account for users of an account',
    access: accountAccess,
    responses: { 200: z.array(assignee) },
  },
  'GET /patchbay/accounts/:account_sid/reviews': {
    summary: 'List the calls of an account that are to be reviewed or have been reviewed, newest first',
    access: accountAccess,
    query: reviewListQuery,
    responses: { 200: reviewList },
  },
  'GET /patchbay/service-providers/:service_provider_sid/reviews': {
    summary: 'List the calls of a service provider that are to be reviewed or have been reviewed, newest first',
    access: providerAccess,
    query: reviewListQuery,
    responses: { 200: reviewList },
  },
  'GET /patchbay/accounts/:account_sid/reviews.csv': {
    summary: 'Export the reviews of an account as CSV (RFC 4180), a row for each review, newest call first',
    access: accountAccess,
    query: reviewExportQuery,
    bytes: ['text/csv'],
    responses: { 200: file },
  },
  'GET /patchbay/service-providers/:service_provider_sid/reviews.csv': {
    summary: 'Export the reviews of a service provider as CSV (RFC 4180), a row for each review, newest call first',
    access: providerAccess,
    query: reviewExportQuery,
    bytes: ['text/csv'],
    responses: { 200: file },
  },
  'GET /patchbay/accounts/:account_sid/reviews.jsonl': {
    summary: 'Export the reviewed calls of an account as JSON Lines, with their transcripts, newest first',
    access: accountAccess,
    query: reviewExportQuery,
    bytes: ['application/jsonl'],
    responses: { 200: file },
  },
  'GET /patchbay/service-providers/:service_provider_sid/reviews.jsonl': {
    summary: 'Export the reviewed calls of a service provider as JSON Lines, with their transcripts, newest first',
    access: providerAccess,
    query: reviewExportQuery,
    bytes: ['application/jsonl'],
    responses: { 200: file },
  },
})

/** Descriptions of fields for the API documentation. */
export const reviewDescriptions: Descriptions = {
  after: '`next` of the page before.',
  assignee: 'User who is to review the call, or null. As a filter: me, none, or a user_sid.',
  calls: 'The calls with their reviews, newest first.',
  count: 'Number of calls per page.',
  criteria: 'Criteria with names. In settings with descriptions, in reviews with scores from 1 to 5.',
  has_own: 'Whether the first review is the own one of the caller.',
  is_model: 'Whether a language model has written the review.',
  labels: 'Labels. In settings, those that reviewers can choose from.',
  max_score: 'Only calls that a reviewer has given this score or a lower one.',
  model: 'Name of the language model, as its API expects it.',
  name: 'Name of the criterion or user.',
  next: '`after` of the next page. Null if there are no further calls.',
  note: 'Note of the reviewer. Masking rules apply.',
  reason: 'Only calls that were selected for this reason.',
  reasons: 'Why the call is to be reviewed: slow, interrupted, failed, random, or manual.',
  reviewer: 'Name of the user, masked API key, or name of the language model.',
  reviewer_sid: 'SID of the user or API key, or `model`.',
  reviews: 'Reviews of the call.',
  score: 'Score from 1 (bad) to 5 (good).',
  state: 'State: to_review or reviewed. Null if no rule selects the call and it has no review.',
  updated_at: 'Time of the last change (ISO 8601).',
}
