import { asRecord } from '../shared/traces.ts'
import type { AgentEvent } from './agent-events.ts'

/**
 * Maps events of agents to signals. The tables are the mapping: another vendor is another row. Events without a row are
 * stored, but are not part of the conversation.
 */

export type AgentSignalKind =
  | 'caller_started'
  | 'caller_stopped'
  | 'caller_text'
  | 'response_started'
  | 'agent_started'
  | 'agent_text'
  | 'agent_correction'
  | 'interruption'
  | 'turn_end'
  | 'response_done'
  | 'tool_call'

/** Names of members. A dot separates the levels. */
type Path = string

interface EventRule {
  /** Value of the member `type`, or undefined for events that have none. */
  type: string | undefined
  signal: AgentSignalKind
  /** The first path that has a text. */
  text?: readonly Path[]
  /** ID of the utterance, which later events about it have too. */
  item?: Path
  tool?: { id: Path; name: Path; arguments: Path }
}

const rules: readonly EventRule[] = [
  // The `agent` verb of jambonz. ElevenLabs has an event of the same name.
  { type: 'user_transcript', signal: 'caller_text', text: ['transcript', 'user_transcription_event.user_transcript'] },
  { type: 'llm_response', signal: 'agent_text', text: ['response'] },
  { type: 'user_interruption', signal: 'interruption' },
  { type: 'turn_end', signal: 'turn_end' },
  {
    // The body of a request to a `toolHook`.
    type: undefined,
    signal: 'tool_call',
    tool: { id: 'tool_call_id', name: 'name', arguments: 'arguments' },
  },
  // OpenAI realtime.
  { type: 'input_audio_buffer.speech_started', signal: 'caller_started', item: 'item_id' },
  { type: 'input_audio_buffer.speech_stopped', signal: 'caller_stopped', item: 'item_id' },
  {
    type: 'conversation.item.input_audio_transcription.completed',
    signal: 'caller_text',
    text: ['transcript'],
    item: 'item_id',
  },
  { type: 'response.created', signal: 'response_started' },
  { type: 'output_audio_buffer.started', signal: 'agent_started' },
  { type: 'response.output_audio.delta', signal: 'agent_started' },
  { type: 'response.audio.delta', signal: 'agent_started' },
  { type: 'response.output_audio_transcript.done', signal: 'agent_text', text: ['transcript'] },
  { type: 'response.audio_transcript.done', signal: 'agent_text', text: ['transcript'] },
  {
    type: 'response.function_call_arguments.done',
    signal: 'tool_call',
    tool: { id: 'call_id', name: 'name', arguments: 'arguments' },
  },
  { type: 'response.done', signal: 'response_done' },
  // ElevenLabs agents.
  { type: 'agent_response', signal: 'agent_text', text: ['agent_response_event.agent_response'] },
  {
    type: 'agent_response_correction',
    signal: 'agent_correction',
    text: ['agent_response_correction_event.corrected_agent_response'],
  },
  { type: 'interruption', signal: 'interruption' },
  {
    type: 'client_tool_call',
    signal: 'tool_call',
    tool: {
      id: 'client_tool_call.tool_call_id',
      name: 'client_tool_call.tool_name',
      arguments: 'client_tool_call.parameters',
    },
  },
]

const rulesByType: ReadonlyMap<string | undefined, EventRule> = new Map(rules.map((rule) => [rule.type, rule]))

/**
 * Parts of the names of partial texts: OpenAI realtime and those like it (`….delta`), ElevenLabs
 * (`tentative_user_transcript`, `internal_tentative_agent_response`), and recognitions (`PartialTranscript`).
 */
const partialName =
  /(?:^|[^a-z])(?:delta|partial|interim|tentative|hypothesis)(?:$|[^a-z])|(?:Delta|Partial|Interim|Tentative)(?:$|[A-Z_])/

/** Names of partial texts that follow no rule: ElevenLabs, and Qwen, whose last event of the same text is `.completed`. */
const partialTypes: ReadonlySet<string> = new Set([
  'agent_chat_response_part',
  'conversation.item.input_audio_transcription.text',
  'conversation.item.input_audio_transcription.segment',
])

