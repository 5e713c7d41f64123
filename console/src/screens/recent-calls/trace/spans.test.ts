import { summarizeWaits } from '@patchbay/rules/traces/trace-waits'
import { attribute, isTraceId, type Span } from '@patchbay/rules/traces/traces'
import { callSpans } from '@patchbay/server/demo/call-spans'
import { createRandom } from '@patchbay/server/demo/seeded-random'
import { describe, expect, test } from 'vitest'
import {
  durationText,
  isVisibleAttribute,
  shortName,
  toBarPosition,
  toExtent,
  toTicks,
  toTreeNodes,
  toVisibleRows,
} from './spans.ts'

const span = (id: string, more: Partial<Span> = {}): Span => ({
  id,
  parent: null,
  name: id,
  start: 0n,
  end: 1_000_000n,
  attributes: [],
  ...more,
})

const seconds = (value: number): bigint => BigInt(value * 1000) * 1_000_000n

describe('formatting', () => {
  test.each([
    [0, '0.00ms'],
    [0.3456, '0.35ms'],
    [0.999, '1.00ms'],
    [1, '1ms'],
    [349.6, '350ms'],
    [999.4, '999ms'],
    [999.7, '1.00s'],
    [3500, '3.50s'],
    [59_990, '59.99s'],
    [59_999, '1m 0s'],
    [125_400, '2m 5s'],
    [3_661_000, '61m 1s'],
  ])('CALLS-20 formats %f ms as %s', (milliseconds, text) => expect(durationText(milliseconds)).toBe(text))

  test('CALLS-21 truncates names to 36 characters', () => {
    expect(shortName('a'.repeat(36))).toBe('a'.repeat(36))
    expect(shortName('a'.repeat(37))).toBe(`${'a'.repeat(36)}...`)
  })

  test('CALLS-19 hides attributes with a key that begins with "telemetry" or "internal"', () => {
    const keys = [
      'telemetry.sdk.name',
      'internal.span.format',
      'telemetry',
      'tts.vendor',
      'my.telemetry',
      'service.name',
    ]
    expect(keys.filter(isVisibleAttribute)).toEqual(['tts.vendor', 'my.telemetry', 'service.name'])
  })

  test.each([
    ['0'.repeat(32), false],
    [`${'0'.repeat(31)}1`, true],
    [null, false],
    ['', false],
  ])('CALLS-35 a call with the trace id %s has a trace: %s', (trace_id, has) => expect(isTraceId(trace_id)).toBe(has))
})

describe('positions', () => {
  const whole = { start: 0n, end: seconds(10) }

  test('CALLS-22 draws no bar shorter than 0.05 s', () => {
    expect(toBarPosition(span('a', { end: 1n }), whole)).toEqual({ from: 0, length: 0.005 })
    expect(toBarPosition(span('b', { start: seconds(5), end: seconds(6) }), whole)).toEqual({ from: 0.5, length: 0.1 })
    expect(toBarPosition(span('c', { start: seconds(10), end: seconds(10) }), whole)).toEqual({
      from: 0.995,
      length: 0.005,
    })
  })

  test('handles a trace without duration', () => {
    const point = span('a', { end: 0n })
    expect(toBarPosition(point, toExtent([point]))).toEqual({ from: 0, length: 1 })
    expect(toExtent([])).toEqual({ start: 0n, end: 0n })
    expect(toTicks({ start: 0n, end: 0n })).toEqual([0])
  })

  test.each([
    [8, [0, 2000, 4000, 6000, 8000]],
    [88, [0, 20_000, 40_000, 60_000, 80_000]],
    [0.05, [0, 10, 20, 30, 40, 50]],
  ])('places even marks on an axis of %f s', (length, marks) => {
    expect(toTicks({ start: 0n, end: seconds(length) })).toEqual(marks)
  })
})

describe('tree', () => {
  const spans = [
    span('root'),
    span('say', { parent: 'root' }),
    span('tts', { parent: 'say', attributes: [{ key: 'tts.vendor', value: 'google' }] }),
    span('gather', { parent: 'root' }),
    span('orphan', { parent: 'elsewhere' }),
    span('one', { parent: 'two' }),
    span('two', { parent: 'one' }),
  ]
  const getRows = (folded: string[], filter = '') =>
    toVisibleRows(toTreeNodes(spans), new Set(folded), filter).map(({ span: { id }, level }) => `${level} ${id}`)

  test('lists every span once, below its parent', () => {
    expect(getRows([])).toEqual(['1 root', '2 say', '3 tts', '2 gather', '1 orphan', '1 one', '1 two'])
  })

  test('hides the children of folded spans', () => {
    expect(getRows(['say', 'orphan'])).toEqual(['1 root', '2 say', '2 gather', '1 orphan', '1 one', '1 two'])
  })

  test('filters by name and attribute, and keeps ancestors of matches even if they are folded', () => {
    expect(getRows(['root'], ' GOOGLE ')).toEqual(['1 root', '2 say', '3 tts'])
    expect(getRows([], 'gath')).toEqual(['1 root', '2 gather'])
    expect(getRows([], 'nowhere')).toEqual([])
  })

  test('handles a chain of 5,000 spans', () => {
    const chain = Array.from({ length: 5000 }, (_, n) => span(`${n}`, { parent: n === 0 ? null : `${n - 1}` }))
    expect(toVisibleRows(toTreeNodes(chain), new Set()).at(-1)?.level).toBe(5000)
  })
})

test('counts webhooks, synthesis until the first byte, and recognition after the speech as waits', () => {
  const call = callSpans(createRandom(7), {
    account_sid: 'a',
    service_provider_sid: 's',
    call_sid: 'c',
    application_sid: 'p',
    from: '1',
    to: '2',
    seconds: 60,
    recorded: true,
  }).map(({ name, from, until, attributes }, position) =>
    span(`${position}`, {
      name,
      start: seconds(from / 1000),
      end: seconds(until / 1000),
      attributes: Object.entries(attributes).map(([key, value]) => ({ key, value })),
    }),
  )
  const { all, byKind, longest } = summarizeWaits(call)
  expect(byKind.reduce((sum, { milliseconds }) => sum + milliseconds, 0)).toBe(all)
  expect(byKind.map(({ kind }) => kind).toSorted()).toEqual(['recognition', 'synthesis', 'webhook'])
  expect(longest?.span.name).toMatch(/^verb:hook/)
  const cached = call.filter((one) => attribute(one, 'tts.cached') === true)
  expect(cached.length).toBeGreaterThan(0)
  expect(summarizeWaits(cached).all).toBe(0)
})
