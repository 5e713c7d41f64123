import { describe, expect, test } from 'vitest'
import type { Span } from '../shared/traces.ts'
import { findBusyRanges, isBusy, withoutBusyRanges } from './busy-ranges.ts'

const nanosecondsPerMs = 1_000_000n
const toMs = (at: bigint): number => Number(at / nanosecondsPerMs)
const span = (name: string, start: number, end: number) =>
  ({ name, start: BigInt(start) * nanosecondsPerMs, end: BigInt(end) * nanosecondsPerMs }) as Span

describe('the platform is busy with the caller', () => {
  test.each([
    ['verb:dial{1}', 'transfer'],
    ['verb:dial', 'transfer'],
    ['verb:sip:refer{2}', 'transfer'],
    ['send-refer', 'transfer'],
    ['verb:conference{1}', 'conference'],
    ['verb:enqueue{1}', 'queue'],
    ['verb:dequeue{1}', 'queue'],
    ['verb:play{1}', 'playback'],
    ['verb:pause{1}', 'pause'],
  ])('during %s', (name, reason) => {
    expect(findBusyRanges([span(name, 1000, 45_820)], toMs)).toEqual([{ reason, start_ms: 1000, end_ms: 45_820 }])
  })

  test.each(['verb:gather{1}', 'verb:say{1}', 'verb:dialer', 'verb:llm{1}', 'dial', 'verb:hook', 'verb:listen{1}'])(
    'but not during %s',
    (name) => {
      expect(findBusyRanges([span(name, 1000, 2000)], toMs)).toEqual([])
    },
  )

  test('in the order of time, and never in an empty range', () => {
    const spans = [span('verb:play{2}', 5000, 6000), span('verb:dial{1}', 1000, 2000), span('verb:pause', 3000, 3000)]
    expect(findBusyRanges(spans, toMs).map(({ start_ms }) => start_ms)).toEqual([1000, 5000])
  })
})

test('a silence consists of the parts in which the platform was not busy', () => {
  const ranges = findBusyRanges([span('verb:dial{1}', 1000, 9000), span('verb:play{2}', 4000, 12_000)], toMs)
  expect(withoutBusyRanges(ranges, { start: 0, end: 20_000 })).toEqual([
    { start: 0, end: 1000 },
    { start: 12_000, end: 20_000 },
  ])
  expect(withoutBusyRanges(ranges, { start: 1000, end: 12_000 })).toEqual([])
  expect([isBusy(ranges, { start: 12_000, end: 13_000 }), isBusy(ranges, { start: 500, end: 1500 })]).toEqual([
    false,
    true,
  ])
})
