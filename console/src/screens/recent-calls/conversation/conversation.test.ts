import type { ConversationEvent, ResponseGap, Turn } from '@patchbay/contract/conversations'
import { getGapSpeed } from '@patchbay/rules/conversations/gap-speed'
import { describe, expect, test } from 'vitest'
import { toItems } from './conversation-items.ts'
import { findFindings, millisecondsText, summarizeGaps } from './findings.ts'
import { findNearestTurn, findTurnAt, placeTurns } from './item-positions.ts'

const turn = (speaker: Turn['speaker'], start_ms: number, end_ms: number, more: Partial<Turn> = {}): Turn => ({
  speaker,
  start_ms,
  start_evidence: 'derived',
  end_ms,
  end_evidence: 'derived',
  text: 'Hello',
  confidence: null,
  voice: null,
  vendor: null,
  language: null,
  tokens: null,
  model: null,
  interruption: null,
  gap: null,
  span_id: '0000000000000001',
  ...more,
})

const gap = (start_ms: number, duration_ms: number): ResponseGap => ({
  start_ms,
  duration_ms,
  starts_at: 'end_of_speech',
  parts: [],
})

const event = (kind: ConversationEvent['kind'], at_ms: number, detail = ''): ConversationEvent => ({
  kind,
  at_ms,
  duration_ms: 10,
  detail,
  arguments: null,
  span_id: '0000000000000002',
})

describe('toItems', () => {
  test('places events between turns, by the end of the caller’s speech and the beginning of the agent’s audio', () => {
    const turns = [turn('caller', 0, 1000), turn('agent', 2000, 3000, { gap: gap(1000, 1000) })]
    const items = toItems({
      recording: null,
      turns,
      events: [event('dtmf', 500), event('tool_call', 1500), event('error', 2500)],
    })
    expect(items.map(({ key }) => key)).toEqual(['event-0', 'turn-0', 'event-1', 'turn-1', 'event-2'])
  })

  test('reports a silence of four seconds before a turn with a known beginning, but not the wait for a response', () => {
    const turns = [
      turn('agent', 0, 1000),
      turn('caller', 4999, 6000),
      turn('agent', 11_000, 12_000, { gap: gap(6000, 5000) }),
      turn('caller', 16_000, 17_000),
      turn('caller', 30_000, 31_000, { start_evidence: 'unknown' }),
    ]
    expect(toItems({ recording: null, turns, events: [] }).filter(({ kind }) => kind === 'silence')).toEqual([
      { kind: 'silence', key: 'silence-3', start_ms: 12_000, duration_ms: 4000 },
    ])
  })

  test('reports no silence while the platform connects the caller, and the rest of it', () => {
    const turns = [turn('agent', 0, 1000), turn('agent', 46_000, 47_000)]
    const during = (start_ms: number, end_ms: number) =>
      toItems({
        recording: null,
        turns,
        events: [],
        busy_ranges: [{ reason: 'transfer', start_ms, end_ms }],
      }).filter(({ kind }) => kind === 'silence')
    expect(during(1000, 46_000)).toEqual([])
    expect(during(6000, 40_000)).toEqual([
      { kind: 'silence', key: 'silence-1', start_ms: 1000, duration_ms: 5000 },
      { kind: 'silence', key: 'silence-1-1', start_ms: 40_000, duration_ms: 6000 },
    ])
  })

  test('reports no silence in which the caller presses digits', () => {
    const turns = [turn('agent', 0, 1000), turn('agent', 9500, 11_000)]
    const getKinds = (...events: ConversationEvent[]) =>
      toItems({ recording: null, turns, events }).filter(({ kind }) => kind === 'silence').length
    expect(getKinds(event('dtmf', 4500, '1'), event('dtmf', 7000, '2'))).toBe(0)
    expect(getKinds(event('tool_call', 4500, 'find_flights'))).toBe(1)
  })

  test('measures a silence from the latest end, if one turn lasts longer than the next', () => {
    const turns = [turn('agent', 0, 8000), turn('caller', 1000, 2000), turn('agent', 10_000, 11_000)]
    expect(toItems({ recording: null, turns, events: [] }).map(({ kind }) => kind)).toEqual(['turn', 'turn', 'turn'])
  })
})

test('silences of an analyzed recording replace the derived ones, without the waits for a response', () => {
  const turns = [
    turn('caller', 0, 1000),
    turn('agent', 9000, 10_000, { gap: gap(1000, 8000) }),
    turn('caller', 20_000, 21_000),
  ]
  const events = [event('silence', 1100), event('silence', 12_000)]
  const items = toItems({ recording: { status: 'analyzed', start_ms: 0, encoder_delay_ms: 0 }, turns, events })
  expect(items.filter(({ kind }) => kind !== 'turn')).toEqual([
    { kind: 'silence', key: 'silence-12000', start_ms: 12_000, duration_ms: 10 },
  ])
})

