import type { Turn } from '@patchbay/contract/conversations'
import { durationMs } from '../traces/trace-waits.ts'
import { attribute, type Span } from '../traces/traces.ts'
import { findLastBefore, type GapStep, type Interval } from './response-gap.ts'

/**
 * Finds steps of the pipeline in spans of agent frameworks: LiveKit agents (`lk.*`), Pipecat (`metrics.ttfb`), and the
 * OpenTelemetry conventions for generative AI (`gen_ai.*`). Pure. The table is the mapping: another framework is another
 * row.
 */

interface Timing {
  attribute: string
  /** The name of the span, if the attribute means something else on others. */
  span?: string
  kind: GapStep['kind']
  /** `start`: the time runs from the start of the span. `end_of_speech`: from the end of the caller's speech. */
  from: 'start' | 'end_of_speech'
}

/** All values are seconds. */
const timings: readonly Timing[] = [
  { attribute: 'lk.transcription_delay', kind: 'speech_to_text', from: 'end_of_speech' },
  { attribute: 'lk.end_of_turn_delay', kind: 'endpointing', from: 'end_of_speech' },
  { attribute: 'lk.response.ttft', kind: 'model_first_token', from: 'start' },
  { attribute: 'lk.response.ttfb', kind: 'text_to_speech_first_byte', from: 'start' },
  { attribute: 'metrics.ttfb', span: 'llm', kind: 'model_first_token', from: 'start' },
  { attribute: 'metrics.ttfb', span: 'tts', kind: 'text_to_speech_first_byte', from: 'start' },
  { attribute: 'gen_ai.response.time_to_first_chunk', kind: 'model_first_token', from: 'start' },
]

/** Operations of a model that answers. Without the time of the first token, the whole request is counted. */
const modelOperations = new Set(['chat', 'generate_content', 'text_completion'])
const operationAttribute = 'gen_ai.operation.name'

/** A step, before it is known to which gap it belongs. */
interface FrameworkStep extends Omit<GapStep, 'interval'> {
  from: Timing['from']
  start: number
  end: number
  durationMs: number
}

/** Longer values are errors: a caller does not wait for an hour. */
const maxSeconds = 3600

/** Returns a number of seconds, which can be a text, or undefined. */
const parseSeconds = (value: unknown): number | undefined => {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  const isValid = typeof seconds === 'number' && seconds >= 0 && seconds <= maxSeconds
  return isValid ? seconds : undefined
}

/** Returns a number of seconds, or undefined for 0, which LiveKit reports if it does not know a delay. */
export const parseDelay = (value: unknown): number | undefined => parseSeconds(value) || undefined

const toSteps = (span: Span, toMs: (at: bigint) => number): FrameworkStep[] => {
  const position = { start: toMs(span.start), end: toMs(span.end), span_id: span.id, source: span.service ?? null }
  const measured = timings.flatMap(({ attribute: name, span: spanName, kind, from }): FrameworkStep[] => {
    const isOwn = spanName === undefined || span.name === spanName
    const parse = from === 'end_of_speech' ? parseDelay : parseSeconds
    const seconds = isOwn ? parse(attribute(span, name)) : undefined
    return seconds === undefined
      ? []
      : [{ ...position, kind, from, evidence: 'measured', durationMs: Math.round(seconds * 1000) }]
  })
  if (measured.length > 0 || !modelOperations.has(String(attribute(span, operationAttribute)))) return measured
  const whole = Math.round(durationMs(span))
  return [{ ...position, kind: 'model_first_token', from: 'start', evidence: 'derived', durationMs: whole }]
}

/** A request to a language model. */
interface ModelRequest extends Interval {
  model: string | null
  tokens: Turn['tokens']
}

/** Spans without an operation have it in their name, such as `llm` or `llm_request`. */
const isModelRequest = (span: Span): boolean => {
  const operation = attribute(span, operationAttribute)
  return operation === undefined ? /^llm(?:_|$)/.test(span.name) : modelOperations.has(String(operation))
}

const readTokenCount = (span: Span, name: string): number | null => {
  const count = Number(attribute(span, name) ?? Number.NaN)
  return Number.isSafeInteger(count) && count >= 0 ? count : null
}

