import { groupBy } from '../lib/groups.ts'
import { asArray, asRecord } from '../traces/traces.ts'
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
  | 'agent_stopped'
  | 'agent_text'
  | 'agent_correction'
  | 'interruption'
  | 'turn_end'
  | 'response_done'
  | 'tool_call'
  | 'error'

/** Names of members. A dot separates the levels. */
type Path = string

interface EventRule {
  /** Value of the member `type`, or undefined for events that have none. */
  type: string | undefined
  signal: AgentSignalKind
  /** A member that distinguishes events of the same type. */
  where?: { path: Path; value: string }
  /** A member of events that have no meaning for the conversation. */
  unless?: { path: Path; value: string }
  /** The first path that has a text. */
  text?: readonly Path[]
  /** Member that is false if the text is a part of one. */
  final?: Path
  /** ID of the utterance, which later events about it have too. */
  item?: Path
  tool?: ToolRule
}

/** Paths of a call of a tool, below each element of `list` if there is one. */
interface ToolRule {
  list?: Path
  id: Path
  name: Path
  arguments: Path
  /** Member that is true if the call failed. */
  failed?: Path
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
  // OpenAI realtime, and what the platform adds to it (`output_audio.playback_…`).
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
  { type: 'output_audio.playback_started', signal: 'agent_started' },
  { type: 'output_audio.playback_stopped', signal: 'agent_stopped' },
  { type: 'output_audio_buffer.stopped', signal: 'agent_stopped' },
  { type: 'output_audio_buffer.cleared', signal: 'interruption' },
  { type: 'conversation.item.truncated', signal: 'interruption' },
  { type: 'response.output_audio.delta', signal: 'agent_started' },
  { type: 'response.audio.delta', signal: 'agent_started' },
  { type: 'response.output_audio_transcript.done', signal: 'agent_text', text: ['transcript'] },
  { type: 'response.audio_transcript.done', signal: 'agent_text', text: ['transcript'] },
  {
    type: 'response.function_call_arguments.done',
    signal: 'tool_call',
    tool: { id: 'call_id', name: 'name', arguments: 'arguments' },
  },
  {
    // Some events with the arguments of a function do not contain its name.
    type: 'response.output_item.done',
    signal: 'tool_call',
    tool: { id: 'item.call_id', name: 'item.name', arguments: 'item.arguments' },
  },
  { type: 'response.done', signal: 'response_done' },
  {
    type: 'conversation.item.input_audio_transcription.failed',
    signal: 'error',
    text: ['error.message', 'error.code', 'error.type'],
  },
  {
    type: 'error',
    // The application canceled a response that was complete at the same time.
    unless: { path: 'error.code', value: 'response_cancel_not_active' },
    signal: 'error',
    text: ['error.message', 'message', 'error'],
  },
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
  {
    type: 'agent_tool_response',
    signal: 'tool_call',
    tool: {
      id: 'agent_tool_response.tool_call_id',
      name: 'agent_tool_response.tool_name',
      arguments: 'agent_tool_response.parameters',
      failed: 'agent_tool_response.is_error',
    },
  },
  // Deepgram voice agents.
  { type: 'UserStartedSpeaking', signal: 'caller_started' },
  { type: 'AgentStartedSpeaking', signal: 'agent_started' },
  { type: 'ConversationText', where: { path: 'role', value: 'user' }, signal: 'caller_text', text: ['content'] },
  { type: 'ConversationText', where: { path: 'role', value: 'assistant' }, signal: 'agent_text', text: ['content'] },
  {
    type: 'FunctionCallRequest',
    signal: 'tool_call',
    tool: { list: 'functions', id: 'id', name: 'name', arguments: 'arguments' },
  },
  { type: 'Error', signal: 'error', text: ['description', 'message'] },
  // Ultravox.
  { type: 'transcript', where: { path: 'role', value: 'user' }, final: 'final', signal: 'caller_text', text: ['text'] },
  { type: 'transcript', where: { path: 'role', value: 'agent' }, final: 'final', signal: 'agent_text', text: ['text'] },
  ...['client_tool_invocation', 'data_connection_tool_invocation'].map(
    (type): EventRule => ({
      type,
      signal: 'tool_call',
      tool: { id: 'invocationId', name: 'toolName', arguments: 'parameters' },
    }),
  ),
  // Gemini Live.
  {
    type: undefined,
    signal: 'tool_call',
    tool: { list: 'toolCall.functionCalls', id: 'id', name: 'name', arguments: 'args' },
  },
]