describe('findFindings', () => {
  test('finds slow responses, interruptions, low confidence, silences, missing input, and errors in order', () => {
    const turns = [
      turn('caller', 0, 1000, { confidence: 0.59 }),
      turn('agent', 2500, 4000, {
        gap: gap(1000, 1500),
        interruption: { by: 'caller', at_ms: 3900, position: null, position_evidence: 'unknown' },
      }),
      turn('caller', 8000, 9000, { confidence: 0.6 }),
      turn('agent', 10_499, 11_000, { gap: gap(9000, 1499) }),
    ]
    const events = [event('error', 9500, '504'), event('no_input', 12_000), event('tool_call', 9600, 'find_flights')]
    expect(findFindings(toItems({ recording: null, turns, events }), 'inbound')).toEqual([
      { kind: 'low_confidence', item: 'turn-0', at_ms: 0, detail: '59 %' },
      { kind: 'slow_response', item: 'turn-1', at_ms: 1000, detail: '1.50s' },
      { kind: 'interruption', item: 'turn-1', at_ms: 3900, detail: 'by the caller' },
      { kind: 'silence', item: 'silence-2', at_ms: 4000, detail: '4.00s' },
      { kind: 'error', item: 'event-0', at_ms: 9500, detail: '504' },
      { kind: 'no_input', item: 'event-1', at_ms: 12_000, detail: '' },
    ])
  })

  test('names the called party of an outbound call', () => {
    const interruption = { by: 'caller', at_ms: 900, position: null, position_evidence: 'unknown' } as const
    const items = toItems({ recording: null, turns: [turn('agent', 0, 1000, { interruption })], events: [] })
    expect(findFindings(items, 'outbound')).toMatchObject([{ kind: 'interruption', detail: 'by the called party' }])
  })

  test('finds nothing in an empty conversation', () => {
    expect(findFindings(toItems({ recording: null, turns: [], events: [] }), 'inbound')).toEqual([])
  })
})

test('response gaps are slow from 1.5 seconds and very slow from 3 seconds', () => {
  expect([1499, 1500, 2999, 3000].map(getGapSpeed)).toEqual(['normal', 'slow', 'slow', 'very slow'])
})

test('formats durations, including that of audio from the cache', () => {
  expect([0, 1, 350, 1620].map(millisecondsText)).toEqual(['0ms', '1ms', '350ms', '1.62s'])
})

test('summarizes the response gaps', () => {
  const withGaps = (...durations: number[]) => durations.map((ms) => turn('agent', 0, 1, { gap: gap(0, ms) }))
  expect(summarizeGaps([turn('agent', 0, 1)])).toBeUndefined()
  expect(summarizeGaps(withGaps(700))).toEqual({ count: 1, medianMs: 700, slowestMs: 700 })
  expect(summarizeGaps(withGaps(900, 300, 2000, 700))).toEqual({ count: 4, medianMs: 800, slowestMs: 2000 })
})

describe('positions in the recording', () => {
  const toPosition = (ms: number) => (ms - 1000) / 1000
  const items = toItems({
    recording: null,
    turns: [
      turn('agent', 0, 500),
      turn('agent', 500, 2000),
      turn('caller', 2000, 5000, { start_evidence: 'unknown' }),
      turn('agent', 6000, 7000),
      turn('caller', 8000, 9900),
      turn('agent', 10_000, 90_000),
      turn('caller', 95_000, 96_000),
    ],
    events: [event('dtmf', 3000)],
  })
  const positions = placeTurns(items, toPosition, {
    duration: 60,
    findSoundBegin: (channel, from) => (channel === 0 ? (from === 1 ? 3.2 : from + 0.9) : undefined),
  })

  test('are cut at its beginning and end, and come from the sound if the trace has no beginning', () => {
    expect(positions).toEqual([
      { key: 'turn-1', from: 0, until: 1 },
      { key: 'turn-2', from: 3.2, until: 4 },
      { key: 'turn-3', from: 5, until: 6 },
      { key: 'turn-4', from: 7.9, until: 8.9 },
      { key: 'turn-5', from: 9, until: 60 },
    ])
  })

  test('say which turn plays', () => {
    expect([0, 3.1, 3.2, 4.9, 5, 59].map((at) => findTurnAt(positions, at))).toEqual([
      'turn-1',
      'turn-1',
      'turn-2',
      'turn-2',
      'turn-3',
      'turn-5',
    ])
    expect(findTurnAt([], 3)).toBeUndefined()
  })
})

test('a link leads to the turn that begins nearest to its time', () => {
  const turnAt = (start_ms: number) => ({ start_ms, end_ms: start_ms + 500 }) as Turn
  const items = [0, 4000, 9000].map((start_ms, position) => ({
    kind: 'turn' as const,
    key: `turn-${position}`,
    turn: turnAt(start_ms),
  }))
  expect([0, 3900, 4100, 7000, 999_999_999].map((ms) => findNearestTurn(items, ms))).toEqual([
    'turn-0',
    'turn-1',
    'turn-1',
    'turn-2',
    'turn-2',
  ])
  expect(findNearestTurn([], 5)).toBeUndefined()
})
