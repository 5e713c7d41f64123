import type { Turn } from '../conversations.ts'
import { addToGroup } from '../shared/groups.ts'
import { attribute, type Span } from '../shared/traces.ts'
import { findClockDifference } from './agent-clock.ts'
import { type AgentUtterance, createUtterance } from './agent-utterances.ts'
import type { CorrectedSpans } from './clock-differences.ts'
import { parseDelay } from './framework-steps.ts'
import { maxUtterances, type MergedTurn, mergeUtterances } from './merge-agent-events.ts'
import type { PlatformTurn, ToMilliseconds } from './platform-utterances.ts'
import { getSimilarity, normalizeText, toComparable } from './similar-text.ts'

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
  /**
   * Proves speech in a turn without a text of its own: the decision that it has ended, its parts, or the audio or the time
   * until it. Noise can begin a turn that never ends, and a model can write a response that is not heard.
   */
  spokenIf: 'decision' | 'parts' | 'audio'
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
  /** Attribute that says whether the turn ended because the call did, which its framework reports as an interruption. */
  endedWithCall?: string
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
    spokenIf: 'decision',
    text: ['lk.user_transcript', 'lk.pii.user_transcript'],
    endDelay: 'lk.end_of_turn_delay',
    textDelay: 'lk.transcription_delay',
    vendor: providers,
  },
  {
    speaker: 'agent',
    span: 'agent_turn',
    part: 'llm_node',
    spokenIf: 'audio',
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
    spokenIf: 'parts',
    text: ['transcript'],
    vendor: providers,
  },
  {
    speaker: 'agent',
    span: 'turn',
    identifiedBy: 'turn.number',
    part: 'tts',
    spokenIf: 'parts',
    text: ['text'],
    firstByte: 'metrics.ttfb',
    latency: 'turn.user_bot_latency_seconds',
    interrupted: 'turn.was_interrupted',
    endedWithCall: 'turn.ended_by_conversation_end',
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
  const seconds = span === undefined || name === undefined ? undefined : parseDelay(attribute(span, name))
  return seconds === undefined ? undefined : Math.round(seconds * 1000)
}

const isTrue = (span: Span, name: string | undefined): boolean =>
  name !== undefined && String(attribute(span, name)).toLowerCase() === 'true'

/** Interim results of the same words differ in their last ones. */
const minInterimSimilarity = 0.6

/** Returns whether a text begins with another one, or with nearly the same words. */
const beginsLike = (text: string, beginning: string): boolean => {
  const [whole, part] = [normalizeText(text), normalizeText(beginning)]
  return (
    whole.includes(part) ||
    getSimilarity(toComparable(whole.slice(0, part.length)), toComparable(part)) >= minInterimSimilarity
  )
}

/** A turn has a few results. Later ones are not compared with each other, so that a hostile trace costs a bounded time. */
const maxResults = 50

/**
 * Returns the parts of a turn without the interim results of the recognition. Pipecat marks results as not final that
 * hold the whole text of a segment, so only a result that a later one repeats is an interim one.
 */
const withoutInterims = (parts: readonly Span[]): readonly Span[] => {
  const results = parts.slice(0, maxResults).toSorted((a, b) => Number(a.end - b.end))
  const interims = results.filter((result, position) => {
    if (String(attribute(result, 'is_final')).toLowerCase() !== 'false') return false
    const text = readText(result, ['transcript'])
    const later = results.slice(position + 1).filter(({ name }) => name === result.name)
    return text === '' || later.some((one) => beginsLike(readText(one, ['transcript']), text))
  })
  return interims.length === 0 ? parts : parts.filter((part) => !interims.includes(part))
}

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
    if (!partNames.has(span.name)) continue
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
  const isInterrupted = isTrue(turn, rule.interrupted) && !isTrue(turn, rule.endedWithCall)
  const ended = toMs((audio ?? turn).end)
  return {
    start,
    end: audio !== undefined || isInterrupted || rule.endsWithAudio ? ended : undefined,
    interruptedAt: isInterrupted ? ended : undefined,
    request: caller,
  }
}

