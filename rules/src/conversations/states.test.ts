import { conversation } from '@patchbay/contract/conversations'
import { describe, expect, test } from 'vitest'
import type { Span } from '../traces/traces.ts'
import { buildConversation } from './build-conversation.ts'
import type { VoiceActivity } from './find-voice.ts'
import { recognized, span, startedAt } from './span-fixtures.ts'
import { hasAgent, summarizeConversation } from './summarize.ts'

/** Findings in the states of the platform that explain them, from the spans to the figures. */

const root = span('incoming-call', 0, 60_000)
const record = span('background-record:listen', 0, 60_000)

type Pair = [number, number]

const toActivity = (caller: Pair[], agent: Pair[], duration_ms = 60_000): VoiceActivity => {
  const toIntervals = (pairs: Pair[]) => pairs.map(([start, end]) => ({ start, end }))
  return { caller: toIntervals(caller), agent: toIntervals(agent), duration_ms }
}

const build = (spans: readonly Span[], activity?: VoiceActivity) => {
  const all = [root, ...(activity ? [record] : []), ...spans]
  const sorted = all.toSorted((a, b) => Number(a.start - b.start) || Number(b.end - a.end))
  const recording = activity && ({ status: 'analyzed', activity } as const)
  return conversation.parse(buildConversation({ spans: sorted, isTraceCut: false, recording }))
}

const say = (start: number, end: number, text: string) =>
  span('verb:say{text=…}', start, end, { text, time_to_first_byte_ms: '100', 'tts.vendor': 'google' })
const listen = (start: number, end: number, text: string) =>
  span('stt-listen:1', start, end, recognized(text, { 'stt.latency_ms': '300' }))
const digit = (at: number) => span('dtmf:1', at, at + 100, { dtmf: '1' })

const getSilences = ({ events }: ReturnType<typeof build>) =>
  events.filter(({ kind }) => kind === 'silence').map(({ at_ms, duration_ms }) => [at_ms, duration_ms])

describe('a wait for the agent', () => {
  test('is none after a digit of the caller', () => {
    const spans = [listen(1000, 4000, 'I want to pay.'), say(9100, 11_000, 'Thanks.')]
    expect(build(spans).turns[1]?.gap?.duration_ms).toBe(5500)
    expect(build([...spans, digit(8500)]).turns[1]?.gap).toBeNull()
  })

  test('is none while a program without reports speaks with the caller', () => {
    const spans = [listen(1000, 4000, 'Hello?'), say(64_500, 66_000, 'Goodbye.')]
    const model = span('verb:Llm_OpenAI_s2s', 4100, 64_000)
    expect(build([...spans, model]).turns[1]?.gap).toBeNull()
    expect(build([...spans, model]).busy_ranges).toEqual([{ reason: 'unreported', start_ms: 4100, end_ms: 64_000 }])
    // The recording contains what such a program says.
    const recorded = build([model], toActivity([[5000, 6000]], [[13_000, 14_000]]))
    expect(recorded.busy_ranges).toEqual([])
    expect(recorded.turns[1]?.gap?.duration_ms).toBe(7000)
  })

  test('is unknown if the recording ends before the agent speaks, and no recognition was running', () => {
    const spans = [say(30_000, 32_000, 'Goodbye.')]
    expect(build(spans, toActivity([[4000, 6000]], [], 40_000)).turns[1]?.gap?.duration_ms).toBe(24_100)
    expect(build(spans, toActivity([[4000, 6000]], [], 20_000)).turns[1]?.gap).toBeNull()
    const recognition = listen(3000, 6200, 'Hello.')
    expect(build([recognition, ...spans], toActivity([[4000, 6000]], [], 20_000)).turns[1]?.gap).not.toBeNull()
  })
})

test('a dialed party that reports its turns is the agent', () => {
  const service = (one: Span): Span => ({ ...one, service: 'livekit-agents' })
  const session = service(span('agent_session', 500, 60_000, { call_sid: 'c' }))
  const heard = { 'lk.user_transcript': 'Where is my order?', 'lk.end_of_turn_delay': 0.5 }
  const linkedSpans = [
    session,
    service(span('user_turn', 5000, 7500, heard, session)),
    service(
      span('agent_turn', 7500, 14_000, { 'lk.response.text': 'It ships tomorrow.', 'lk.e2e_latency': 4.2 }, session),
    ),
    service(span('agent_speaking', 11_200, 13_800, {}, session)),
  ]
  const dials = [span('verb:dial{sip:agent}', 500, 20_000), span('verb:dial{person}', 20_000, 50_000)]
  // The recognition of the agent's words does not know when they began.
  const recognition = span('stt-listen:2', 600, 14_200, recognized('it ships tomorrow'))
  const built = conversation.parse(
    buildConversation({ spans: [root, ...dials, recognition], linkedSpans, isTraceCut: false }),
  )
  expect(built.busy_ranges).toEqual([{ reason: 'transfer', start_ms: 20_000, end_ms: 50_000 }])
  expect(built.turns).toMatchObject([
    { speaker: 'caller', end_ms: 7000 },
    { speaker: 'agent', text: 'It ships tomorrow.', start_ms: 11_200, end_ms: 13_800, gap: { duration_ms: 4200 } },
  ])
  expect(built.turns[1]?.is_other_side).toBeUndefined()
  expect(hasAgent(built)).toBe(true)
})

