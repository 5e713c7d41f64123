import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { periodQuery } from './call-quality.ts'
import { type Amount, amounts, type Duration, dimensions, durations } from './conversations/figures.ts'

/** Statistics of conversations: response gaps and their parts, interruptions, and silence, by day and property. */

export const groupings = dimensions.filter((dimension) => dimension !== 'all')

export const conversationQualityQuery = periodQuery.safeExtend({
  by: z.enum(groupings, { error: 'invalid "by" query arg' }).default('application'),
  /** Selects the conversations with this value of the property in `by`. Empty for conversations without one. */
  value: z.string().max(128).optional(),
})

const percentiles = z.object({
  count: z.number().int(),
  p50: z.number().nullable(),
  p90: z.number().nullable(),
  p95: z.number().nullable(),
})

const fromKeys = <K extends string, V>(keys: readonly K[], toValue: (key: K) => V) =>
  Object.fromEntries(keys.map((key) => [key, toValue(key)])) as Record<K, V>

export const conversationFigures = z.object({
  ...fromKeys<Amount, z.ZodNumber>(amounts, () => z.number()),
  /** Percentiles in milliseconds, from sums in steps of 8 %. */
  durations: z.object(fromKeys<Duration, typeof percentiles>(durations, () => percentiles)),
})
export type ConversationFigures = z.infer<typeof conversationFigures>

const conversationQuality = z.object({
  total: conversationFigures,
  /** The period of the same length before. */
  previous: conversationFigures,
  /** Days with conversations in ascending order, as YYYY-MM-DD. */
  days: z.array(conversationFigures.extend({ day: z.string() })),
  /** The 100 values with the most conversations, in this order. Empty if a value is selected. */
  groups: z.array(
    conversationFigures.extend({
      value: z.string(),
      /** Name of the application or account. Null for other properties, and if it was deleted. */
      name: z.string().nullable(),
    }),
  ),
})
export type ConversationQuality = z.infer<typeof conversationQuality>

export const maxGroups = 100

export const conversationQualityEndpoints = endpoints({
  'GET /patchbay/accounts/:account_sid/conversation-quality': {
    summary: 'Get statistics of the conversations of an account by day and property',
    access: accountAccess,
    query: conversationQualityQuery,
    responses: { 200: conversationQuality },
  },
  'GET /patchbay/service-providers/:service_provider_sid/conversation-quality': {
    summary: 'Get statistics of the conversations of a service provider by day and property',
    access: providerAccess,
    query: conversationQualityQuery,
    responses: { 200: conversationQuality },
  },
})

/** Descriptions of fields for the API documentation. */
export const conversationQualityDescriptions: Descriptions = {
  agent_interruptions: 'Number of turns of the caller that the agent interrupted.',
  agent_turns: 'Number of turns of the agent.',
  application: 'Requests to the webhook.',
  by: 'Property to group by.',
  caller_interruptions: 'Number of turns of the agent that the caller interrupted.',
  caller_turns: 'Number of turns of the caller.',
  characters:
    'Number of characters that the agent has spoken, without texts of which the trace has only the beginning.',
  conversations: 'Number of conversations.',
  count: 'Number of measured durations, or of conversations per page.',
  days: 'Statistics by day (UTC).',
  durations: 'Percentiles of the response gap and of its parts.',
  endpointing: "Wait for the end of the caller's turn.",
  errors: 'Number of failed spans.',
  from: 'First day of the period.',
  gap: "Response gap: from the end of the caller's speech to the audio of the agent.",
  groups: 'Statistics by the property in "by": the 100 values with the most conversations.',
  input_tokens: 'Tokens that the language model has read, as far as events and spans report them.',
  model_first_token: 'Time to the first token of the language model.',
  name: 'Name of the application or account, or null.',
  output_tokens: 'Tokens that the language model has written, as far as events and spans report them.',
  p50: 'Median in milliseconds, or null.',
  p90: '90th percentile in milliseconds, or null.',
  p95: '95th percentile in milliseconds, or null.',
  previous: 'Statistics of the period of the same length before.',
  silent_ms: 'Milliseconds in which both sides were silent for at least four seconds.',
  speech_to_text: 'Speech recognition.',
  text_to_speech_first_byte: 'Time to the first byte of the speech synthesis.',
  total: 'Statistics of the period.',
  unattributed: 'Rest of the gap, such as the feature server and the network.',
  until: 'Last day of the period.',
  value: 'Value of the property. Empty for conversations without one.',
}
