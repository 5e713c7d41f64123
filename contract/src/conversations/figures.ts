/** The figures of conversations. Without schemas, because screens use them too. */

/**
 * The steps that a caller waits for, in the order of the pipeline.
 */
export const gapPartKinds = [
  'endpointing',
  'speech_to_text',
  'model_first_token',
  'application',
  'text_to_speech_first_byte',
  'unattributed',
] as const
export type GapPartKind = (typeof gapPartKinds)[number]

export const gapPartLabels = {
  endpointing: 'Endpointing',
  speech_to_text: 'Speech to text',
  model_first_token: 'Model, first token',
  application: 'Application',
  text_to_speech_first_byte: 'Text to speech, first byte',
  unattributed: 'Unattributed',
} as const satisfies Record<GapPartKind, string>

/** Properties by which statistics are grouped. `all` has one value. `hour` is that in UTC, such as 09. */
export const dimensions = [
  'all',
  'account',
  'application',
  'carrier',
  'sbc',
  'stt_vendor',
  'tts_vendor',
  'voice',
  'language',
  'model',
  'hour',
] as const
export type Dimension = (typeof dimensions)[number]

/** Numbers that are added up. */
export const amounts = [
  'conversations',
  'agent_turns',
  'caller_turns',
  'caller_interruptions',
  'agent_interruptions',
  'silent_ms',
  'errors',
  'characters',
  'input_tokens',
  'output_tokens',
] as const
export type Amount = (typeof amounts)[number]

/** Durations whose percentiles are computed: the response gap and its parts. */
export const durations = ['gap', ...gapPartKinds] as const
export type Duration = (typeof durations)[number]

export const conversationDirections = ['inbound', 'outbound'] as const
export type ConversationDirection = (typeof conversationDirections)[number]

/** Measures that can have a limit. Each is a member of the limits (conversation-limits.ts). */
export const limitMeasures = ['gap_p95_ms', 'interrupted_percent', 'talked_over_percent', 'failed_percent'] as const
export type LimitMeasure = (typeof limitMeasures)[number]

/** The smallest and the largest value of each member of the limits. */
export const limitRanges = {
  gap_p95_ms: [100, 60_000],
  interrupted_percent: [1, 100],
  talked_over_percent: [1, 100],
  failed_percent: [1, 100],
  minutes: [5, 1440],
  min_conversations: [1, 1000],
} as const

/** Names of the measures, inside a sentence. */
export const limitMeasureNames: Readonly<Record<LimitMeasure, string>> = {
  gap_p95_ms: '95th percentile of the response gap',
  interrupted_percent: 'share of the agent’s turns that the other party interrupted',
  talked_over_percent: 'share of the other party’s turns that the agent interrupted',
  failed_percent: 'share of conversations with an error',
}

/** Callers notice a longer response gap. */
export const slowGapMs = 1500