describe('silence in a recording', () => {
  test('ends with a digit', () => {
    const built = build(
      [digit(9000), digit(12_000)],
      toActivity(
        [],
        [
          [1000, 2000],
          [20_000, 60_000],
        ],
      ),
    )
    expect(getSilences(built)).toEqual([
      [2000, 7000],
      [12_100, 7900],
    ])
  })

  test('ends with the call', () => {
    const call = { startedAt, endedAt: startedAt + 20_000 }
    const recording = { status: 'analyzed', activity: toActivity([], [[1000, 2000]]) } as const
    const built = conversation.parse(buildConversation({ spans: [], isTraceCut: false, call, recording }))
    expect(getSilences(built)).toEqual([[2000, 18_000]])
  })
})

describe('interruptions in a recording', () => {
  const agent: Pair[] = [[1000, 12_000]]

  test('are none if the other side speaks on after the overlap', () => {
    const spoken = (caller: Pair[]) =>
      build([say(900, 12_000, 'A long explanation of all rules.')], toActivity(caller, agent)).turns.map(
        ({ interruption }) => interruption?.at_ms,
      )
    expect(spoken([[3000, 4500]])).toEqual([undefined, undefined])
    expect(spoken([[10_000, 11_500]])).toEqual([10_000, undefined])
    // The agent speaks on after the first words of the caller, and stops after the second ones.
    expect(
      spoken([
        [3000, 4500],
        [11_000, 13_000],
      ]),
    ).toEqual([11_000, undefined, undefined])
  })

  test('are none between the caller and another party, which do not count as turns of the agent', () => {
    const activity = toActivity(
      [
        [12_000, 15_000],
        [18_000, 21_000],
      ],
      [
        [1100, 2900],
        [10_000, 12_500],
        [14_500, 18_500],
      ],
    )
    const count = (...spans: Span[]) => {
      const facets = { account_sid: 'a', application_sid: null, trunk: null, host: null, attempted_at: '' }
      const sums = summarizeConversation(build([say(1000, 3000, 'One moment.'), ...spans], activity), facets)
      return ['agent_turns', 'caller_interruptions', 'agent_interruptions'].map(
        (measure) => sums.find((sum) => sum.dimension === 'all' && sum.measure === measure)?.amount ?? 0,
      )
    }
    expect(count()).toEqual([3, 2, 1])
    expect(count(span('verb:dial{1}', 3000, 58_000))).toEqual([1, 0, 0])
    const { turns } = build([say(1000, 3000, 'One moment.'), span('verb:dial{1}', 3000, 58_000)], activity)
    expect(turns.map(({ speaker, is_other_side }) => [speaker, is_other_side])).toEqual([
      ['agent', undefined],
      ['agent', true],
      ['caller', undefined],
      ['agent', true],
      ['caller', undefined],
    ])
  })
})

describe('missing input', () => {
  const timeout = { 'stt.resolve': 'timeout' }
  const getKinds = (...spans: Span[]) => build(spans).events.map(({ kind }) => kind)

  test('is a prompt without a response', () => {
    expect(getKinds(span('verb:gather{inputs=speech}', 2000, 12_000, timeout))).toEqual(['no_input'])
    const gather = span('verb:gather{inputs=speech}', 2000, 12_000)
    expect(getKinds(gather, span('stt-listen:1', 2010, 12_000, timeout, gather))).toEqual(['no_input'])
    const resolved = span('verb:gather{inputs=speech}', 2000, 12_000, timeout)
    expect(getKinds(resolved, span('stt-listen:1', 2010, 12_000, timeout, resolved))).toEqual(['no_input'])
  })

  test.each(['background-bargeIn:gather{inputs=speech}', 'stt-listen:1'])('is not a timeout of %s', (name) => {
    const background = span(name, 2000, 12_000, timeout, root)
    expect(getKinds(background)).toEqual([])
    expect(build([background]).other_steps.map(({ span_id }) => span_id)).toEqual([background.id])
  })

  test('is none if the recording has a response that was not understood', () => {
    const gather = span('verb:gather{inputs=speech}', 2000, 12_000, timeout)
    const getRecordedKinds = (caller: Pair[]) =>
      build([gather], toActivity(caller, [[13_000, 60_000]])).events.flatMap(({ kind }) =>
        kind === 'silence' ? [] : [kind],
      )
    expect(getRecordedKinds([[4000, 5500]])).toEqual([])
    expect(getRecordedKinds([[4000, 4200]])).toEqual(['no_input'])
    expect(getRecordedKinds([[500, 1900]])).toEqual(['no_input'])
  })

  test('is none while the platform connects the caller', () => {
    const gather = span('verb:gather{inputs=speech}', 2000, 12_000, timeout)
    expect(getKinds(gather, span('verb:dial{1}', 1000, 20_000))).toEqual(['transfer'])
  })
})
