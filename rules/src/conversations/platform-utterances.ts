import type { Turn } from '@patchbay/contract/conversations'
import { isCached, parseSpeechResult } from '../recordings/regions.ts'
import {
  findGeneration,
  findRecognizedSpeech,
  findSynthesizedSpeech,
  groupGenerations,
} from '../recordings/transcript.ts'
import { asArray, attribute, lastMilliseconds, type Span } from '../traces/traces.ts'
import type { GapStep, Interval } from './response-gap.ts'
import { getSimilarity, toComparable } from './similar-text.ts'

/**
 * Finds the turns of a call in the spans of the platform (docs/reference/platform-api/traces-and-captures.md#spans).
 * Pure. Times are whole milliseconds since the start of the call.
 */

/** A turn before its gap and its interruption are known. */
export interface PlatformTurn extends Omit<Turn, 'gap' | 'interruption'> {
  /** For the caller: when the transcript was there. */
  transcript_ms: number
  /** The caller's speech ended the audio of the agent, according to the recognition. */
  isBargeIn: boolean
  /** The steps of the pipeline that belong to the turn. */
  steps: readonly GapStep[]
  /** Set if only a recognition reports the turn of the agent's side: of another party, a model, or a played prompt. */
  isRecognized?: true
}

/** Members of a turn that no span of the platform describes. */
export const withoutSpan = {
  confidence: null,
  voice: null,
  vendor: null,
  language: null,
  tokens: null,
  model: null,
  span_id: null,
  isBargeIn: false,
  steps: [],
} as const satisfies Partial<PlatformTurn>

export type ToMilliseconds = (at: bigint) => number

/** Returns the start of the first talk spurt in milliseconds since the Unix epoch: JSON text of pairs in whole seconds. */
const parseFirstTalkSpurt = (text: unknown): number | undefined => {
  if (typeof text !== 'string') return undefined
  try {
    const [first] = asArray(asArray(JSON.parse(text))[0])
    return typeof first === 'number' && Number.isFinite(first) ? first * 1000 : undefined
  } catch {
    return undefined
  }
}

interface Context {
  byId: ReadonlyMap<string, Span>
  generations: ReturnType<typeof groupGenerations>
  toMs: ToMilliseconds
  /** The start of the call in milliseconds since the Unix epoch. */
  startedAt: number
}

const toRecognizedTurn = (
  { id, text, confidence, recognition }: ReturnType<typeof findRecognizedSpeech>[number],
  { byId, toMs, startedAt }: Context,
): PlatformTurn[] => {
  const span = byId.get(id)
  if (span === undefined) return []
  const listening = toMs(span.start)
  const transcript_ms = Math.max(listening, toMs(recognition?.transcribed ?? span.end))
  const latency = lastMilliseconds(attribute(span, 'stt.latency_ms'))
  const end_ms = latency === undefined ? transcript_ms : Math.max(listening, transcript_ms - Math.round(latency))
  const spurt = parseFirstTalkSpurt(attribute(span, 'stt.talkspurts'))
  const spoken = spurt === undefined ? undefined : Math.round(spurt - startedAt)
  const isKnown = spoken !== undefined && spoken <= end_ms
  const { vendor, language_code } = parseSpeechResult(String(attribute(span, 'stt.result') ?? '')) ?? {}
  return [
    {
      speaker: 'caller',
      // Talk spurts are whole seconds, so one can begin before the recognition did.
      start_ms: isKnown ? Math.max(listening, spoken) : listening,
      start_evidence: isKnown ? 'derived' : 'unknown',
      end_ms,
      end_evidence: latency === undefined ? 'unknown' : 'derived',
      text,
      confidence: confidence ?? null,
      voice: null,
      vendor: vendor ?? null,
      language: language_code ?? null,
      tokens: null,
      model: null,
      span_id: id,
      transcript_ms,
      isBargeIn: String(attribute(span, 'stt.resolve') ?? '').startsWith('speech-bargein'),
      steps: [
        // The platform reports the latency from the end of speech, which includes the wait for the end of the turn.
        { kind: 'endpointing', evidence: 'unknown', interval: undefined, source: null, span_id: null },
        latency === undefined
          ? {
              kind: 'speech_to_text',
              evidence: 'unknown',
              interval: undefined,
              source: span.service ?? null,
              span_id: id,
            }
          : {
              kind: 'speech_to_text',
              evidence: 'measured',
              interval: { start: end_ms, end: transcript_ms },
              source: span.service ?? null,
              span_id: id,
            },
      ],
    },
  ]
}

const getTextAttribute = (span: Span, name: string): string | null => {
  const value = attribute(span, name)
  return value === undefined || value === '' ? null : String(value)
}

