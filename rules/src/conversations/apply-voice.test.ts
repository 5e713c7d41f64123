import { conversation } from '@patchbay/contract/conversations'
import { describe, expect, test } from 'vitest'
import type { Span } from '../traces/traces.ts'
import { buildConversation } from './build-conversation.ts'
import type { VoiceActivity } from './find-voice.ts'
import { recognized, span, startCpuClock, startedAt } from './span-fixtures.ts'

const root = span('incoming-call', 0, 60_000)
const record = span('background-record:listen', 0, 60_000)

type Pair = [number, number]

const toActivity = (caller: Pair[], agent: Pair[]): VoiceActivity => {
  const toIntervals = (pairs: Pair[]) => pairs.map(([start, end]) => ({ start, end }))
  return { caller: toIntervals(caller), agent: toIntervals(agent), duration_ms: 60_000 }
}

const build = (activity: VoiceActivity, ...spans: Span[]) => {
  const sorted = [root, ...(spans.some(({ name }) => name === record.name) ? [] : [record]), ...spans].toSorted(
    (a, b) => Number(a.start - b.start) || Number(b.end - a.end),
  )
  const recording = { status: 'analyzed', activity } as const
  return conversation.parse(buildConversation({ spans: sorted, isTraceCut: false, recording }))
}

const describeTurns = ({ turns }: ReturnType<typeof build>) =>
  turns.map(({ speaker, start_ms, end_ms, text }) => [speaker, start_ms, end_ms, text])

describe('sounds that are no speech', () => {
  test.each([
    ['the span of its tone', 5000, 5200, {}],
    ['a span at its end', 5190, 5200, { duration: '200ms' }],
  ])('a key with %s is no turn of either side', (_what, from, until, more) => {
    const key = span('dtmf:1', from, until, { dtmf: '1', ...more })
    const later = span('verb:say{text=Thanks.}', 8300, 10_000, { text: 'Thanks.', time_to_first_byte_ms: '50' })
    const built = build(
      toActivity(
        [[4950, 5210]],
        [
          [4960, 5220],
          [8400, 9900],
        ],
      ),
      key,
      later,
    )
    expect(describeTurns(built)).toEqual([['agent', 8400, 9900, 'Thanks.']])
    expect(built.turns[0]?.gap).toBeNull()
  })

  test.each(['verb:play{music.mp3}', 'verb:dtmf{dtmf=1234}'])(
    'the audio of %s is no turn, and no part of one',
    (name) => {
      const before = span('verb:say{text=One moment.}', 500, 2500, { text: 'One moment.', time_to_first_byte_ms: '50' })
      const played = span(name, 2600, 12_000)
      const built = build(
        toActivity(
          [],
          [
            [620, 2400],
            [2700, 12_100],
          ],
        ),
        before,
        played,
      )
      expect(describeTurns(built)).toEqual([['agent', 620, 2400, 'One moment.']])
      expect(built.busy_ranges.map(({ reason }) => reason)).toEqual(['playback'])
    },
  )

  test('speech of the caller during music is a turn, and no short sound', () => {
    const built = build(toActivity([[5000, 5500]], [[1100, 9900]]), span('verb:play{music.mp3}', 1000, 10_000))
    expect(describeTurns(built)).toEqual([['caller', 5000, 5500, '']])
    expect(built.events.filter(({ kind }) => kind === 'backchannel')).toEqual([])
  })
})

describe('the times of turns in a recording', () => {
  test('replace those of the trace, and give the duration of the recognition', () => {
    const gather = span('verb:gather{inputs=speech}', 2000, 5400, recognized('To Lisbon.'))
    const say = span('verb:say{text=When?}', 5420, 7000, { text: 'When?', time_to_first_byte_ms: '150' })
    const built = build(toActivity([[3000, 4800]], [[5650, 6900]]), gather, say)
    expect(describeTurns(built)).toEqual([
      ['caller', 3000, 4800, 'To Lisbon.'],
      ['agent', 5650, 6900, 'When?'],
    ])
    const { gap } = built.turns[1] ?? {}
    expect([gap?.start_ms, gap?.duration_ms, gap?.starts_at]).toEqual([4800, 850, 'end_of_speech'])
    expect(gap?.parts.map(({ kind, duration_ms, evidence }) => [kind, duration_ms, evidence])).toEqual([
      ['endpointing', null, 'unknown'],
      ['speech_to_text', 600, 'derived'],
      ['text_to_speech_first_byte', 150, 'measured'],
      ['unattributed', 100, 'derived'],
    ])
  })

  test('do not contain a cough long before the speech, or speech outside of the recognition', () => {
    const gather = span('verb:gather{inputs=speech}', 1000, 12_000, recognized('Yes.'))
    const activity = toActivity(
      [
        [1500, 1700],
        [9000, 9600],
        [10_500, 11_000],
        [20_000, 21_000],
      ],
      [],
    )
    expect(describeTurns(build(activity, gather))).toEqual([
      ['caller', 9000, 11_000, 'Yes.'],
      ['caller', 20_000, 21_000, ''],
    ])
  })

  test('stay those of the trace if the recording is silent there', () => {
    const say = span('verb:say{text=Hello}', 1000, 3000, { text: 'Hello', time_to_first_byte_ms: '200' })
    const [turn] = build(toActivity([], [[30_000, 31_000]]), say).turns
    expect([turn?.start_ms, turn?.start_evidence]).toEqual([1200, 'derived'])
  })

  test('are those of the call if the recording starts later', () => {
    const later = span('background-record:listen', 4000, 60_000)
    const built = build(toActivity([], [[1000, 2000]]), later)
    expect(built.recording).toEqual({ status: 'analyzed', start_ms: 4000, encoder_delay_ms: 0 })
    expect(describeTurns(built)).toEqual([['agent', 5000, 6000, '']])
  })
})

