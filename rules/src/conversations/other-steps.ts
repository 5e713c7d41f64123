import type { ConversationEvent, OtherStep, Turn } from '@patchbay/contract/conversations'
import { findRecordSpan } from '../recordings/regions.ts'
import { durationMs } from '../traces/trace-waits.ts'
import { attribute, type Span } from '../traces/traces.ts'

/** Finds the spans that no turn, no event, and no response gap contains, so that nothing in a call is hidden. Pure. */

const maxSteps = 2000
/** Summaries of verbs can quote long texts. */
const maxNameLength = 200
/** Spans are not deeper below their turn than this. */
const maxDepth = 20

interface VisibleParts {
  turns: readonly Pick<Turn, 'span_id' | 'gap'>[]
  events: readonly Pick<ConversationEvent, 'span_id'>[]
  /** The spans in which agent frameworks report turns, which can be merged with turns of the platform. */
  frameworkSpans: ReadonlySet<string>
}

const findVisibleIds = ({ turns, events, frameworkSpans }: VisibleParts, spans: readonly Span[]): Set<string> =>
  new Set(
    [
      ...frameworkSpans,
      ...turns.flatMap(({ span_id, gap }) => [span_id, ...(gap?.parts ?? []).map((part) => part.span_id)]),
      ...events.map(({ span_id }) => span_id),
      findRecordSpan(spans)?.id ?? null,
    ].filter((id) => id !== null),
  )

/** Returns the spans above a span, the nearest first. */
const listAbove = (span: Span, byId: ReadonlyMap<string, Span>): Span[] => {
  const above: Span[] = []
  let { parent } = span
  while (parent !== null && above.length < maxDepth) {
    const next = byId.get(parent)
    if (next === undefined) break
    above.push(next)
    ;({ parent } = next)
  }
  return above
}

const getName = (span: Span): string =>
  String(attribute(span, 'verb.summary') || span.name.replace(/^verb:/, '')).slice(0, maxNameLength)

/**
 * Returns the topmost spans that are shown nowhere else: what is below them belongs to them, and what contains a span that
 * is shown is shown with it.
 * @param spans in chronological order
 * @param toMs converts nanoseconds since the Unix epoch to milliseconds since the start of the call
 */
export const findOtherSteps = (
  spans: readonly Span[],
  visible: VisibleParts,
  toMs: (at: bigint) => number,
): { steps: OtherStep[]; isCut: boolean } => {
  const byId = new Map(spans.map((span) => [span.id, span]))
  const visibleIds = findVisibleIds(visible, spans)
  const above = new Map(spans.map((span) => [span.id, listAbove(span, byId)]))
  // The spans at the top of a trace are the call and the session of an agent.
  const isRoot = ({ parent }: Span) => parent === null || !byId.has(parent)
  const roots = [...above.values()].flatMap((all) => all.filter(isRoot).map(({ id }) => id))
  const containers = new Set([
    ...roots,
    ...[...visibleIds].flatMap((id) => (above.get(id) ?? []).map(({ id: one }) => one)),
  ])
  const isOther = ({ id }: Span) => !visibleIds.has(id) && !containers.has(id)
  const steps = spans.filter(
    (span) =>
      isOther(span) && (above.get(span.id) ?? []).every((one) => containers.has(one.id) && !visibleIds.has(one.id)),
  )
  return {
    steps: steps.slice(0, maxSteps).map((span) => ({
      at_ms: toMs(span.start),
      duration_ms: Math.round(durationMs(span)),
      name: getName(span),
      service: span.service ?? null,
      span_id: span.id,
    })),
    isCut: steps.length > maxSteps,
  }
}
