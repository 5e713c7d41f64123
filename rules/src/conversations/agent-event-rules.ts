import { groupBy } from '../lib/groups.ts'
import { asArray, asRecord } from '../traces/traces.ts'
import { type AgentSignalKind, agentEventRules, type EventRule, type Path, type ToolRule } from './agent-event-table.ts'
import type { AgentEvent } from './agent-events.ts'

/** Maps events of agents to signals (agent-event-table.ts). */

const rulesByType: ReadonlyMap<string | undefined, readonly EventRule[]> = groupBy(agentEventRules, ({ type }) => type)

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

/** Recognitions write punctuation, such as `...`, if the caller is silent. */
const hasWord = /[\p{L}\p{N}]/u

const applyRule = ({ at, event }: AgentEvent, rule: EventRule): AgentSignal | undefined => {
  if (rule.where !== undefined && readPath(event, rule.where.path) !== rule.where.value) return undefined
  if (rule.unless !== undefined && readPath(event, rule.unless.path) === rule.unless.value) return undefined
  if (rule.final !== undefined && event[rule.final] === false) return undefined
  const text = rule.text?.map((path) => readText(event, path)).find(Boolean) ?? ''
  const tools = rule.tool === undefined ? [] : readTools(event, rule.tool)
  // An error counts without a message.
  const isWordless = text === '' || (rule.signal === 'caller_text' && !hasWord.test(text))
  const isEmpty = (rule.text !== undefined && isWordless) || (rule.tool !== undefined && tools.length === 0)
  if (isEmpty && rule.signal !== 'error' && rule.canBeEmpty !== true) return undefined
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
