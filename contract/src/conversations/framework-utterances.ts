import type { Turn } from '../conversations.ts'
import { addToGroup } from '../shared/groups.ts'
import { attribute, type Span } from '../shared/traces.ts'
import { findClockDifference } from './agent-clock.ts'
import { type AgentUtterance, createUtterance } from './agent-utterances.ts'
import type { CorrectedSpans } from './clock-differences.ts'
import { parseSeconds } from './framework-steps.ts'
import { maxUtterances, type MergedTurn, mergeUtterances } from './merge-agent-events.ts'
import type { PlatformTurn, ToMilliseconds } from './platform-utterances.ts'

/**
 * Finds what was said in spans of agent frameworks: LiveKit agents, and Pipecat. Pure. The table is the mapping: another
 * framework is another row.
 */

interface TurnRule {
  speaker: Turn['speaker']
  /** Name of the span of a turn, and an attribute that it has, if other programs use the same name. */
  span: string
  identifiedBy?: string
  /** Name of the child spans that contain the text if the span of the turn does not. */
  part: string
  /** The first attribute that is not empty has the text. Frameworks rename it. */
  text: readonly string[]
  /** Name of a span below it that takes as long as its audio. */
  audio?: string
  /** Attribute with the seconds from the end of the caller's speech to the end of the span. */
  endDelay?: string
  /** Attribute with the seconds from the end of the caller's speech to its text. */
  textDelay?: string
  /** Attribute of a part with the seconds from its start to the first audio. */
  firstByte?: string
  /** Attribute with the seconds from the end of the caller's speech to the first audio of the agent. */
  latency?: string
  /** Attribute that says whether the caller interrupted the turn. */
  interrupted?: string
  /** Attributes with the vendor of the recognition or the synthesis. */
  vendor?: readonly string[]
  /** Whether the span of an agent's turn ends with its audio. */
  endsWithAudio?: true
}

const providers = ['gen_ai.provider.name', 'gen_ai.system'] as const

const rules: readonly TurnRule[] = [
  {
    speaker: 'caller',
    span: 'user_turn',
    part: 'eou_detection',
    text: ['lk.user_transcript', 'lk.pii.user_transcript'],
    endDelay: 'lk.end_of_turn_delay',
    textDelay: 'lk.transcription_delay',
    vendor: providers,
  },
  {
    speaker: 'agent',
    span: 'agent_turn',
    part: 'llm_node',
    text: ['lk.response.text', 'lk.pii.response.text'],
    audio: 'agent_speaking',
    latency: 'lk.e2e_latency',
    interrupted: 'lk.interrupted',
    endsWithAudio: true,
  },
  {
    speaker: 'caller',
    span: 'turn',
    identifiedBy: 'turn.number',
    part: 'stt',
    text: ['transcript'],
    vendor: providers,
  },
  {
    speaker: 'agent',
    span: 'turn',
    identifiedBy: 'turn.number',
    part: 'tts',
    text: ['text'],
    firstByte: 'metrics.ttfb',
    latency: 'turn.user_bot_latency_seconds',
    interrupted: 'turn.was_interrupted',
    vendor: providers,
  },
]

type Rule = Omit<TurnRule, 'speaker'>
type Members = NonNullable<AgentUtterance['members']>

const turnNames = new Set(rules.map(({ span }) => span))
/** Names of turns whose audio has a span. LiveKit does not always put it below the turn. */
const audioNames = new Set(rules.filter(({ audio }) => audio !== undefined).map(({ span }) => span))
const partNames = new Set(rules.flatMap(({ part, audio }) => [part, ...(audio === undefined ? [] : [audio])]))

const maxTextLength = 5000
/** A call has one framework. Turns are compared for each, so more are ignored, because only hostile traces have them. */
const maxFrameworks = 5
/** The parts of a turn are not deeper below it than this. */
const maxDepth = 6

