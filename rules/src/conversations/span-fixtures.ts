import type { Span, TraceAttribute } from '../traces/traces.ts'

/** Spans and measurements for the tests of conversations. */

export type Attributes = Readonly<Record<string, TraceAttribute['value']>>

/** The start of the call in milliseconds since the Unix epoch. */
export const startedAt = Date.parse('2026-11-02T10:00:00.250Z')

let lastId = 0
const toNanoseconds = (ms: number): bigint => BigInt(Math.round((startedAt + ms) * 1000)) * 1000n

/** Creates a span from `start` to `end`, in milliseconds since the start of the call. */
export const span = (
  name: string,
  start: number,
  end: number,
  attributes: Attributes = {},
  parent: Span | null = null,
): Span => {
  lastId += 1
  return {
    id: lastId.toString(16).padStart(16, '0'),
    parent: parent?.id ?? null,
    name,
    start: toNanoseconds(start),
    end: toNanoseconds(end),
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value })),
  }
}

/** Returns the attributes of a recognition with this transcript. */
export const recognized = (transcript: string, more: Attributes = {}) => ({
  'stt.resolve': 'speech',
  'stt.result': JSON.stringify({ alternatives: [{ transcript, confidence: 0.9 }] }),
  ...more,
})

/** Returns the CPU time of this thread since a function was called, in milliseconds. Other processes do not affect it. */
export const startCpuClock = (): (() => number) => {
  const before = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  }
}