/** Returns the step of the synthesis, and when its audio began: at its first byte. */
const findSynthesis = (say: Span, { generations, toMs }: Context): { begin: number; step: GapStep } => {
  const kind = 'text_to_speech_first_byte'
  const generation = findGeneration(generations.get(say.id))
  // A streaming synthesis has no span of its own: the verb has its attributes.
  const span = generation ?? say
  const start = toMs(span.start)
  const firstByte = lastMilliseconds(attribute(span, 'time_to_first_byte_ms'))
  const toStep = (evidence: GapStep['evidence'], interval: Interval | undefined): GapStep => ({
    kind,
    evidence,
    interval,
    source: span.service ?? null,
    span_id: span.id,
  })
  if (generation !== undefined && isCached(generation))
    return { begin: start, step: toStep('measured', { start, end: start }) }
  if (firstByte !== undefined) {
    const begin = start + Math.round(firstByte)
    return { begin, step: toStep('measured', { start, end: begin }) }
  }
  if (generation === undefined) return { begin: start, step: toStep('unknown', undefined) }
  const begin = toMs(generation.end)
  return { begin, step: toStep('derived', { start, end: begin }) }
}

const toAgentTurn = (
  { id, text, voice }: ReturnType<typeof findSynthesizedSpeech>[number],
  context: Context,
): PlatformTurn[] => {
  const span = context.byId.get(id)
  if (span === undefined) return []
  const { begin, step } = findSynthesis(span, context)
  // A streaming synthesis has no span of its own: the verb has its attributes.
  const synthesis = findGeneration(context.generations.get(id)) ?? span
  const end_ms = Math.max(begin, context.toMs(span.end))
  return [
    {
      speaker: 'agent',
      start_ms: begin,
      start_evidence: step.evidence === 'unknown' ? 'unknown' : 'derived',
      end_ms,
      end_evidence: 'derived',
      text,
      confidence: null,
      voice: voice ?? getTextAttribute(synthesis, 'tts.voice'),
      vendor: getTextAttribute(synthesis, 'tts.vendor'),
      language: getTextAttribute(synthesis, 'tts.language'),
      tokens: null,
      model: null,
      span_id: id,
      transcript_ms: begin,
      isBargeIn: false,
      steps: [step],
    },
  ]
}

/** Usual speed of speech, for utterances whose start or end no source says. */
const msPerCharacter = 65
const maxEstimateMs = 60_000

export const estimateDuration = (text: string): number => Math.min(maxEstimateMs, text.length * msPerCharacter)

/** The recognition has the end of an audio later than the platform has played it. */
const recognitionDelayMs = 2000
const minSimilarity = 0.6

/** Returns whether a recognition on the side of the agent repeats what the platform has said. */
const isRepeated = (heard: PlatformTurn, spoken: readonly PlatformTurn[]): boolean =>
  spoken.some(({ start_ms, end_ms, text }) => {
    if (start_ms > heard.transcript_ms || end_ms + recognitionDelayMs < heard.start_ms) return false
    const isAtEnd = heard.end_ms >= start_ms && heard.end_ms <= end_ms + recognitionDelayMs
    return isAtEnd || getSimilarity(toComparable(text), toComparable(heard.text)) >= minSimilarity
  })

/** A recognition of the agent's side is rarely needed. More are ignored, so that a hostile trace costs a bounded time. */
const maxHeard = 1000

/** Returns the turns that only a recognition on the side of the agent reports. They have no synthesis. */
const toHeardTurns = (turns: readonly PlatformTurn[], spoken: readonly PlatformTurn[]): PlatformTurn[] =>
  turns
    .slice(0, maxHeard)
    .filter((turn) => !isRepeated(turn, spoken))
    .map((turn) => ({
      ...turn,
      speaker: 'agent',
      vendor: null,
      isBargeIn: false,
      steps: [],
      isRecognized: true,
    }))

/**
 * Returns the turns in the order of the conversation, with an estimate of the beginning of those that only a recognition on
 * the side of the agent reports, if the recording has not shown it.
 */
export const placeHeardTurns = <T extends PlatformTurn>(turns: readonly T[]): T[] =>
  sortTurns(
    turns.map((turn) =>
      turn.isRecognized === true && turn.start_evidence === 'unknown'
        ? { ...turn, start_ms: Math.max(turn.start_ms, turn.end_ms - estimateDuration(turn.text)) }
        : turn,
    ),
  )

/** The beginning of a turn, or the end of a caller's turn whose beginning is not measured. */
const getOrder = ({ speaker, start_evidence, start_ms, end_ms }: PlatformTurn): number =>
  speaker === 'caller' && start_evidence !== 'measured' ? end_ms : start_ms

/** Returns turns in the order of the conversation. */
export const sortTurns = <T extends PlatformTurn>(turns: readonly T[]): T[] =>
  turns.toSorted((a, b) => getOrder(a) - getOrder(b))

/**
 * Returns the turns in the order of the conversation.
 * @param startedAt the start of the call in milliseconds since the Unix epoch
 */
export const findPlatformTurns = (
  spans: readonly Span[],
  toMs: ToMilliseconds,
  startedAt: number,
): readonly PlatformTurn[] => {
  const generations = groupGenerations(spans)
  const byId = new Map(spans.map((span) => [span.id, span]))
  const context: Context = { byId, generations, toMs, startedAt }
  const recognized = findRecognizedSpeech(spans)
  const findTurns = (side: 'caller' | 'other_side') =>
    recognized.filter(({ who }) => who === side).flatMap((one) => toRecognizedTurn(one, context))
  const spoken = findSynthesizedSpeech(spans).flatMap((one) => toAgentTurn(one, context))
  return sortTurns([...findTurns('caller'), ...spoken, ...toHeardTurns(findTurns('other_side'), spoken)])
}