const rulesByType: ReadonlyMap<string | undefined, readonly EventRule[]> = groupBy(rules, ({ type }) => type)

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
  const own = typeof type === 'string' ? rulesByType.get(type) : undefined
  if (own !== undefined) return own.some(({ final }) => final !== undefined && event[final] === false)
  const isNamed = typeof type === 'string' && (partialTypes.has(type) || partialName.test(type))
  return isNamed || hasPartialMember(event) || partialPaths.some((path) => readPath(event, path) !== undefined)
}

/**
 * Returns an event without the audio that it contains. Of `response.output_audio.delta`, only the time is used.
 */
export const withoutAudio = (event: AgentEvent['event']): AgentEvent['event'] => {
  const { type } = event
  const isAudio = typeof type === 'string' && rulesByType.get(type)?.[0]?.signal === 'agent_started'
  if (!isAudio || !('delta' in event)) return event
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
  isFailed: boolean
}

export interface AgentSignal {
  is: AgentSignalKind
  /** Milliseconds since the Unix epoch, by the clock of the application. */
  at: number
  text: string
  item: string | undefined
  tools: readonly ToolCall[]
  event: AgentEvent['event']
}

/** An event has a few calls of tools. More are ignored, so that a hostile event costs a bounded time. */
const maxToolsPerEvent = 50

const readTool = (source: unknown, { id, name, arguments: path, failed }: ToolRule): ToolCall[] => {
  const [tool, value] = [readText(source, name), readPath(source, path)]
  if (tool === undefined || tool === '') return []
  const text = typeof value === 'string' ? value : value === undefined ? null : JSON.stringify(value)
  return [
    {
      id: readText(source, id) ?? '',
      name: tool,
      arguments: text?.slice(0, maxArgumentsLength) ?? null,
      isFailed: failed !== undefined && readPath(source, failed) === true,
    },
  ]
}

const readTools = (event: AgentEvent['event'], rule: ToolRule): ToolCall[] => {
  const sources = rule.list === undefined ? [event] : asArray(readPath(event, rule.list)).slice(0, maxToolsPerEvent)
  return sources.flatMap((source) => readTool(source, rule))
}

const applyRule = ({ at, event }: AgentEvent, rule: EventRule): AgentSignal | undefined => {
  if (rule.where !== undefined && readPath(event, rule.where.path) !== rule.where.value) return undefined
  if (rule.unless !== undefined && readPath(event, rule.unless.path) === rule.unless.value) return undefined
  if (rule.final !== undefined && event[rule.final] === false) return undefined
  const text = rule.text?.map((path) => readText(event, path)).find(Boolean) ?? ''
  const tools = rule.tool === undefined ? [] : readTools(event, rule.tool)
  // An error counts without a message.
  const isEmpty = (rule.text !== undefined && text === '') || (rule.tool !== undefined && tools.length === 0)
  if (isEmpty && rule.signal !== 'error') return undefined
  return { is: rule.signal, at, text, item: rule.item && readText(event, rule.item), tools, event }
}

/** Returns the signal of an event, or undefined if it is of no interest to a conversation. */
export const toSignal = (agentEvent: AgentEvent): AgentSignal | undefined => {
  const { type } = agentEvent.event
  if (typeof type !== 'string' && type !== undefined) return undefined
  for (const rule of rulesByType.get(type) ?? []) {
    const signal = applyRule(agentEvent, rule)
    if (signal !== undefined) return signal
  }
  return undefined
}