const readModelRequest = (span: Span): Pick<ModelRequest, 'model' | 'tokens'> => {
  const model = attribute(span, 'gen_ai.response.model') ?? attribute(span, 'gen_ai.request.model')
  const [input, output] = ['input', 'output'].map((side) => readTokenCount(span, `gen_ai.usage.${side}_tokens`))
  return {
    model: typeof model === 'string' && model !== '' ? model : null,
    tokens: input === null && output === null ? null : { input: input ?? null, output: output ?? null },
  }
}

const toModelRequests = (spans: readonly Span[], toMs: (at: bigint) => number): ModelRequest[] => {
  const requests: ModelRequest[] = []
  for (const span of spans.filter(isModelRequest)) {
    const request = { start: toMs(span.start), end: toMs(span.end), ...readModelRequest(span) }
    const last = requests.at(-1)
    // Frameworks report a request as a span inside another, and only one of them has the tokens.
    if (last !== undefined && request.end <= last.end) {
      last.model ??= request.model
      last.tokens ??= request.tokens
    } else if (request.model !== null || request.tokens !== null) requests.push(request)
  }
  return requests
}

export interface FrameworkSteps {
  /** Steps that run from the start of their span, sorted by it. */
  fromStart: readonly FrameworkStep[]
  /** Steps that run from the end of the caller's speech, sorted by the end of their span, which is the decision. */
  fromEndOfSpeech: readonly FrameworkStep[]
  /** Sorted by their start. */
  modelRequests: readonly ModelRequest[]
}

/**
 * Returns the steps of all spans.
 * @param spans in chronological order
 * @param toMs converts nanoseconds since the Unix epoch to milliseconds since the start of the call
 */
export const findFrameworkSteps = (spans: readonly Span[], toMs: (at: bigint) => number): FrameworkSteps => {
  const all = spans.flatMap((span) => toSteps(span, toMs))
  return {
    fromStart: all.filter(({ from }) => from === 'start'),
    fromEndOfSpeech: all.filter(({ from }) => from === 'end_of_speech').toSorted((a, b) => a.end - b.end),
    modelRequests: toModelRequests(spans, toMs),
  }
}

const addCounts = (first: number | null, second: number | null): number | null =>
  first === null || second === null ? (first ?? second) : first + second

/**
 * Returns the model that answered, and the tokens of all its requests.
 * @param interval from the start of the turn before to the start of the answer
 */
export const findModelUse = (
  { modelRequests }: FrameworkSteps,
  { start, end }: Interval,
): Pick<ModelRequest, 'model' | 'tokens'> => {
  const requests = findLastBefore(modelRequests, (request) => request.start, end).filter(
    (request) => request.start >= start,
  )
  return {
    model: requests.findLast(({ model }) => model !== null)?.model ?? null,
    tokens: requests.reduce<Turn['tokens']>(
      (sum, { tokens }) =>
        sum === null || tokens === null
          ? (sum ?? tokens)
          : { input: addCounts(sum.input, tokens.input), output: addCounts(sum.output, tokens.output) },
      null,
    ),
  }
}

/** Frameworks decide on the end of a turn shortly before or after the platform's end of speech. */
const toleranceMs = 1000

/** Returns the steps of a gap, placed in it. */
export const placeFrameworkSteps = (
  { fromStart, fromEndOfSpeech }: FrameworkSteps,
  { start: gapStart, end: gapEnd }: Interval,
): GapStep[] => {
  const decisions = findLastBefore(fromEndOfSpeech, ({ end }) => end, gapEnd + 1).filter(
    ({ end }) => end >= gapStart - toleranceMs,
  )
  const requests = findLastBefore(fromStart, ({ start }) => start, gapEnd).filter(
    ({ start, durationMs: duration }) => start + duration > gapStart,
  )
  const recognitionMs = decisions.find(({ kind }) => kind === 'speech_to_text')?.durationMs ?? 0
  return [...decisions, ...requests].map(({ from, start, end: _end, durationMs: duration, ...step }) => {
    const begin = from === 'start' ? start : gapStart
    // The decision on the end of a turn waits for the transcript, which is a part of its own.
    const skipped = step.kind === 'endpointing' ? Math.min(duration, recognitionMs) : 0
    return { ...step, interval: { start: begin + skipped, end: begin + duration } }
  })
}
