import { AlwaysOffSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSpanBatches } from './span-batches.ts'
import { spanEncodings } from './span-encoding.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const settings = { maxQueuedSpans: 8, maxSpansPerExport: 3, exportIntervalMs: 1000 }

/** Creates spans whose batches are sent to a receiver that responds when `respond` is called. */
const start = (provider: ConstructorParameters<typeof TracerProvider>[0] = {}) => {
  const bodies: string[] = []
  let respond = () => {}
  const send = (body: Uint8Array) => {
    bodies.push(Buffer.from(body).toString())
    return new Promise<void>((resolve) => (respond = resolve))
  }
  const batches = createSpanBatches(settings, spanEncodings.json, send)
  const tracer = new TracerProvider({ ...provider, spanProcessors: [batches] }).getTracer('test')
  let created = 0
  return {
    batches,
    create(count: number) {
      for (let index = 0; index < count; index += 1) tracer.startSpan(`s${(created += 1)}`).end()
    },
    respond: async () => {
      respond()
      await vi.advanceTimersByTimeAsync(0)
    },
    /** The names of the spans of each export. */
    exports: () => bodies.map((body) => body.match(/"name":"s\d+"/g)?.map((name) => name.slice(8, -1)) ?? []),
  }
}

test('sends a full batch immediately, and the remaining spans after the interval', async () => {
  const { create, respond, exports } = start()
  create(4)
  expect(exports()).toEqual([['s1', 's2', 's3']])
  await respond()
  await vi.advanceTimersByTimeAsync(999)
  expect(exports()).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(exports()).toEqual([['s1', 's2', 's3'], ['s4']])
})

test('collects spans in one batch while an export is in progress', async () => {
  const { create, respond, exports } = start()
  create(4)
  await vi.advanceTimersByTimeAsync(5000)
  create(1)
  expect(exports()).toHaveLength(1)
  await respond()
  expect(exports()[1]).toEqual(['s4', 's5'])
})

test('does not send an incomplete batch before its interval ends because an export has ended', async () => {
  const { create, respond, exports } = start()
  create(5)
  await respond()
  expect(exports()).toHaveLength(1)
  create(1)
  expect(exports()[1]).toEqual(['s4', 's5', 's6'])
})

test('drops spans when too many wait', async () => {
  const { create, respond, exports } = start()
  create(20)
  for (let count = 0; count < 3; count += 1) await respond()
  await vi.advanceTimersByTimeAsync(1000)
  expect(exports().map((spans) => spans.length)).toEqual([3, 3, 3, 2])
  await respond()
  create(3)
  expect(exports().at(-1)).toEqual(['s21', 's22', 's23'])
})

test('sends all spans when it is shut down, and ignores later ones', async () => {
  const { batches, create, respond, exports } = start()
  create(4)
  let isShutDown = false
  const shutdown = batches.shutdown().then(() => (isShutDown = true))
  create(1)
  await respond()
  expect(exports()).toEqual([['s1', 's2', 's3'], ['s4']])
  expect(isShutDown).toBe(false)
  await respond()
  await shutdown
  await vi.advanceTimersByTimeAsync(5000)
  expect(exports()).toHaveLength(2)
})

test('ignores spans that the sampler has left out', async () => {
  const { batches, create, exports } = start({ sampler: new AlwaysOffSampler() })
  create(5)
  await batches.forceFlush()
  expect(exports()).toEqual([])
})