/** Returns whether the spans of a turn prove speech, although it has no text of its own. */
const isSpoken = (turn: Span, all: readonly Span[], { spokenIf, part, audio, latency, endDelay }: Rule): boolean => {
  const hasParts = all.some(({ name }) => name === part)
  if (spokenIf === 'parts') return hasParts
  if (spokenIf === 'decision') return hasParts || (endDelay !== undefined && attribute(turn, endDelay) !== undefined)
  return all.some(({ name }) => name === audio) || readMs(turn, latency) !== undefined
}

/**
 * Returns the utterances in the spans of a framework, in chronological order.
 * @param used gets the IDs of their spans
 */
const findUtterances = (spans: readonly Span[], toMs: ToMilliseconds, used: Set<string>): AgentUtterance[] => {
  const groups = groupParts(spans)
  const utterances: AgentUtterance[] = []
  let caller: AgentUtterance | undefined
  for (const turn of spans) {
    if (!turnNames.has(turn.name)) continue
    const all = withoutInterims(groups.get(turn.id) ?? [])
    for (const { speaker, ...rule } of rules) {
      const isTurn = turn.name === rule.span && (!rule.identifiedBy || attribute(turn, rule.identifiedBy) !== undefined)
      if (!isTurn || utterances.length >= maxUtterances) continue
      const parts = all.filter(({ name }) => name === rule.part)
      const own = readText(turn, rule.text)
      if (own === '' && !isSpoken(turn, all, rule)) continue
      // Without a text, which agents can leave out of their spans, the turn keeps its times.
      const text = own || parts.map((part) => readText(part, rule.text)).join(' ')
      const times = speaker === 'caller' ? toCaller(turn, parts, rule, toMs) : toAgent(turn, all, rule, toMs, caller)
      const utterance = createUtterance(speaker, {
        text: text.slice(0, maxTextLength).trim(),
        ...times,
        members: { ...readMembers([turn, ...parts], rule), span_id: turn.id },
      })
      utterances.push(utterance)
      for (const { id } of [turn, ...all]) used.add(id)
      // A second response to the same words has no gap of its own.
      caller = speaker === 'caller' ? utterance : undefined
    }
  }
  return utterances
}

interface Frameworks {
  groups: ReadonlyMap<string, readonly Span[]>
  /** Whether there are more. */
  isCut: boolean
}

/** Returns the spans of each service that reports turns. */
const groupByService = (spans: readonly Span[]): Frameworks => {
  const names = new Set(spans.filter(({ name }) => turnNames.has(name)).map(({ service = '' }) => service))
  const groups = new Map([...names].slice(0, maxFrameworks).map((name): [string, Span[]] => [name, []]))
  for (const span of spans) groups.get(span.service ?? '')?.push(span)
  return { groups, isCut: names.size > groups.size }
}

interface MergedFrameworks extends Pick<CorrectedSpans, 'spans' | 'sources'>, Pick<Frameworks, 'isCut'> {
  turns: readonly MergedTurn[]
  /** The IDs of the spans that report turns. */
  spanIds: ReadonlySet<string>
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
  if (!spans.some(({ name }) => turnNames.has(name)))
    return { spans, sources, turns: platformTurns, isCut: false, spanIds: new Set() }
  const { groups, isCut } = groupByService(spans)
  let turns: readonly MergedTurn[] = platformTurns
  const spanIds = new Set<string>()
  const differences = new Map<string, number>()
  for (const { service, clock_difference_ms } of sources) {
    const utterances = findUtterances(groups.get(service) ?? [], toMs, spanIds)
    const difference = clock_difference_ms === null ? findClockDifference(utterances, platformTurns) : null
    if (difference !== null) differences.set(service, Math.round(difference))
    turns = mergeUtterances(turns, utterances, Math.round(difference ?? 0))
  }
  const move = (span: Span): Span => {
    const shift = BigInt(differences.get(span.service ?? '') ?? 0) * 1_000_000n
    return shift === 0n ? span : { ...span, start: span.start - shift, end: span.end - shift }
  }
  return {
    turns,
    spanIds,
    isCut,
    spans: spans.map(move).toSorted((a, b) => Number(a.start - b.start) || Number(b.end - a.end)),
    sources: sources.map((source) => ({
      ...source,
      clock_difference_ms: differences.get(source.service) ?? source.clock_difference_ms,
    })),
  }
}
