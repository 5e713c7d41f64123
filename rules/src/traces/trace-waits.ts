import { attribute, lastMilliseconds, type Span } from './traces.ts'

/** The waits of a caller according to the trace of the call. */

export const nanosecondsOfMillisecond = 1_000_000

/** Returns the duration of a span in milliseconds. */
export const durationMs = ({ start, end }: Pick<Span, 'start' | 'end'>): number =>
  Number(end - start) / nanosecondsOfMillisecond

/** Reasons why a caller waits. */
export type WaitKind = 'webhook' | 'synthesis' | 'recognition'

export interface Wait {
  kind: WaitKind
  milliseconds: number
}

/** Returns why and how long a caller waits during a span. Undefined for spans of another kind. */
export const getWait = (span: Span): Wait | undefined => {
  const { name } = span
  if (name === 'performAppWebhook' || name.startsWith('verb:hook'))
    return { kind: 'webhook', milliseconds: durationMs(span) }
  if (name === 'tts-generation' && attribute(span, 'tts.cached') !== true) {
    const first = lastMilliseconds(attribute(span, 'time_to_first_byte_ms'))
    return { kind: 'synthesis', milliseconds: first ?? durationMs(span) }
  }
  const latency = lastMilliseconds(attribute(span, 'stt.latency_ms'))
  return latency === undefined ? undefined : { kind: 'recognition', milliseconds: latency }
}

const callName = /^(?:incoming-call|rest-call|outbound-call)$/

/**
 * Reports, recognitions, and requests below these spans run beside the call. A gather in the background is none of them:
 * the platform waits for the verbs of its response.
 */
const besideCall = /^(?:call-status:|(?:verb|nested|whisper):transcribe\b|background-(?!bargeIn))/

/** The most levels of spans between a request and what it belongs to. */
const maxLevels = 10

/** Returns whether a span, or one above it within the levels, runs beside the call. */
const isBesideCall = (span: Span | undefined, byId: ReadonlyMap<string, Span>, levels = maxLevels): boolean =>
  span !== undefined &&
  levels > 0 &&
  (besideCall.test(span.name) || isBesideCall(byId.get(span.parent ?? ''), byId, levels - 1))

/**
 * Returns the waits of the caller by the ID of their span. A caller does not wait after the end of the call, or for what
 * runs beside it.
 */
export const findWaits = (spans: readonly Span[]): ReadonlyMap<string, Wait> => {
  const call = spans.find(({ name }) => callName.test(name))
  const byId = new Map(spans.map((span) => [span.id, span]))
  const waits = new Map<string, Wait>()
  for (const span of spans) {
    const wait = getWait(span)
    if (wait === undefined || isBesideCall(span, byId)) continue
    const milliseconds = Math.min(wait.milliseconds, call ? durationMs({ start: span.start, end: call.end }) : Infinity)
    if (milliseconds > 0) waits.set(span.id, { ...wait, milliseconds })
  }
  return waits
}

export interface Waits {
  /** Total in milliseconds. */
  all: number
  byKind: readonly { kind: WaitKind; milliseconds: number }[]
  longest: { span: Span; kind: WaitKind; milliseconds: number } | undefined
}

/** Sums up the waits of a call by kind, longest first. */
export const summarizeWaits = (spans: readonly Span[]): Waits => {
  const bySpan = findWaits(spans)
  const waits = spans.flatMap((span) => {
    const wait = bySpan.get(span.id)
    return wait ? [{ span, ...wait }] : []
  })
  const sum = (some: readonly { milliseconds: number }[]) => some.reduce((all, one) => all + one.milliseconds, 0)
  const kinds = (['webhook', 'synthesis', 'recognition'] as const).map((kind) => ({
    kind,
    milliseconds: sum(waits.filter((wait) => wait.kind === kind)),
  }))
  return {
    all: sum(waits),
    byKind: kinds.filter(({ milliseconds }) => milliseconds > 0).toSorted((a, b) => b.milliseconds - a.milliseconds),
    longest: waits.toSorted((a, b) => b.milliseconds - a.milliseconds)[0],
  }
}