/** Returns the first attribute that is a text, or an empty text. */
const readText = (span: Span, names: readonly string[]): string =>
  names
    .map((name) => attribute(span, name))
    .map((value) => (typeof value === 'string' ? value.trim() : ''))
    .find((text) => text !== '') ?? ''

const readMs = (span: Span | undefined, name: string | undefined): number | undefined => {
  const seconds = span === undefined || name === undefined ? undefined : parseSeconds(attribute(span, name))
  return seconds === undefined ? undefined : Math.round(seconds * 1000)
}

const isTrue = (span: Span, name: string | undefined): boolean =>
  name !== undefined && String(attribute(span, name)).toLowerCase() === 'true'

/** Returns whether a recognition is an interim result, which a later one repeats. */
const isInterim = (span: Span): boolean => String(attribute(span, 'is_final')).toLowerCase() === 'false'

/** Returns the span of the turn above a span. */
const findTurnAbove = ({ parent }: Span, byId: ReadonlyMap<string, Span>): Span | undefined => {
  let above = parent === null ? undefined : byId.get(parent)
  for (let depth = 1; depth < maxDepth && above !== undefined && !turnNames.has(above.name); depth += 1)
    above = above.parent === null ? undefined : byId.get(above.parent)
  return above !== undefined && turnNames.has(above.name) ? above : undefined
}

/** Returns the parts of each turn by the ID of its span, in chronological order. */
const groupParts = (spans: readonly Span[]): ReadonlyMap<string, readonly Span[]> => {
  const byId = new Map(spans.map((span) => [span.id, span]))
  const groups = new Map<string, Span[]>()
  let lastWithAudio: Span | undefined
  for (const span of spans) {
    if (audioNames.has(span.name)) lastWithAudio = span
    if (!partNames.has(span.name) || isInterim(span)) continue
    const during = lastWithAudio !== undefined && span.start <= lastWithAudio.end ? lastWithAudio : undefined
    const turn = findTurnAbove(span, byId) ?? during
    if (turn !== undefined) addToGroup(groups, turn.id, span)
  }
  return groups
}

const readMembers = (spans: readonly Span[], { vendor = [] }: Rule): Omit<Members, 'span_id'> => {
  const read = (names: readonly string[]) => spans.map((span) => readText(span, names)).find((text) => text !== '')
  const confidence = Number(
    spans.map((span) => attribute(span, 'lk.transcript_confidence')).find((value) => value !== undefined) ?? Number.NaN,
  )
  return {
    confidence: confidence >= 0 && confidence <= 1 ? confidence : null,
    vendor: read(vendor) ?? null,
    language: read(['language']) ?? null,
    voice: read(['voice_id']) ?? null,
  }
}

const toCaller = (turn: Span, parts: readonly Span[], { endDelay, textDelay }: Rule, toMs: ToMilliseconds) => {
  const delay = readMs(turn, endDelay)
  const end = delay === undefined ? undefined : Math.max(toMs(turn.start), toMs(turn.end) - delay)
  const recognition = readMs(turn, textDelay)
  const textAt = toMs(parts.at(-1)?.end ?? turn.end)
  return {
    start: toMs(turn.start),
    end,
    reported: end !== undefined && recognition !== undefined ? end + recognition : textAt,
  }
}

const toAgent = (
  turn: Span,
  all: readonly Span[],
  rule: Rule,
  toMs: ToMilliseconds,
  caller: AgentUtterance | undefined,
) => {
  const audio = all.find(({ name }) => name === rule.audio)
  const first = all.find(({ name }) => name === rule.part)
  const firstByte = readMs(first, rule.firstByte)
  const latency = readMs(turn, rule.latency)
  const played = first === undefined || firstByte === undefined ? undefined : toMs(first.start) + firstByte
  const spoken = audio === undefined ? played : toMs(audio.start)
  const start = spoken ?? (caller?.end === undefined || latency === undefined ? undefined : caller.end + latency)
  // The agent says how long the caller has waited, so the end of the speech follows from the beginning of the audio.
  if (caller !== undefined && start !== undefined && latency !== undefined) caller.end ??= start - latency
  const isInterrupted = isTrue(turn, rule.interrupted)
  const ended = toMs((audio ?? turn).end)
  return {
    start,
    end: audio !== undefined || isInterrupted || rule.endsWithAudio ? ended : undefined,
    interruptedAt: isInterrupted ? ended : undefined,
    request: caller,
  }
}