test('the voices of a recording that the trace does not mention are not placed', () => {
  const say = span('verb:say{text=Hello}', 1000, 3000, { text: 'Hello', time_to_first_byte_ms: '200' })
  const recording = { status: 'analyzed', activity: toActivity([[5000, 6000]], [[900, 2000]]) } as const
  const built = buildConversation({ spans: [root, say], isTraceCut: false, recording })
  expect(built?.recording).toEqual({ status: 'analyzed', start_ms: null, encoder_delay_ms: 0 })
  expect(built?.turns.map(({ start_ms }) => start_ms)).toEqual([1200])
})

describe('interruptions in a recording', () => {
  const say = (start: number, end: number) =>
    span('verb:say{text=A long answer.}', start, end, { text: 'A long answer.', time_to_first_byte_ms: '1' })

  test('are overlaps: by the caller, and by the agent', () => {
    const activity = toActivity(
      [
        [4000, 6000],
        [10_000, 13_000],
      ],
      [
        [1000, 4500],
        [12_500, 15_000],
      ],
    )
    const unknown = { position: null, position_evidence: 'unknown' }
    expect(build(activity).turns.map(({ speaker, interruption }) => [speaker, interruption])).toEqual([
      ['agent', { by: 'caller', at_ms: 4000, ...unknown }],
      ['caller', null],
      ['caller', { by: 'agent', at_ms: 12_500, ...unknown }],
      ['agent', null],
    ])
  })

  test('are not those that the trace suggests, if the caller spoke after the audio', () => {
    const gather = span(
      'verb:gather{inputs=speech}',
      900,
      6000,
      recognized('Yes.', {
        'stt.resolve': 'speech-bargein-min-words',
        'stt.talkspurts': `[[${startedAt / 1000 + 2}, 1]]`,
      }),
    )
    const [agent] = build(toActivity([[4600, 5400]], [[1000, 4500]]), say(1000, 4500), gather).turns
    expect([agent?.speaker, agent?.interruption]).toEqual(['agent', null])
  })
})

describe('silence', () => {
  test('is an event from four seconds on, between voices and at the end', () => {
    const { events } = build(toActivity([[2000, 3000]], [[7000, 40_000]]))
    expect(events).toEqual([
      { kind: 'silence', at_ms: 3000, duration_ms: 4000, detail: '', arguments: null, span_id: null },
      { kind: 'silence', at_ms: 40_000, duration_ms: 20_000, detail: '', arguments: null, span_id: null },
    ])
  })

  test.each(['verb:dial{}', 'verb:conference{}', 'verb:enqueue{}', 'verb:play{}', 'verb:pause{}', 'send-refer'])(
    'is no event during %s',
    (name) => {
      const { events, busy_ranges } = build(toActivity([[2000, 3000]], [[48_000, 58_000]]), span(name, 3100, 47_920))
      expect(events.filter(({ kind }) => kind === 'silence')).toEqual([])
      expect(busy_ranges).toMatchObject([{ start_ms: 3100, end_ms: 47_920 }])
    },
  )

  test('is an event before and after the platform connects the caller', () => {
    const { events } = build(toActivity([[2000, 3000]], [[50_000, 58_000]]), span('verb:dial{}', 8000, 45_000))
    expect(
      events.filter(({ kind }) => kind === 'silence').map(({ at_ms, duration_ms }) => [at_ms, duration_ms]),
    ).toEqual([
      [3000, 5000],
      [45_000, 5000],
    ])
  })

  test('before the first words of the agent after a transfer is no slow response', () => {
    const gather = span('verb:gather{inputs=speech}', 2000, 3200, recognized('Sales, please.'))
    const say = span('verb:say{text=Back again}', 48_000, 50_000, { text: 'Back again' })
    const activity = toActivity([[2000, 3000]], [[48_100, 50_000]])
    const gapIn = (...more: Span[]) => build(activity, gather, say, ...more).turns[1]?.gap?.duration_ms
    expect(gapIn()).toBe(45_100)
    expect(gapIn(span('verb:dial{}', 3300, 47_900))).toBeUndefined()
  })

  test('is no event in a recording without a voice', () => {
    expect(build(toActivity([], [])).events).toEqual([])
  })
})

