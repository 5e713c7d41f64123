import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { limitMeasures, limitRanges } from './conversations/figures.ts'

/** Limits of conversations: alerts are raised when the conversations of the last minutes exceed one. */

const wholeNumber = ([min, max]: readonly [number, number]) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}

const members = {
  /** Limit of the 95th percentile of the response gap in milliseconds. Null without a limit, as for all limits. */
  gap_p95_ms: wholeNumber(limitRanges.gap_p95_ms).nullable(),
  /** Limit of the share of the agent's turns that the other party interrupts. */
  interrupted_percent: wholeNumber(limitRanges.interrupted_percent).nullable(),
  /** Limit of the share of the other party's turns that the agent interrupts. */
  talked_over_percent: wholeNumber(limitRanges.talked_over_percent).nullable(),
  /** Limit of the share of conversations with an error. */
  failed_percent: wholeNumber(limitRanges.failed_percent).nullable(),
  /** The conversations that have ended in these last minutes are compared with the limits. */
  minutes: wholeNumber(limitRanges.minutes),
  /** Fewer conversations are not compared. */
  min_conversations: wholeNumber(limitRanges.min_conversations),
}

const conversationLimits = z.object({
  ...members,
  /** The limits that are exceeded. */
  exceeded: z.array(
    z.object({
      measure: z.enum(limitMeasures),
      /** ISO 8601. */
      since: z.string(),
    }),
  ),
})
export type ConversationLimits = z.infer<typeof conversationLimits>

const conversationLimitChange = z.strictObject(members).partial()
export type ConversationLimitChange = z.output<typeof conversationLimitChange>

/** Alerts note in `states` when a limit was exceeded. */
const stored = { table: 'patchbay_conversation_limits', key: 'owner_sid', live: ['states'] } as const

export const conversationLimitEndpoints = endpoints({
  'GET /patchbay/accounts/:account_sid/conversation-limits': {
    summary: 'Get the limits of the conversations of an account',
    access: accountAccess,
    responses: { 200: conversationLimits },
  },
  'PUT /patchbay/accounts/:account_sid/conversation-limits': {
    summary: 'Update the limits of the conversations of an account; exceeding one raises an alert',
    access: accountAccess,
    updates: { record: 'GET /patchbay/accounts/:account_sid/conversation-limits', ignored: ['exceeded'], stored },
    body: conversationLimitChange,
    responses: { 204: null },
  },
  'GET /patchbay/service-providers/:service_provider_sid/conversation-limits': {
    summary: 'Get the limits of the conversations of a service provider',
    access: providerAccess,
    responses: { 200: conversationLimits },
  },
  'PUT /patchbay/service-providers/:service_provider_sid/conversation-limits': {
    summary: 'Update the limits of the conversations of a service provider; exceeding one raises an alert',
    access: providerAccess,
    updates: {
      record: 'GET /patchbay/service-providers/:service_provider_sid/conversation-limits',
      ignored: ['exceeded'],
      stored,
    },
    body: conversationLimitChange,
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const conversationLimitDescriptions: Descriptions = {
  exceeded: 'Limits that are exceeded.',
  failed_percent: 'Limit of the share of conversations with an error, or null.',
  gap_p95_ms: 'Limit of the 95th percentile of the response gap in milliseconds, or null.',
  interrupted_percent: 'Limit of the share of turns of the agent that the other party interrupts, or null.',
  measure: 'Limit that is exceeded.',
  min_conversations: 'Fewer conversations are not compared with the limits.',
  minutes: 'Conversations that have ended in these last minutes are compared with the limits.',
  since: 'Time since which the limit is exceeded (ISO 8601).',
  talked_over_percent: 'Limit of the share of turns of the other party that the agent interrupts, or null.',
}
