import { startHangingServer } from '@patchbay/testkit/fakes/hanging-server'
import { behaviorNames, behaviors, startHostilePeer } from '@patchbay/testkit/peers/hostile-peer'
import { type OtlpReceiver, startOtlpReceiver } from '@patchbay/testkit/peers/otlp-receiver'
import { freePort } from '@patchbay/testkit/servers/ports'
import { testConfiguration } from '@patchbay/testkit/test-api'
import { afterAll, expect, test } from 'vitest'
import { isTracing, startSpan } from '../lib/spans.ts'
import { createTracing, type Tracing } from './create-tracing.ts'
import { createSampler } from './otel-tracer.ts'

const receiver: OtlpReceiver = await startOtlpReceiver()
afterAll(() => receiver.stop())

interface Started {
  tracing: Tracing
  lines: unknown[][]
}

const start = (endpoint: string, more: NodeJS.ProcessEnv = {}): Started => {
  const { tracingExport } = testConfiguration({
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '10',
    OTEL_TRACES_SAMPLER: 'parentbased_always_on',
    ...more,
  })
  if (tracingExport === null) throw new Error('traces are disabled')
  const tracing = createTracing(tracingExport, { engine: 'sqlite', file: 'unused' }, '1.2.3')
  const lines: unknown[][] = []
  tracing.logTo({
    info: (message) => void lines.push([message]),
    warn: (fields, message) => void lines.push([message, fields]),
  })
  return { tracing, lines }
}

const createSpan = (name: string): void => startSpan({ name, kind: 'internal' })?.end()

const failing = 'traces cannot be exported and are dropped until the receiver accepts them'

test('repeats an export that the receiver could not accept, and names the version', async () => {
  const { tracing, lines } = start(receiver.url)
  let attempts = 0
  receiver.answer = (response) => {
    attempts += 1
    receiver.answer = undefined
    response.writeHead(503).end()
  }
  createSpan('repeated')
  await expect.poll(() => receiver.spans.map(({ name }) => name)).toEqual(['repeated'])
  expect(receiver.spans[0]?.resource).toMatchObject({ 'service.name': 'patchbay', 'service.version': '1.2.3' })
  expect(attempts).toBe(1)
  expect(lines).toEqual([])
  await tracing.close()
  expect(isTracing()).toBe(false)
})

test('drops an export that the receiver rejects, and logs the change only', async () => {
  const { tracing, lines } = start(receiver.url)
  let rejected = 0
  receiver.answer = (response) => {
    rejected += 1
    response.writeHead(400).end('secret of the receiver')
  }
  for (let count = 1; count <= 3; count += 1) {
    createSpan('rejected')
    await expect.poll(() => rejected).toBe(count)
  }
  receiver.answer = undefined
  createSpan('accepted')
  await expect.poll(() => lines.length).toBe(2)
  expect(lines).toEqual([
    [failing, { err: expect.objectContaining({ message: 'the receiver of traces responded with 400' }) }],
    ['traces are exported again'],
  ])
  await tracing.close()
})

test('drops spans when too many wait, and exports those that wait when it closes', async () => {
  receiver.spans.length = 0
  const { tracing } = start(receiver.url, { OTEL_BSP_MAX_QUEUE_SIZE: '100', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10' })
  for (let count = 1; count <= 5000; count += 1) createSpan('one of many')
  await tracing.close()
  // The first export was in progress when the others waited.
  expect(receiver.spans.length).toBe(110)
})

test('gives up a receiver that cannot be reached, and reports the reason', async () => {
  const { tracing, lines } = start(`http://127.0.0.1:${await freePort()}`, { OTEL_EXPORTER_OTLP_TIMEOUT: '50' })
  createSpan('lost')
  await expect.poll(() => lines).toMatchObject([[failing, { err: { code: 'ECONNREFUSED' } }]])
  await tracing.close()
})

test('ends within its time limit if the receiver never responds', async () => {
  const hanging = await startHangingServer()
  const { tracing } = start(hanging.origin, { OTEL_EXPORTER_OTLP_TIMEOUT: '600000' })
  createSpan('waits')
  await expect.poll(() => hanging.connections.size).toBe(1)
  const startedAt = performance.now()
  await tracing.close()
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  await expect.poll(() => hanging.connections.size).toBe(0)
  hanging.close()
})

test.each(behaviorNames)('survives a receiver that sends %s', async (name) => {
  const peer = await startHostilePeer(() => behaviors[name])
  const { tracing } = start(peer.origin, { OTEL_EXPORTER_OTLP_TIMEOUT: '100' })
  createSpan('lost')
  await expect.poll(() => peer.connections()).toBeGreaterThan(0)
  await tracing.close()
  await peer.untilAbandoned()
  expect(peer.bytesTaken()).toBeLessThan(4 * 1024 * 1024)
  await peer.stop()
})

test.each([
  ['always_on', /^AlwaysOnSampler$/],
  ['always_off', /^AlwaysOffSampler$/],
  ['traceidratio', /^TraceIdRatioBased\{0\.25\}$/],
  ['parentbased_always_on', /^ParentBased\{root=AlwaysOnSampler/],
  ['parentbased_always_off', /^ParentBased\{root=AlwaysOffSampler/],
  ['parentbased_traceidratio', /^ParentBased\{root=TraceIdRatioBased\{0\.25\}/],
] as const)('samples with %s', (sampler, expected) => {
  expect(createSampler({ sampler, sampleRatio: 0.25 }).toString()).toMatch(expected)
})