test('a call with nothing but a recording that is not available has no turns', () => {
  const built = buildConversation({
    spans: [],
    isTraceCut: false,
    call: { startedAt, endedAt: undefined },
    recording: { status: 'unavailable' },
  })
  expect(built).toMatchObject({
    recording: { status: 'unavailable', start_ms: 0, encoder_delay_ms: 0 },
    turns: [],
    events: [],
  })
  expect(built?.started_at).toBe(new Date(startedAt).toISOString())
})

test('two hours of speech in pieces are cut to 2,000 turns', () => {
  const pairs = Array.from({ length: 20_000 }, (_, at): Pair => [at * 360, at * 360 + 150])
  const says = Array.from({ length: 2000 }, (_, at) =>
    span('verb:say{text=Hi}', at * 3600, at * 3600 + 1000, { text: 'Hi', time_to_first_byte_ms: '1' }),
  )
  const { turns } = build({ ...toActivity(pairs, pairs), duration_ms: 7_200_000 }, ...says)
  expect(turns.length).toBe(2000)
})

test('twelve hours of short sounds, and turns that last for the whole call, take a bounded time', () => {
  const duration_ms = 12 * 3_600_000
  const pairs = Array.from({ length: duration_ms / 690 }, (_, at): Pair => [at * 690, at * 690 + 80])
  const listens = Array.from({ length: 5000 }, (_, at) =>
    span('verb:gather{inputs=speech}', at, duration_ms - at, recognized('Yes.')),
  )
  const getCpuMs = startCpuClock()
  const { turns } = build({ ...toActivity(pairs, pairs), duration_ms }, ...listens)
  expect(turns.length).toBe(2000)
  // Comparing each sound with each turn took 19 s.
  expect(getCpuMs()).toBeLessThan(5000)
})

describe('speech that no span describes', () => {
  const gather = span('verb:gather{inputs=speech}', 2000, 5000, recognized('To Lisbon.'))
  const say = span('verb:say{text=When?}', 12_000, 14_000, { text: 'When?', time_to_first_byte_ms: '100' })

  test('before and after a turn of the same side is a turn without a text', () => {
    const built = build(toActivity([[3000, 9000]], [[12_100, 13_900]]), gather, say)
    expect(describeTurns(built)).toEqual([
      ['caller', 3000, 5300, 'To Lisbon.'],
      ['caller', 5300, 9000, ''],
      ['agent', 12_100, 13_900, 'When?'],
    ])
    // The caller waited from the end of what was really said.
    expect(built.turns[2]?.gap).toMatchObject({ start_ms: 9000, duration_ms: 3100 })
  })

  test('is the end of a turn if it is short', () => {
    const built = build(toActivity([[3000, 6200]], [[12_100, 14_900]]), gather, say)
    expect(describeTurns(built).map(([, , , text]) => text)).toEqual(['To Lisbon.', 'When?'])
  })

  test('belongs to a turn whose times are only estimated', () => {
    const sorted = [root, record]
    const agentEvents = [{ seq: 0, at: startedAt + 5000, event: { type: 'user_transcript', transcript: 'To Lisbon.' } }]
    const recording = { status: 'analyzed', activity: toActivity([[4000, 9000]], []) } as const
    const built = buildConversation({ spans: sorted, isTraceCut: false, recording, agentEvents })
    expect(built?.turns.map(({ text }) => text)).toEqual(['To Lisbon.'])
  })

  test('is an event if it is a sound of agreement while the other side speaks on', () => {
    const built = build(toActivity([[13_000, 13_400]], [[12_100, 15_000]]), say)
    expect(built.turns.map(({ text }) => text)).toEqual(['When?'])
    expect(built.events.filter(({ kind }) => kind !== 'silence')).toEqual([
      { kind: 'backchannel', at_ms: 13_000, duration_ms: 400, detail: 'caller', arguments: null, span_id: null },
    ])
  })
})

describe('a call without a trace', () => {
  const call = { startedAt, answeredAt: startedAt + 10_000, endedAt: startedAt + 40_000 }
  const recording = { status: 'analyzed', activity: toActivity([[2000, 3000]], [[3500, 5000]]) } as const

  test('has a recording that begins with the answer', () => {
    const built = conversation.parse(buildConversation({ spans: [], isTraceCut: false, call, recording }))
    expect(built.recording?.start_ms).toBe(10_000)
    expect(describeTurns(built)).toEqual([
      ['caller', 12_000, 13_000, ''],
      ['agent', 13_500, 15_000, ''],
    ])
  })

  test('keeps its recording and its start if a framework with its own trace names the call', () => {
    const session = { ...span('agent_session', 9000, 45_000), service: 'my-agent' }
    const linkedSpans = [session, { ...span('chat', 13_100, 13_400, {}, session), service: 'my-agent' }]
    const built = conversation.parse(buildConversation({ spans: [], linkedSpans, isTraceCut: false, call, recording }))
    expect(built.started_at).toBe(new Date(startedAt).toISOString())
    expect(built.sources).toEqual([{ service: 'my-agent', clock_difference_ms: null }])
    expect(built.turns.map(({ start_ms }) => start_ms)).toEqual([12_000, 13_500])
  })
})
