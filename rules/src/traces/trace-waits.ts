import { lastMilliseconds } from '../recordings/regions.ts'
import { attribute, type Span } from './traces.ts'

/** The waits of a caller according to the trace of the call. */

export const nanosecondsOfMillisecond = 1_000_000

/** Returns the duration of a span in milliseconds. */
export const durationMs = ({ start, end }: Pick<Span, 'start' | 'end'>): number =>
  Number(end - start) / nanosecondsOfMillisecond

/** Reasons why a caller waits. */
export type WaitKind = 'webhook' | 'synthesis' | 'recognition'

/** Returns why and how long the caller waited during a span, or undefined if the caller did not wait. */
export const getWait = (span: Span): { kind: WaitKind; milliseconds: number } | undefined => {
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

export interface Waits {
  /** Total in milliseconds. */
  all: number
  byKind: readonly { kind: WaitKind; milliseconds: number }[]
  longest: { span: Span; kind: WaitKind; milliseconds: number } | undefined
}

/** Sums up the waits of a call by kind, longest first. */
export const summarizeWaits = (spans: readonly Span[]): Waits => {
  const waits = spans.flatMap((span) => {
    const wait = getWait(span)
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