/** Members that say whether a text is the last one: the platform, Deepgram, Ultravox, and others. */
const finalNames = ['is_final', 'isFinal', 'final', 'speech_final'] as const

const hasPartialMember = (event: AgentEvent['event']): boolean => {
  const flags = finalNames.map((name) => event[name]).filter((value) => typeof value === 'boolean')
  return flags.length > 0 && !flags.includes(true)
}

/** Gemini Live sends pieces of transcripts in members, without a type. */
const partialPaths: readonly Path[] = [
  'serverContent.inputTranscription',
  'serverContent.outputTranscription',
  'server_content.input_transcription',
  'server_content.output_transcription',
]

/**
 * Returns whether an event has a part of a text that another event repeats, and is used by no turn. Such parts are not
 * stored, because numbers in them could not be recognized.
 */
export const isPartialText = (event: AgentEvent['event']): boolean => {
  const type = ['type', 'event_type', 'event'].map((name) => event[name]).find((value) => typeof value === 'string')
  if (typeof type === 'string' && rulesByType.has(type)) return false
  const isNamed = typeof type === 'string' && (partialTypes.has(type) || partialName.test(type))
  return isNamed || hasPartialMember(event) || partialPaths.some((path) => readPath(event, path) !== undefined)
}

/**
 * Returns an event without the audio that it contains. Of `response.output_audio.delta`, only the time is used.
 */
export const withoutAudio = (event: AgentEvent['event']): AgentEvent['event'] => {
  const { type } = event
  if (typeof type !== 'string' || rulesByType.get(type)?.signal !== 'agent_started' || !('delta' in event)) return event
  const { delta: _delta, ...rest } = event
  return rest
}

/** Returns the value at a path, or undefined. */
export const readPath = (value: unknown, path: Path): unknown =>
  path.split('.').reduce((inner, name) => {
    const record = asRecord(inner)
    return Object.hasOwn(record, name) ? record[name] : undefined
  }, value)

/** Longer texts are cut, so that a conversation of 2,000 turns has a bounded size. */
const maxTextLength = 5000
const maxArgumentsLength = 2000

/** Returns the text at a path without surrounding spaces, or undefined. */
export const readText = (value: unknown, path: Path): string | undefined => {
  const text = readPath(value, path)
  return typeof text === 'string' ? text.slice(0, maxTextLength).trim() : undefined
}

export interface ToolCall {
  id: string
  name: string
  /** The arguments as JSON text, or null. */
  arguments: string | null
}

export interface AgentSignal {
  is: AgentSignalKind
  /** Milliseconds since the Unix epoch, by the clock of the application. */
  at: number
  text: string
  item: string | undefined
  tool: ToolCall | undefined
  event: AgentEvent['event']
}

const readTool = (event: AgentEvent['event'], { id, name, arguments: path }: NonNullable<EventRule['tool']>) => {
  const [tool, value] = [readText(event, name), readPath(event, path)]
  if (tool === undefined || tool === '') return undefined
  const text = typeof value === 'string' ? value : value === undefined ? null : JSON.stringify(value)
  return { id: readText(event, id) ?? '', name: tool, arguments: text?.slice(0, maxArgumentsLength) ?? null }
}

/** Returns the signal of an event, or undefined if it is of no interest to a conversation. */
export const toSignal = ({ at, event }: AgentEvent): AgentSignal | undefined => {
  const { type } = event
  const rule = typeof type === 'string' || type === undefined ? rulesByType.get(type) : undefined
  if (rule === undefined) return undefined
  const text = rule.text?.map((path) => readText(event, path)).find(Boolean) ?? ''
  if (rule.text !== undefined && text === '') return undefined
  const tool = rule.tool && readTool(event, rule.tool)
  if (rule.tool !== undefined && tool === undefined) return undefined
  return { is: rule.signal, at, text, item: rule.item && readText(event, rule.item), tool, event }
}
