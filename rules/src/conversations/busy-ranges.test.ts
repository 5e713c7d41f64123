import type { ConversationEvent } from '@patchbay/contract/conversations'
import { describe, expect, test } from 'vitest'
import type { Span } from '../traces/traces.ts'
import { findBusyRanges, findDigits, findStates, findUnexplainedParts, isExcluded } from './busy-ranges.ts'

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
    ['verb:rest:dial', 'transfer'],
    ['verb:dtmf{1}', 'playback'],
    ['nested:play{url=prompt.mp3}', 'playback'],
    ['whisper:play{1}', 'playback'],
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

test('a silence consists of the parts that no state and no digit explains', () => {
  const busy_ranges = findBusyRanges([span('verb:dial{1}', 1000, 9000), span('verb:play{2}', 4000, 12_000)], toMs)
  const find = (start: number, end: number, events: readonly ConversationEvent[] = []) =>
    findUnexplainedParts(busy_ranges, findDigits(events), { start, end })
  expect(find(0, 20_000)).toEqual([
    { start: 0, end: 1000 },
    { start: 12_000, end: 20_000 },
  ])
  expect(find(1000, 12_000)).toEqual([])
  const digit = { kind: 'dtmf', at_ms: 15_000, duration_ms: 100, detail: '5', arguments: null, span_id: null } as const
  expect(find(12_000, 20_000, [digit])).toEqual([
    { start: 12_000, end: 15_000 },
    { start: 15_100, end: 20_000 },
  ])
  expect(find(12_000, 20_000, [{ ...digit, kind: 'tool_call' }])).toHaveLength(1)
})

describe('states exclude findings', () => {
  const reasons = ['transfer', 'queue', 'conference', 'playback', 'pause', 'unreported'] as const
  test.each([
    ['silence', reasons],
    ['response_gap', reasons],
    ['interruption', ['transfer', 'queue', 'conference']],
    ['no_input', ['transfer', 'queue', 'conference']],
    ['agent_turn', ['transfer', 'queue', 'conference']],
  ] as const)('%s does not apply in %j', (finding, excluded: readonly string[]) => {
    for (const reason of reasons) {
      const ranges = [{ reason, start_ms: 1000, end_ms: 2000 }]
      expect([reason, isExcluded(finding, ranges, { start: 1500, end: 5000 })]).toEqual([
        reason,
        excluded.includes(reason),
      ])
      expect(isExcluded(finding, ranges, { start: 2000, end: 5000 })).toBe(false)
      expect(isExcluded(finding, ranges, { start: 0, end: 1000 })).toBe(false)
    }
  })

  test('at an instant, too', () => {
    const ranges = [{ reason: 'transfer', start_ms: 1000, end_ms: 2000 }] as const
    expect(isExcluded('interruption', ranges, { start: 1000, end: 1000 })).toBe(true)
    expect(isExcluded('interruption', ranges, { start: 2000, end: 2000 })).toBe(false)
  })
})

type TurnStart = readonly [speaker: 'caller' | 'agent', start_ms: number]

const toTurn = ([speaker, start_ms]: TurnStart) => ({ speaker, start_ms, start_evidence: 'unknown' }) as const

describe('another program speaks with the caller without a report', () => {
  const unreported = [{ reason: 'unreported', start_ms: 1000, end_ms: 9000 }]
  const find = (name: string, isRecorded: boolean, ...turns: readonly TurnStart[]) =>
    findStates([span(name, 1000, 9000)], { turns: turns.map(toTurn), isRecorded }, toMs)

  test.each([
    'verb:llm',
    'verb:Llm_OpenAI_s2s',
    'verb:agent',
    'verb:listen{wss://example.org}',
    'verb:dialogflow',
    'verb:say streaming',
    'background-ttsStream:say streaming',
  ])('during %s, if neither a recording nor another source has its turns', (name) => {
    expect(find(name, false)).toEqual(unreported)
    expect(find(name, false, ['caller', 2000], ['agent', 9000])).toEqual(unreported)
    expect(find(name, false, ['agent', 2000])).toEqual([])
    expect(find(name, true)).toEqual([])
  })

  test.each(['verb:gather{1}', 'verb:say{1}', 'verb:transcribe{1}', 'background-listen:listen', 'llm', 'verb:hook'])(
    'but not during %s',
    (name) => {
      expect(find(name, false)).toEqual([])
    },
  )
})

test('a party that reports its turns is the agent, and no other party', () => {
  const dials = [span('verb:dial{sip:agent}', 1000, 9000), span('verb:dial{person}', 10_000, 20_000)]
  const find = (...turns: Parameters<typeof findStates>[1]['turns']) =>
    findStates(dials, { turns, isRecorded: true }, toMs).map(({ start_ms }) => start_ms)
  const measured = { speaker: 'agent', start_ms: 2000, start_evidence: 'measured' } as const
  expect(find({ ...measured, report: {} })).toEqual([10_000])
  expect(find(measured)).toEqual([1000, 10_000])
  expect(find({ ...measured, report: {}, start_evidence: 'unknown' })).toEqual([1000, 10_000])
  expect(find({ ...measured, report: {}, speaker: 'caller' })).toEqual([1000, 10_000])
})
