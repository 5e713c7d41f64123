import type { Conversation } from '@patchbay/contract/conversations'
import { attribute, type Span } from '../traces/traces.ts'

/**
 * Corrects the clocks of the programs that wrote a trace. Pure. A program that is called cannot begin before its caller
 * or end after it, so a span outside of its parent shows how far the clocks differ.
 */

type SpanSource = Conversation['sources'][number]

const nanosecondsPerMs = 1e6

const getMiddle = ({ start, end }: Span): bigint => (start + end) / 2n

/** Returns by how many milliseconds the clock of a child is ahead of its parent's. Zero if the child fits into it. */
const measureDifference = (child: Span, parent: Span): number => {
  if (child.start >= parent.start && child.end <= parent.end) return 0
  // A child that takes longer than its parent runs in the background, so only its start is known to be within.
  const isLonger = child.end - child.start > parent.end - parent.start
  const ahead = isLonger ? child.start - parent.start : getMiddle(child) - getMiddle(parent)
  return Number(ahead) / nanosecondsPerMs
}

const median = (values: readonly number[]): number | null => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? null
}

const getService = ({ service = '' }: Span): string => service

/** Returns the service of the platform: that of the call's root span, or else of the first span. */
const findPlatform = (spans: readonly Span[]): string | undefined => {
  const root = spans.find((span) => attribute(span, 'callSid') !== undefined) ?? spans[0]
  return root && getService(root)
}

export interface CorrectedSpans {
  /** The spans in chronological order, by the clock of the platform. */
  spans: readonly Span[]
  /** The first span of the platform, if the call has a trace. */
  first: Span | undefined
  /** The platform first, if the call has a trace. */
  sources: readonly SpanSource[]
}

/**
 * Moves the spans of each service to the clock of the platform, by the median of what its spans below those of the
 * platform show. A service without such spans is not moved, and its difference is null.
 * @param trace the trace of the call
 * @param linked spans of other traces that name the call
 */
export const correctClocks = (trace: readonly Span[], linked: readonly Span[]): CorrectedSpans => {
  const platform = findPlatform(trace)
  // A program can export the same span to both.
  const own = new Set(trace.map(({ id }) => id))
  const spans = [...trace, ...linked.filter(({ id }) => !own.has(id))]
  const byId = new Map(spans.map((span) => [span.id, span]))
  const differences = new Map<string, number[]>()
  for (const span of spans) {
    const service = getService(span)
    const seen = differences.get(service) ?? []
    differences.set(service, seen)
    const parent = span.parent === null ? undefined : byId.get(span.parent)
    if (service === platform || parent === undefined || getService(parent) !== platform) continue
    seen.push(measureDifference(span, parent))
  }
  const sources = [...differences].map(([service, seen]): SpanSource => {
    const difference = service === platform ? 0 : median(seen)
    return { service, clock_difference_ms: difference === null ? null : Math.round(difference) }
  })
  const shifts = new Map(sources.map(({ service, clock_difference_ms }) => [service, BigInt(clock_difference_ms ?? 0)]))
  const moved = spans.map((span) => {
    const shift = (shifts.get(getService(span)) ?? 0n) * BigInt(nanosecondsPerMs)
    return shift === 0n ? span : { ...span, start: span.start - shift, end: span.end - shift }
  })
  const sorted = moved.toSorted((a, b) => Number(a.start - b.start) || Number(b.end - a.end))
  return {
    spans: sorted,
    // A program can begin its own trace before the call.
    first: sorted.find((span) => getService(span) === platform),
    sources: sources.toSorted((a, b) => Number(b.service === platform) - Number(a.service === platform)),
  }
}
