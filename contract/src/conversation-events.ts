import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { signedBody } from './api/signed-body.ts'
import { sid } from './api/values.ts'

/**
 * The intake of agent events: copies of what the platform sends to the `eventHook` of an agent, in an envelope with the
 * call, the time, and a sequence number, which the events themselves do not have.
 */

export const agentEventLimits = {
  bodyBytes: 512 * 1024,
  eventsPerRequest: 500,
  /** Characters of an event as JSON. */
  eventCharacters: 65_536,
  /** Levels of objects and lists in an event. */
  eventDepth: 32,
} as const

/** An event as JSON. Its members depend on its type, and unknown types are kept. */
export type AgentEventContent = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is AgentEventContent =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns whether a value has at most `levels` levels of objects and lists. Looks no deeper than that. */
const isWithinDepth = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((inner) => isWithinDepth(inner, levels - 1))
}

const { eventCharacters, eventDepth } = agentEventLimits

const content = z
  .custom<AgentEventContent>(isObject, { error: 'must be an object', abort: true })
  .refine((event) => isWithinDepth(event, eventDepth), {
    error: `must have at most ${eventDepth} levels of objects and lists`,
    abort: true,
  })
  .refine((event) => JSON.stringify(event).length <= eventCharacters, {
    error: `must be at most ${eventCharacters} characters long as JSON`,
  })
  .meta({ type: 'object' })

const [firstTime, lastTime] = [Date.UTC(2000, 0), Date.UTC(2100, 0)]
const timeFormat = 'must be an ISO 8601 date and time with a time zone, or whole milliseconds since 1970'

const time = z
  .union([z.iso.datetime({ offset: true, error: timeFormat }), z.number().int({ error: timeFormat })], {
    error: timeFormat,
  })
  .transform((value) => (typeof value === 'number' ? value : Date.parse(value)))
  .refine((at) => at >= firstTime && at < lastTime, { error: 'must be from the year 2000 to 2099' })

const numberFormat = 'must be a whole number from 0 to 9007199254740991'

const sequenceNumber = z
  .number({ error: ({ input }) => (input === undefined ? undefined : numberFormat) })
  .refine((seq) => Number.isSafeInteger(seq) && seq >= 0, { error: numberFormat })

/** An event with its call. Further members are ignored. */
export const agentEventEnvelope = z.object({
  call_sid: sid,
  /** When the application received the event, by its own clock. */
  at: time,
  /** Rises within the call. An event with a number that the call already has is not stored again. */
  seq: sequenceNumber,
  event: content,
})
export type AgentEventEnvelope = z.output<typeof agentEventEnvelope>

export const agentEventBatch = z.array(agentEventEnvelope).max(agentEventLimits.eventsPerRequest)

const receipt = z.object({
  /** Events that are stored now. */
  stored: z.number().int(),
  /** Events with a sequence number that the call already has. */
  repeated: z.number().int(),
  /** Events over the limit of the call, or over the daily quota of the account. */
  dropped: z.number().int(),
  /** Parts of texts that no turn uses. They are not stored. */
  skipped: z.number().int(),
})
export type AgentEventReceipt = z.infer<typeof receipt>

export const conversationEventEndpoints = endpoints({
  'POST /patchbay/Accounts/:account_sid/ConversationEvents': {
    summary: 'Store events of an agent, one or a list, signed like a webhook with the webhook secret of the account',
    access: { minScope: 'public', owner: 'none' },
    signedBy: 'jambonz-signature',
    body: signedBody,
    signedContent: z.union([agentEventEnvelope, agentEventBatch]),
    bodyLimit: agentEventLimits.bodyBytes,
    responses: { 200: receipt },
  },
})

/** Descriptions of fields for the API documentation. */
export const conversationEventDescriptions: Descriptions = {
  at: 'When the application received the event, by its clock: ISO 8601 with a time zone, or milliseconds since 1970.',
  dropped: 'Number of events over the limit of the call, or over the daily quota of the account.',
  event: 'The event, as the platform has sent it. All of its members are stored.',
  'jambonz-signature': 'Time in epoch seconds and HMAC-SHA256 of the time, a dot, and the body: t=…,v1=….',
  repeated: 'Number of events with a sequence number that the call already has.',
  seq: 'Number that rises within the call. A number that the call already has is not stored again.',
  skipped: 'Number of events that are parts of a text, such as deltas of a stream, and are not stored.',
  stored: 'Number of events that are stored.',
}
