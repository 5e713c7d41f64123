import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints } from './api/endpoint.ts'
import { conversationDirections, gapPartKinds } from './conversations/figures.ts'

/**
 * A call as a conversation: turns of the caller and the agent, the gaps between them, and what happened meanwhile.
 * Times are whole milliseconds since `started_at`.
 */

/**
 * The origin of a value: `measured` by a component that reported it, `derived` from other values, or `unknown` because no
 * source contains it.
 */
const evidence = z.enum(['measured', 'derived', 'unknown'])

const gapPart = z.object({
  kind: z.enum(gapPartKinds),
  /** Null if it is unknown. Zero if the audio came from the cache. */
  duration_ms: z.number().int().nullable(),
  evidence,
  /** Service that reported the value: `service.name` of its span, or `agent events`. Null if it is unknown. */
  source: z.string().nullable(),
  /** ID of the span that contains the value, 16 hex digits. */
  span_id: z.string().nullable(),
})
export type GapPart = z.infer<typeof gapPart>

const responseGap = z.object({
  start_ms: z.number().int(),
  duration_ms: z.number().int(),
  /** `end_of_speech`, or `transcript` if the end is unknown: then the caller has waited longer than the gap. */
  starts_at: z.enum(['end_of_speech', 'transcript']),
  /** The known durations add up to the duration of the gap. */
  parts: z.array(gapPart),
})
export type ResponseGap = z.infer<typeof responseGap>

const interruption = z.object({
  by: z.enum(['caller', 'agent']),
  at_ms: z.number().int(),
  /** Number of characters of the text until the end of the word that was spoken last. Null if the text lacks that word. */
  position: z.number().int().nullable(),
  /** `measured` if the agent has reported the text that was spoken, `derived` from the speed of the speech. */
  position_evidence: evidence,
})

const turn = z.object({
  speaker: z.enum(['caller', 'agent']),
  /** Set if a turn on the side of the agent is not of the agent: the platform connects the caller, or keeps them in a queue. */
  is_other_side: z.literal(true).optional(),
  start_ms: z.number().int(),
  /** `unknown` if it is the time at which the recognition began to listen. */
  start_evidence: evidence,
  end_ms: z.number().int(),
  end_evidence: evidence,
  /** Empty if the speech was not recognized, or if no span contains its text. */
  text: z.string(),
  /** Confidence of the speech recognition, from 0 to 1. */
  confidence: z.number().nullable(),
  /** Voice of the speech synthesis. */
  voice: z.string().nullable(),
  /** Vendor of the speech recognition or synthesis. */
  vendor: z.string().nullable(),
  /** Language of the recognized speech or of the voice, such as en-US. */
  language: z.string().nullable(),
  /** Set if the other side began to speak before the end of the turn, and the turn ended because of it. */
  interruption: interruption.nullable(),
  /** The wait of the caller before a turn of the agent. Null if nothing was said before, or if both spoke. */
  gap: responseGap.nullable(),
  /** Tokens of the model for a turn of the agent. Null if no event and no span reports them. */
  tokens: z.object({ input: z.number().int().nullable(), output: z.number().int().nullable() }).nullable(),
  /** The language model that wrote a turn of the agent. Null if no event and no span names it. */
  model: z.string().nullable(),
  /** Null if only the recording or agent events contain the turn. */
  span_id: z.string().nullable(),
})
export type Turn = z.infer<typeof turn>

/** A `backchannel` is a short sound of agreement while the other side speaks on, such as "uh-huh". */
export const conversationEventKinds = [
  'dtmf',
  'no_input',
  'silence',
  'hold',
  'transfer',
  'tool_call',
  'error',
  'backchannel',
] as const

const conversationEvent = z.object({
  kind: z.enum(conversationEventKinds),
  at_ms: z.number().int(),
  duration_ms: z.number().int(),
  /**
   * The digit, the destination or status of a transfer, the name of a tool, an error message, or the speaker of a
   * backchannel. Can be empty.
   */
  detail: z.string(),
  /** Arguments of a tool call as JSON text, at most 2,000 characters. Null if they are unknown. */
  arguments: z.string().nullable(),
  /** Only of a tool call that failed: its error message, which can be empty. */
  error: z.string().optional(),
  /** Null for silence and backchannels, and if only agent events report it. */
  span_id: z.string().nullable(),
})
export type ConversationEvent = z.infer<typeof conversationEvent>

const recording = z.object({
  /**
   * `analyzed` if the voices in the recording were measured. `analyzing` if a later request will return them.
   * `unavailable` if the recording was deleted or its storage does not respond. `unreadable` if it is not audio with one
   * channel for each side.
   */
  status: z.enum(['analyzed', 'analyzing', 'unavailable', 'unreadable']),
  /** When the recording starts. Null if the trace does not contain it: then the recording says nothing about its turns. */
  start_ms: z.number().int().nullable(),
  /** Silence before the first sample that the encoder added to the file. Zero if the recording is not analyzed. */
  encoder_delay_ms: z.number().int(),
})

export const mutedReasons = ['masked_text', 'pressed_digits', 'no_text'] as const

const mutedRange = z.object({
  speaker: z.enum(['caller', 'agent']),
  start_ms: z.number().int(),
  end_ms: z.number().int(),
  /** `no_text` is speech that was not recognized, so it is unknown whether it must be masked. */
  reason: z.enum(mutedReasons),
})
export type MutedRange = z.infer<typeof mutedRange>

const busyRange = z.object({
  /**
   * State of the platform: it connects the caller with another party, plays audio, waits as the application says, or gives
   * the audio to another program that reports no turns (`unreported`, only without an analyzed recording).
   */
  reason: z.enum(['transfer', 'queue', 'conference', 'playback', 'pause', 'unreported']),
  start_ms: z.number().int(),
  end_ms: z.number().int(),
})
export type BusyRange = z.infer<typeof busyRange>

