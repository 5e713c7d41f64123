import type { GapPart, Turn } from '@patchbay/contract/conversations'
import { readPath } from './agent-event-rules.ts'
import type { AgentEvent } from './agent-events.ts'

/** Reads latencies, tokens, and models from events of agents. Pure. The tables are the mapping. */

type LatencyKind = Exclude<GapPart['kind'], 'unattributed' | 'application'>

/** Steps in the order in which they take place, with the members of `latency` in a `turn_end`, in milliseconds. */
const latencies: readonly { kind: LatencyKind; member: string }[] = [
  { kind: 'speech_to_text', member: 'transcriber_latency' },
  { kind: 'endpointing', member: 'turn_detection_latency' },
  { kind: 'model_first_token', member: 'model_latency' },
  { kind: 'text_to_speech_first_byte', member: 'voice_latency' },
]

/** The steps of a response, one after another, with their durations in milliseconds. */
export type Latency = readonly { kind: LatencyKind; durationMs: number }[]

/** Longer values are errors: a caller does not wait for an hour. */
const maxLatencyMs = 3_600_000

const isDuration = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= maxLatencyMs

/**
 * Returns the latencies that an event reports. The latency of the model is absent if the response was computed ahead
 * (`preflight`), so it is zero then.
 */
export const readLatency = (event: AgentEvent['event']): Latency =>
  latencies.flatMap(({ kind, member }) => {
    const value = readPath(event, `latency.${member}`)
    if (isDuration(value)) return [{ kind, durationMs: Math.round(value) }]
    const isAhead = kind === 'model_first_token' && readPath(event, 'latency.preflight.result') === 'hit'
    return isAhead ? [{ kind, durationMs: 0 }] : []
  })

/** Returns whether the steps say when the audio of a response began. Each is absent if it is unknown. */
export const isWholeResponse = (latency: Latency): boolean =>
  (['model_first_token', 'text_to_speech_first_byte'] as const).every((step) =>
    latency.some(({ kind }) => kind === step),
  )

/** Returns the sum of the steps that `includes` accepts. */
export const sumLatency = (latency: Latency, includes: (kind: LatencyKind) => boolean = () => true): number =>
  latency.reduce((sum, { kind, durationMs }) => sum + (includes(kind) ? durationMs : 0), 0)

const tokenPaths = {
  input: ['usage.input_tokens', 'usage.prompt_tokens', 'response.usage.input_tokens', 'tokens.input', 'tokens.prompt'],
  output: [
    'usage.output_tokens',
    'usage.completion_tokens',
    'response.usage.output_tokens',
    'tokens.output',
    'tokens.completion',
  ],
} as const

const readCount = (event: AgentEvent['event'], paths: readonly string[]): number | null => {
  const count = paths.map((path) => readPath(event, path)).find((value) => Number.isSafeInteger(value))
  return typeof count === 'number' && count >= 0 ? count : null
}

/** Returns the tokens that an event reports, or null. */
export const readTokens = (event: AgentEvent['event']): Turn['tokens'] => {
  const [input, output] = [readCount(event, tokenPaths.input), readCount(event, tokenPaths.output)]
  return input === null && output === null ? null : { input, output }
}

const modelPaths = ['model', 'llm.model', 'response.model']

/** Returns the model that an event names, or null. */
export const readModel = (event: AgentEvent['event']): string | null => {
  const model = modelPaths
    .map((path) => readPath(event, path))
    .find((value) => typeof value === 'string' && value !== '')
  return typeof model === 'string' ? model : null
}
