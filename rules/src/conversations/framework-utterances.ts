import { removeMarkup } from '../recordings/transcript.ts'
import { attribute, type Span } from '../traces/traces.ts'
import { findClockDifference } from './agent-clock.ts'
import { type AgentUtterance, createUtterance } from './agent-utterances.ts'
import type { CorrectedSpans } from './clock-differences.ts'
import { parseDelay } from './framework-steps.ts'
import { type TurnRule, turnRules } from './framework-turn-rules.ts'
import { findCandidates, findStrayRule, readText, turnNames } from './framework-turns.ts'
import { type MergedTurn, maxUtterances, mergeUtterances } from './merge-agent-events.ts'
import type { PlatformTurn, ToMilliseconds } from './platform-utterances.ts'
import { getSimilarity, normalizeText, toComparable } from './similar-text.ts'

/** Finds what was said in spans of agent frameworks (framework-turn-rules.ts). Pure. */

type Rule = Omit<TurnRule, 'speaker'>
type Members = NonNullable<AgentUtterance['members']>

const maxTextLength = 5000
/** A call has one framework. Turns are compared for each, so more are ignored, because only hostile traces have them. */
const maxFrameworks = 5
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

/** Returns the parts of a turn that contain its text. */
const findTextParts = (all: readonly Span[], { part, alternative, text }: Rule): readonly Span[] => {
  const parts = all.filter(({ name }) => name === part)
  return parts.length > 0
    ? parts
    : all.filter((span) => alternative !== undefined && span.name === alternative && readText(span, text) !== '')
}

/** A session ends its turns, and then itself, within this. */
const sessionEndMs = 1000n

/** Returns whether the end of a session has ended a turn. */
const isEndedBySession = ({ end }: Span, sessionEnd: bigint | undefined): boolean =>
  sessionEnd !== undefined && end >= sessionEnd - sessionEndMs * 1_000_000n

/** Returns whether the caller interrupted a turn that its framework reports as interrupted. */
const isByCaller = (turn: Span, { interruptedBy }: Rule, sessionEnd: bigint | undefined): boolean => {
  const source = interruptedBy && attribute(turn, interruptedBy.attribute)
  return source === undefined
    ? !isEndedBySession(turn, sessionEnd)
    : interruptedBy?.caller.includes(String(source)) === true
}

/** The words that a turn of the agent follows, and the end of its session. */
interface Before {
  caller: AgentUtterance | undefined
  sessionEnd: bigint | undefined
}

const toAgent = (
  turn: Span,
  all: readonly Span[],
  rule: Rule,
  toMs: ToMilliseconds,
  { caller, sessionEnd }: Before,
) => {
  const audio = all.find(({ name }) => name === rule.audio)
  const first = all.find(({ name }) => name === rule.part)
  const alternative = first === undefined ? findTextParts(all, rule)[0] : undefined
  const firstByte = readMs(first, rule.firstByte)
  const latency = readMs(turn, rule.latency)
  const played = first === undefined || firstByte === undefined ? undefined : toMs(first.start) + firstByte
  const spoken = audio === undefined ? played : toMs(audio.start)
  const start = spoken ?? (caller?.end === undefined || latency === undefined ? undefined : caller.end + latency)
  // The agent says how long the caller has waited, so the end of the speech follows from the beginning of the audio.
  if (caller !== undefined && start !== undefined && latency !== undefined) caller.end ??= start - latency
  const isCut = isTrue(turn, rule.interrupted) && !isTrue(turn, rule.endedWithCall)
  const isInterrupted = isCut && isByCaller(turn, rule, sessionEnd)
  // A turn can pause for the call of a tool.
  const ended = toMs((all.findLast(({ name }) => name === rule.audio) ?? turn).end)
  return {
    start,
    // The audio cannot begin before its synthesis.
    responseStart: rule.firstByte === undefined || first === undefined ? undefined : toMs(first.start),
    reported: alternative === undefined ? undefined : toMs(alternative.end),
    isSpokenText: isInterrupted && rule.hasSpokenText === true && readText(turn, rule.text) !== '',
    end: audio !== undefined || isCut || rule.endsWithAudio ? ended : undefined,
    interruptedAt: isInterrupted ? ended : undefined,
    request: caller,
  }
}

const sessionNames = new Set(turnRules.flatMap(({ session = [] }) => session))

/** Returns whether the spans of a turn prove speech, although it has no text of its own. */
const isSpoken = (turn: Span, all: readonly Span[], rule: Rule): boolean => {
  const { spokenIf, audio, latency, endDelay } = rule
  const hasParts = findTextParts(all, rule).length > 0
  if (spokenIf === 'parts') return hasParts
  if (spokenIf === 'decision') return hasParts || (endDelay !== undefined && attribute(turn, endDelay) !== undefined)
  return all.some(({ name }) => name === audio) || readMs(turn, latency) !== undefined
}

/**
 * Returns the utterances in the spans of a framework, in chronological order.
 * @param used gets the IDs of their spans
 */
const findUtterances = (spans: readonly Span[], toMs: ToMilliseconds, used: Set<string>): AgentUtterance[] => {
  const utterances: AgentUtterance[] = []
  const sessionEnds = spans.filter(({ name }) => sessionNames.has(name)).map(({ end }) => end)
  const sessionEnd = sessionEnds.toSorted((a, b) => Number(b - a))[0]
  let caller: AgentUtterance | undefined
  /** A turn of the caller whose end was not decided. */
  let undecided: AgentUtterance | undefined
  for (const { turn, parts: all, rules, isStray } of findCandidates(spans)) {
    const parts = withoutInterims(all)
    for (const { speaker, ...rule } of rules) {
      if (utterances.length >= maxUtterances) continue
      const textParts = findTextParts(parts, rule)
      const own = readText(turn, rule.text)
      const isKnown = own !== '' || isSpoken(turn, parts, rule)
      if (!isKnown && speaker === 'agent') continue
      // The agent knows how long the caller has waited, so the caller has spoken.
      if (speaker === 'agent' && caller === undefined && undecided !== undefined && readMs(turn, rule.latency)) {
        caller = undecided
        utterances.push(undecided)
        used.add(undecided.members?.span_id ?? '')
      }
      // Without a text, which agents can leave out of their spans, the turn keeps its times.
      const written = own || textParts.map((part) => readText(part, rule.text)).join(' ')
      const text = speaker === 'agent' ? removeMarkup(written) : written
      const times =
        speaker === 'caller'
          ? toCaller(turn, textParts, rule, toMs)
          : toAgent(turn, parts, rule, toMs, { caller, sessionEnd })
      const utterance = createUtterance(speaker, {
        text: text.slice(0, maxTextLength).trim(),
        ...times,
        ...(isStray && speaker === 'caller' ? { start: undefined } : {}),
        members: { ...readMembers([turn, ...textParts], rule), span_id: turn.id },
      })
      undecided = isKnown ? undefined : utterance
      if (!isKnown) continue
      utterances.push(utterance)
      for (const { id } of [turn, ...parts]) used.add(id)
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
  const reports = spans.filter((span) => turnNames.has(span.name) || findStrayRule(span) !== undefined)
  const names = new Set(reports.map(({ service = '' }) => service))
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
  const { groups, isCut } = groupByService(spans)
  if (groups.size === 0) return { spans, sources, turns: platformTurns, isCut: false, spanIds: new Set() }
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
