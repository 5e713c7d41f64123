import { addToGroup } from '../lib/groups.ts'
import { attribute, type Span, type TraceAttribute } from '../traces/traces.ts'
import { type TurnRule, turnRules } from './framework-turn-rules.ts'
import { estimateDuration } from './platform-utterances.ts'

/** Finds the turns in spans of agent frameworks, and the spans with their parts. Pure. */

export const turnNames = new Set(turnRules.map(({ span }) => span))
/** Names of turns whose audio has a span. LiveKit does not always put it below the turn. */
const audioNames = new Set(turnRules.filter(({ audio }) => audio !== undefined).map(({ span }) => span))
const partNames = new Set(turnRules.flatMap(({ part, audio, alternative }) => [part, audio, alternative]))

/** The parts of a turn are not deeper below it than this. */
const maxDepth = 6

/** Returns the first attribute that is a text, or an empty text. */
export const readText = (span: Span, names: readonly string[]): string =>
  names
    .map((name) => attribute(span, name))
    .map((value) => (typeof value === 'string' ? value.trim() : ''))
    .find((text) => text !== '') ?? ''

/** Returns the span of the turn above a span. */
const findTurnAbove = ({ parent }: Span, byId: ReadonlyMap<string, Span>): Span | undefined => {
  let above = parent === null ? undefined : byId.get(parent)
  for (let depth = 1; depth < maxDepth && above !== undefined && !turnNames.has(above.name); depth += 1)
    above = above.parent === null ? undefined : byId.get(above.parent)
  return above !== undefined && turnNames.has(above.name) ? above : undefined
}

/** Returns the rule of a part with a text that can be outside of any turn, or undefined. */
export const findStrayRule = (span: Span): TurnRule | undefined =>
  turnRules.find(
    ({ hasStrayParts, part, alternative, text }) =>
      hasStrayParts && (span.name === part || span.name === alternative) && readText(span, text) !== '',
  )

/** Returns the parts of each turn by the ID of its span, and those outside of any turn, in chronological order. */
const groupParts = (spans: readonly Span[]) => {
  const byId = new Map(spans.map((span) => [span.id, span]))
  const groups = new Map<string, Span[]>()
  const strays: Span[] = []
  let lastWithAudio: Span | undefined
  for (const span of spans) {
    if (audioNames.has(span.name)) lastWithAudio = span
    if (!partNames.has(span.name)) continue
    const during = lastWithAudio !== undefined && span.start <= lastWithAudio.end ? lastWithAudio : undefined
    const turn = findTurnAbove(span, byId) ?? during
    if (turn !== undefined) addToGroup(groups, turn.id, span)
    else strays.push(span)
  }
  return { groups, strays }
}

/** A turn with its parts, and the rules that can apply to it. */
interface Candidate {
  turn: Span
  parts: readonly Span[]
  rules: readonly TurnRule[]
  /** Whether there is no span of the turn, so that its beginning is unknown. */
  isStray: boolean
}

/** Parts without a turn that follow each other by more than this belong to two. */
const maxStrayPause = 3_000_000_000n
const nanosecondsPerMs = 1_000_000n

/** Returns the turns of parts that are outside of any turn. */
const joinStrays = (strays: readonly Span[]): Candidate[] => {
  const joined: { turn: Span; parts: Span[]; rules: readonly [TurnRule]; isStray: true }[] = []
  for (const part of strays) {
    const rule = findStrayRule(part)
    if (rule === undefined) continue
    const last = joined.at(-1)
    if (last !== undefined && last.rules[0] === rule && part.start - last.turn.end <= maxStrayPause) {
      last.parts.push(part)
      last.turn = { ...last.turn, end: part.end > last.turn.end ? part.end : last.turn.end }
    } else joined.push({ turn: { ...part, attributes: [] }, parts: [part], rules: [rule], isStray: true })
  }
  return joined
}

/** A turn pauses a few times. More pauses are ignored, so that a hostile trace costs a bounded time. */
const maxPauses = 50

/** Returns the parts of an agent's turn in groups with a pause between them, such as the call of a tool. */
const groupByPause = (parts: readonly Span[], { part, text }: TurnRule): Span[][] => {
  const groups: Span[][] = [[]]
  let spokenUntil: bigint | undefined
  for (const span of parts) {
    const isSpoken = span.name === part
    const isLate = spokenUntil !== undefined && span.start - spokenUntil > maxStrayPause
    if (isSpoken && isLate && groups.length <= maxPauses) groups.push([])
    groups.at(-1)?.push(span)
    if (!isSpoken) continue
    const until = span.start + BigInt(estimateDuration(readText(span, text))) * nanosecondsPerMs
    spokenUntil = spokenUntil === undefined || until > spokenUntil ? until : spokenUntil
  }
  return groups
}

/** Splits a turn whose agent pauses: the caller hears the parts after a pause as another turn. The last one ends as reported. */
const splitAtPauses = (candidate: Candidate): Candidate[] => {
  const { turn, parts, rules } = candidate
  const rule = rules.find(({ speaker, hasStrayParts }) => speaker === 'agent' && hasStrayParts === true)
  const groups = rule === undefined ? [] : groupByPause(parts, rule)
  if (rule === undefined || groups.length < 2) return [candidate]
  const isOfEnd = ({ key }: TraceAttribute) => key === rule.interrupted || key === rule.endedWithCall
  return groups.flatMap((group, position): Candidate[] => {
    const [first, last] = [group[0], group.at(-1)]
    if (first === undefined || last === undefined) return []
    const isLast = position === groups.length - 1
    const attributes = turn.attributes.filter((one) => (isOfEnd(one) ? isLast : position === 0))
    const part = { ...(position === 0 ? turn : first), end: isLast ? turn.end : last.end, attributes }
    return [{ turn: part, parts: group, rules: position === 0 ? rules : [rule], isStray: position > 0 }]
  })
}

/** Returns all turns in chronological order. */
export const findCandidates = (spans: readonly Span[]): Candidate[] => {
  const { groups, strays } = groupParts(spans)
  const whole = spans
    .filter(({ name }) => turnNames.has(name))
    .map((turn): Candidate => {
      const rules = turnRules.filter(
        ({ span, identifiedBy }) =>
          span === turn.name && (identifiedBy === undefined || attribute(turn, identifiedBy) !== undefined),
      )
      return { turn, parts: groups.get(turn.id) ?? [], rules, isStray: false }
    })
    .flatMap(splitAtPauses)
  return [...whole, ...joinStrays(strays)].toSorted((a, b) => Number(a.turn.start - b.turn.start))
}
