import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { periodQuery } from './call-quality.ts'
import { conversationFigures, groupings } from './conversation-quality.ts'
import { durations } from './conversations/figures.ts'
import { cursorPattern } from './shared/conversation-cursor.ts'

/** Computed conversations, newest first: those behind a figure of conversation quality, and those with problems. */

/** `interrupted` by either side, or `failed`: with an error. */
export const conversationProblems = ['interrupted', 'failed'] as const

/** `after` of a page: `next` of the page before. */
export const cursor = z.string().regex(cursorPattern, 'invalid "after" query arg')

export const conversationListQuery = periodQuery.safeExtend({
  by: z.enum(groupings, { error: 'invalid "by" query arg' }).optional(),
  /** Selects the conversations with this value of the property in `by`. Empty for conversations without one. */
  value: z.string().max(128).optional(),
  problem: z.enum(conversationProblems, { error: 'invalid "problem" query arg' }).optional(),
  /** Selects the conversations with a `duration` of at least this many milliseconds. */
  min_ms: z
    .string()
    .regex(/^\d{1,8}$/, 'invalid "min_ms" query arg')
    .transform(Number)
    .optional(),
  duration: z.enum(durations, { error: 'invalid "duration" query arg' }).default('gap'),
  /** `next` of the page before. */
  after: cursor.optional(),
  count: z
    .string()
    .regex(/^(?:100|[1-9]\d?)$/, 'invalid "count" query arg')
    .transform(Number)
    .default(25),
})

const conversationList = z.object({
  conversations: z.array(
    conversationFigures.extend({
      account_sid: z.string(),
      call_sid: z.string(),
      /** ISO 8601. */
      started_at: z.string(),
    }),
  ),
  /**
   * The `after` of the next page, null if there are no further conversations. A page can have fewer conversations than
   * `count`, even none, because a request searches 1,000 of them at most.
   */
  next: z.string().nullable(),
})
export type ConversationList = z.infer<typeof conversationList>

/** Conversations that a request searches. */
export const maxSearchedConversations = 1000

export const conversationListEndpoints = endpoints({
  'GET /patchbay/accounts/:account_sid/conversations': {
    summary: 'List the conversations of an account with their figures, newest first',
    access: accountAccess,
    query: conversationListQuery,
    responses: { 200: conversationList },
  },
  'GET /patchbay/service-providers/:service_provider_sid/conversations': {
    summary: 'List the conversations of a service provider with their figures, newest first',
    access: providerAccess,
    query: conversationListQuery,
    responses: { 200: conversationList },
  },
})

/** Descriptions of fields for the API documentation. */
export const conversationListDescriptions: Descriptions = {
  after: '`next` of the page before.',
  duration: 'Response gap, or its part, to which min_ms applies.',
  min_ms: 'Only conversations with a duration of at least this many milliseconds.',
  next: '`after` of the next page. Null if there are no further conversations.',
  problem: 'Only conversations with interruptions, or with errors.',
}
