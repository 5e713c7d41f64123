import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { sid } from './api/values.ts'
import { conversationDirections } from './conversations/figures.ts'
import {
  maxFoundCalls,
  maxQueryLength,
  parseTranscriptQuery,
  transcriptQueryErrors,
} from './conversations/transcript-query.ts'
import { pageQuery } from './lists/page-query.ts'

/** Search in what was said in calls, and the setting of an account that allows it. */

/** Turns with a match that are returned for each call, from the start of the call. */
export const maxFoundTurns = 5

/** Enclose a phrase in quotation marks. Words and phrases with a minus sign exclude calls. */
const query = z
  .string()
  .max(maxQueryLength, { error: `"q" has ${maxQueryLength} characters at most` })
  .transform((text, context) => {
    const parsed = parseTranscriptQuery(text)
    if (typeof parsed === 'object') return parsed
    context.addIssue({ code: 'custom', message: transcriptQueryErrors[parsed] })
    return z.NEVER
  })

export const conversationSearchQuery = z
  .object({
    q: query,
    ...pageQuery,
    /** Searches only in what this side said. */
    speaker: z.enum(['caller', 'agent'], { error: 'invalid "speaker" query arg' }).optional(),
    application_sid: sid.optional(),
  })
  .refine(({ page, count }) => Number(page) * Number(count) <= maxFoundCalls, {
    path: ['page'],
    error: `a search returns the newest ${maxFoundCalls} calls at most; choose a shorter period`,
  })

const foundTurn = z.object({
  speaker: z.enum(['caller', 'agent']),
  /** Set if the turn is on the side of the agent, and not of the agent. */
  is_other_side: z.literal(true).optional(),
  /** Milliseconds since the start of the conversation. */
  start_ms: z.number().int(),
  /** The turn, or the part of a long turn around its first match. */
  text: z.string(),
  /** Start and end of each match in `text`, in UTF-16 code units. The end is exclusive. */
  matches: z.array(z.tuple([z.number().int(), z.number().int()])),
})
export type FoundTurn = z.infer<typeof foundTurn>

const foundCall = z.object({
  account_sid: z.string(),
  call_sid: z.string(),
  application_sid: z.string().nullable(),
  attempted_at: z.string(),
  direction: z.string().nullable(),
  /** Direction of the conversation. That of a leg is the direction of the call that dials it. Absent if it is unknown. */
  conversation_direction: z.enum(conversationDirections).optional(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** Seconds. */
  duration: z.number(),
  /** The first turns with a match. */
  turns: z.array(foundTurn).max(maxFoundTurns),
  /** Number of turns with a match. */
  turn_count: z.number().int(),
})
export type FoundCall = z.infer<typeof foundCall>

const foundPage = z.object({
  page: z.string(),
  page_size: z.string(),
  /** Whether the next page has calls. */
  has_more: z.boolean(),
  data: z.array(foundCall),
})
export type FoundPage = z.infer<typeof foundPage>

/**
 * `off`: the search is not possible, and no text is stored for it. `editors`: users who can make changes, and API keys,
 * can search. `everyone`: view-only users can search, too.
 */
export const transcriptAccesses = ['off', 'editors', 'everyone'] as const
export type TranscriptAccess = (typeof transcriptAccesses)[number]
export const defaultTranscriptAccess: TranscriptAccess = 'editors'

const transcriptSettings = z.object({ access: z.enum(transcriptAccesses) })

const transcriptSettingsChange = z.strictObject({
  access: z.enum(transcriptAccesses, { error: `must be one of ${transcriptAccesses.join(', ')}` }),
})

export const conversationSearchEndpoints = endpoints({
  'GET /patchbay/Accounts/:account_sid/ConversationSearch': {
    summary: 'Search in the transcripts of an account; calls newest first',
    access: accountAccess,
    query: conversationSearchQuery,
    responses: { 200: foundPage },
  },
  'GET /patchbay/ServiceProviders/:service_provider_sid/ConversationSearch': {
    summary: 'Search in the transcripts of all accounts of a service provider; calls newest first',
    access: providerAccess,
    query: conversationSearchQuery,
    responses: { 200: foundPage },
  },
  'GET /patchbay/Accounts/:account_sid/TranscriptSettings': {
    summary: 'Get who can search in the transcripts of an account',
    access: accountAccess,
    responses: { 200: transcriptSettings },
  },
  'PUT /patchbay/Accounts/:account_sid/TranscriptSettings': {
    summary: 'Set who can search in the transcripts of an account; off deletes the searchable text',
    access: accountAccess,
    body: transcriptSettingsChange,
    updates: {
      record: 'GET /patchbay/Accounts/:account_sid/TranscriptSettings',
      stored: { table: 'patchbay_transcript_settings', key: 'account_sid' },
    },
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const conversationSearchDescriptions: Descriptions = {
  access: 'Search in transcripts: off, editors (users who can make changes), or everyone (also view-only users).',
  conversation_direction: 'Direction of the conversation: the side `caller` is the called party of an outbound call.',
  has_more: 'Whether the next page has calls.',
  is_other_side: 'Set if the turn is on the side of the agent, and of another party, such as after a transfer.',
  matches: 'Start and end of each match in the text, in UTF-16 code units. The end is exclusive.',
  q: 'Words that were all said, "phrases" in quotation marks, and -words that were not said. At most 200 characters.',
  text: 'Text of the turn, or its part around the first match.',
  turn_count: 'Number of turns with a match.',
  turns: 'The first five turns with a match.',
}
