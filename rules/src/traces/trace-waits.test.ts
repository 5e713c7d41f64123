import { describe, expect, test } from 'vitest'
import { findWaits, summarizeWaits } from './trace-waits.ts'
import type { Span, TraceAttribute } from './traces.ts'

/** A span with its times in seconds. */
const span = (
  id: string,
  name: string,
  [start, end]: readonly [number, number],
  parent: string | null = 'call',
  attributes: readonly TraceAttribute[] = [],
): Span => ({
  id,
  parent,
  name,
  start: BigInt(start * 1000) * 1_000_000n,
  end: BigInt(end * 1000) * 1_000_000n,
  attributes,
})

const call = span('call', 'incoming-call', [0, 60], null)
const latency: TraceAttribute = { key: 'stt.latency_ms', value: '6200' }

describe('a caller waits', () => {
  const listWaits = (...spans: Span[]) => [...findWaits([call, ...spans])].map(([id, wait]) => [id, wait.milliseconds])

  test('only until the end of the call', () => {
    const during = span('during', 'verb:hook', [10, 17])
    const atEnd = span('at the end', 'verb:hook', [58, 70])
    const after = span('after', 'verb:hook', [60.01, 67.2])
    expect(listWaits(during, atEnd, after)).toEqual([
      ['during', 7000],
      ['at the end', 2000],
    ])
  })

  test('for the whole webhook if the trace does not say when the call ended', () => {
    expect(summarizeWaits([span('hook', 'verb:hook', [60, 67], null)]).all).toBe(7000)
  })

  test.each([
    'verb:transcribe{}',
    'nested:transcribe',
    'background-transcribe',
    'background-listen:listen',
    'call-status:completed',
  ])('for nothing below %s', (name) => {
    const beside = span('beside', name, [0, 60])
    const recognition = span('recognition', 'stt-listen:1', [1, 10], 'beside', [latency])
    const hook = span('hook', 'verb:hook (/transcription)', [10, 17], 'recognition')
    expect(listWaits(beside, recognition, hook)).toEqual([])
  })

  test.each(['verb:gather{}', 'background-bargeIn:gather{}', 'verb:dial{}', 'verb:listen{}'])(
    'for a webhook below %s',
    (name) => {
      expect(listWaits(span('verb', name, [0, 10]), span('hook', 'verb:hook', [10, 17], 'verb'))).toEqual([
        ['hook', 7000],
      ])
    },
  )

  test('in a trace with a cycle of parents', () => {
    const [one, other] = [span('one', 'verb:gather', [0, 10], 'other'), span('other', 'verb:hook', [10, 17], 'one')]
    expect(listWaits(one, other)).toEqual([['other', 7000]])
  })
})