/** Returns the utterances in the spans of a framework, in chronological order. */
const findUtterances = (spans: readonly Span[], toMs: ToMilliseconds): AgentUtterance[] => {
  const groups = groupParts(spans)
  const utterances: AgentUtterance[] = []
  let caller: AgentUtterance | undefined
  for (const turn of spans) {
    if (!turnNames.has(turn.name)) continue
    const all = groups.get(turn.id) ?? []
    for (const { speaker, ...rule } of rules) {
      const isTurn = turn.name === rule.span && (!rule.identifiedBy || attribute(turn, rule.identifiedBy) !== undefined)
      if (!isTurn || utterances.length >= maxUtterances) continue
      const parts = all.filter(({ name }) => name === rule.part)
      const text = readText(turn, rule.text) || parts.map((part) => readText(part, rule.text)).join(' ')
      if (text.trim() === '') continue
      const times = speaker === 'caller' ? toCaller(turn, parts, rule, toMs) : toAgent(turn, all, rule, toMs, caller)
      const utterance = createUtterance(speaker, {
        text: text.slice(0, maxTextLength).trim(),
        ...times,
        members: { ...readMembers([turn, ...parts], rule), span_id: turn.id },
      })
      utterances.push(utterance)
      // A second response to the same words has no gap of its own.
      caller = speaker === 'caller' ? utterance : undefined
    }
  }
  return utterances
}

/** Returns the spans of each service that reports turns. */
const groupByService = (spans: readonly Span[]): ReadonlyMap<string, readonly Span[]> => {
  const names = new Set(spans.filter(({ name }) => turnNames.has(name)).map(({ service = '' }) => service))
  const groups = new Map([...names].slice(0, maxFrameworks).map((name): [string, Span[]] => [name, []]))
  for (const span of spans) groups.get(span.service ?? '')?.push(span)
  return groups
}

interface MergedFrameworks extends Pick<CorrectedSpans, 'spans' | 'sources'> {
  turns: readonly MergedTurn[]
}

/**
 * Merges the turns that agent frameworks report with those of the platform. A framework whose clock difference is unknown
 * is moved by what the turns show that both have.
 */
export const mergeFrameworks = (
  { spans, sources }: Pick<CorrectedSpans, 'spans' | 'sources'>,
  platformTurns: readonly PlatformTurn[],
  toMs: ToMilliseconds,
): MergedFrameworks => {
  const merged: MergedFrameworks = { spans, sources, turns: platformTurns }
  if (!spans.some(({ name }) => turnNames.has(name))) return merged
  const frameworks = groupByService(spans)
  const differences = new Map<string, number>()
  for (const { service, clock_difference_ms } of sources) {
    const utterances = findUtterances(frameworks.get(service) ?? [], toMs)
    const difference = clock_difference_ms === null ? findClockDifference(utterances, platformTurns) : null
    if (difference !== null) differences.set(service, Math.round(difference))
    merged.turns = mergeUtterances(merged.turns, utterances, Math.round(difference ?? 0))
  }
  const move = (span: Span): Span => {
    const shift = BigInt(differences.get(span.service ?? '') ?? 0) * 1_000_000n
    return shift === 0n ? span : { ...span, start: span.start - shift, end: span.end - shift }
  }
  return {
    turns: merged.turns,
    spans: spans.map(move).toSorted((a, b) => Number(a.start - b.start) || Number(b.end - a.end)),
    sources: sources.map((source) => ({
      ...source,
      clock_difference_ms: differences.get(source.service) ?? source.clock_difference_ms,
    })),
  }
}