const otherStep = z.object({
  at_ms: z.number().int(),
  duration_ms: z.number().int(),
  /** Summary of a verb, or the name of the span, at most 200 characters. */
  name: z.string(),
  /** `service.name` of the span. Null if it is unknown. */
  service: z.string().nullable(),
  span_id: z.string(),
})
export type OtherStep = z.infer<typeof otherStep>

export const conversation = z.object({
  started_at: z.string(),
  duration_ms: z.number().int(),
  /**
   * Direction of the call that the conversation is of: the side `caller` is the called party of an outbound call. A leg that
   * the platform dials has the conversation of the call that dials it. Absent if it is unknown.
   */
  direction: z.enum(conversationDirections).optional(),
  /** The services whose spans the trace contains, the platform first, and `agent events`. */
  sources: z.array(
    z.object({
      service: z.string(),
      /** Milliseconds by which the clock was ahead of the platform's, which is corrected. Null if it is unknown. */
      clock_difference_ms: z.number().int().nullable(),
    }),
  ),
  /** Null if the call was not recorded, or if its recording is on another server. */
  recording: recording.nullable(),
  turns: z.array(turn),
  events: z.array(conversationEvent),
  /** Spans that belong to no turn, no event, and no response gap, without those below them. */
  other_steps: z.array(otherStep),
  /**
   * Ranges in which silence and waiting say nothing about the agent, and in the first three, also interruptions and missing
   * input. They can overlap.
   */
  busy_ranges: z.array(busyRange),
  /**
   * The ranges in which a muted recording is silent. They can overlap. Null if they are unknown: without a recording that is analyzed,
   * without the time at which it starts, without any text, or if the conversation is cut.
   */
  muted_ranges: z.array(mutedRange).nullable(),
  /** True if the trace or the conversation has more than is returned. */
  is_cut: z.boolean(),
})
export type Conversation = z.infer<typeof conversation>

export const conversationEndpoints = endpoints({
  'GET /patchbay/accounts/:account_sid/calls/:call_sid/conversation': {
    summary: 'Get a call as a conversation; 404 if the call has no data to derive it from',
    access: accountAccess,
    responses: { 200: conversation },
  },
})

/** Descriptions of fields for the API documentation. */
export const conversationDescriptions: Descriptions = {
  arguments: 'Arguments of the call of a tool as JSON text, at most 2,000 characters, or null.',
  at_ms: 'Milliseconds from the start of the call to the event.',
  busy_ranges:
    'When the platform connects the caller with another party, plays audio, pauses, or gives the audio to a program that reports no turns, so that silence says nothing about the agent.',
  by: 'Side that interrupted: caller or agent.',
  clock_difference_ms: 'Milliseconds by which the clock was ahead of the platform, corrected here. Null if unknown.',
  confidence: 'Confidence of the speech recognition, from 0 to 1, or null.',
  direction: 'Direction of the call: the side `caller` is the called party of an outbound call. Absent if unknown.',
  detail:
    'Digit, queue, destination or status of a transfer, name of a tool, message of an error, or speaker of a backchannel.',
  duration_ms: 'Duration in milliseconds. For a part of a gap, null if it is unknown.',
  encoder_delay_ms: 'Milliseconds of silence that the encoder added before the first sample of the file.',
  end_evidence: 'How the end was found: measured, derived, or unknown.',
  end_ms: 'Milliseconds from the start of the call to the end of the turn or range.',
  events:
    'Digits, prompts without a response, waits on hold, transfers, calls of tools, and errors in chronological order.',
  evidence: 'How the duration was found: measured, derived, or unknown.',
  gap: 'Wait of the caller before this turn of the agent, or null.',
  input: 'Number of input tokens, or null.',
  interruption: 'Interruption that ended the turn, or null.',
  is_other_side:
    'True if the platform connects the caller or keeps them in a queue, so that not the agent is heard. Otherwise absent.',
  kind: 'Kind of the event, or of the part of the gap.',
  language: 'Language of the recognized speech or of the voice, or null.',
  model: 'Language model that wrote a turn of the agent, or null.',
  muted_ranges:
    'Where a muted recording is silent, by side. Ranges can overlap. Null if Patchbay does not know what to mute.',
  other_steps: 'Spans that belong to no turn, no event, and no response gap, without those below them.',
  output: 'Number of output tokens, or null.',
  parts: 'Parts of the gap. The known durations add up to the gap.',
  position: 'Number of characters of the text until the end of the word that was spoken last, or null.',
  position_evidence: 'Whether the position was measured, derived, or is unknown.',
  reason: 'masked_text, pressed_digits, or no_text: speech that was not recognized.',
  recording: 'Voices in the recording: whether they were measured, and when the recording starts.',
  service: 'Name of the service that wrote the spans.',
  source: 'Service that reported the value, `agent events`, or null.',
  sources: 'Services that wrote the spans, the platform first, and agent events.',
  span_id: 'ID of the span with the data, 16 hex digits, or null.',
  speaker: 'Side that speaks: caller or agent.',
  start_evidence: 'How the start was found: measured, derived, or unknown.',
  start_ms: 'Milliseconds from the start of the call to the start of the turn, gap, or range.',
  starts_at: 'Start of the gap: end_of_speech, or transcript if the end of speech is unknown.',
  text: 'Text that was recognized or spoken.',
  tokens: 'Tokens of the model for a turn of the agent, or null.',
  turns: 'Turns of the caller and the agent, in the order of the conversation.',
  vendor: 'Vendor of the speech recognition or synthesis, or null.',
  voice: 'Voice of the speech synthesis, or null.',
}
