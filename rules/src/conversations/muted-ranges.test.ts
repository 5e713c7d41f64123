import { describe, expect, test } from 'vitest'
import type { Span } from '../traces/traces.ts'
import type { AgentEvent } from './agent-events.ts'
import { buildConversation } from './build-conversation.ts'
import type { VoiceActivity } from './find-voice.ts'
import { recognized, span, startCpuClock, startedAt } from './span-fixtures.ts'

/** The ranges in which a muted recording is silent. The recording starts 1 s after the call, and has 60 s. */

const activity = (voices: Partial<VoiceActivity> = {}): VoiceActivity => ({
  duration_ms: 60_000,
  caller: [],
  agent: [],
  ...voices,
})

interface Call {
  spans?: readonly Span[]
  voices?: Partial<VoiceActivity>
  agentEvents?: readonly AgentEvent[]
  labels?: readonly string[]
  recordedUntil?: number
  isTraceCut?: boolean
}

const findRanges = ({ spans = [], voices, agentEvents = [], labels = [], ...more }: Call) => {
  const root = [span('incoming-call', 0, 61_000), span('background-record:listen', 1000, more.recordedUntil ?? 61_000)]
  const conversation = buildConversation({
    spans: [...root, ...spans].toSorted((a, b) => Number(a.start - b.start)),
    isTraceCut: more.isTraceCut ?? false,
    agentEvents,
    recording: { status: 'analyzed', activity: activity(voices) },
    maskLabels: labels,
  })
  return conversation?.muted_ranges?.map(({ speaker, reason, start_ms, end_ms }) => [speaker, reason, start_ms, end_ms])
}

const hello = span('verb:say{text=x}', 1500, 3000, { text: 'Hello.' })
const masked = 'It is [card number].'

describe('a turn with masked text', () => {
  test('is muted from when the recognition began to listen, also if the caller pauses for long', () => {
    const card = span('stt-listen:1', 4000, 20_000, recognized(masked))
    // Four groups of digits. The turn begins with the last one.
    const caller = [4, 8, 12, 17].map((at) => ({ start: at * 1000, end: at * 1000 + 1500 }))
    expect(findRanges({ spans: [hello, card], voices: { caller } })).toEqual([['caller', 'masked_text', 3400, 20_600]])
  })

  test('is muted to the end of a word that continues outside of it', () => {
    const card = span('stt-listen:1', 4000, 6000, recognized(masked))
    const caller = [{ start: 2500, end: 6500 }]
    expect(findRanges({ spans: [hello, card], voices: { caller } })).toEqual([['caller', 'masked_text', 3200, 7800]])
  })

  test('is muted a second earlier if its start comes from talk spurts, which have whole seconds', () => {
    const spurt = { 'stt.talkspurts': JSON.stringify([[Math.ceil(startedAt / 1000) + 6, 0]]) }
    const card = span('stt-listen:1', 4000, 10_000, recognized(masked, spurt))
    const [range] = findRanges({ spans: [hello, card] }) ?? []
    expect(range?.slice(0, 2)).toEqual(['caller', 'masked_text'])
    expect(range?.[2]).toBeLessThanOrEqual(6000 + 750 - 1000 - 600)
  })

  test('is muted if the agent reports a shorter text after an interruption', () => {
    const card = span('verb:say{text=x}', 4000, 9000, { text: 'Your card is [card number], thank you.' })
    const agentEvents = [
      { at: startedAt + 9000, seq: 1, event: { type: 'turn_end', response: 'Your card is', interrupted: true } },
    ]
    expect(findRanges({ spans: [hello, card], agentEvents })).toContainEqual(['agent', 'masked_text', 3400, 9600])
  })

  test('is muted between its neighbors if only events of the agent contain it', () => {
    const transcripts = ['Good morning.', masked, 'Thank you, bye.']
    const agentEvents = transcripts.map((transcript, position) => ({
      at: startedAt + 10_000 * (position + 1),
      seq: position,
      event: { type: 'user_transcript', transcript },
    }))
    const [range, ...others] = findRanges({ spans: [hello], agentEvents }) ?? []
    expect(others).toEqual([])
    expect(range?.slice(0, 2)).toEqual(['caller', 'masked_text'])
    expect(range?.[2]).toBeLessThanOrEqual(10_000)
    expect(range?.[3]).toBeGreaterThanOrEqual(20_000)
  })

  test.each([
    ['a label of a pattern', 'agent', 'Your [contract] ends.', ['[contract]'], true],
    ['an instruction for a voice', 'agent', '[laughs] Hello.', ['[contract]'], false],
    ['a text that was not checked', 'agent', '[text not checked]', [], true],
    ['a label of a deleted pattern', 'caller', 'My [contract] ends.', [], true],
    ['a text without labels', 'caller', 'My contract ends.', ['[contract]'], false],
  ] as const)('%s of the %s', (_what, speaker, text, labels, isMuted) => {
    const turn =
      speaker === 'agent'
        ? span('verb:say{text=x}', 4000, 6000, { text })
        : span('stt-listen:1', 4000, 6000, recognized(text))
    const expected = isMuted ? [[speaker, 'masked_text', 3400, 6600]] : []
    expect(findRanges({ spans: [hello, turn], labels })).toEqual(expected)
  })
})

describe('speech without a text', () => {
  test('is muted in each channel, outside of turns that have a text', () => {
    const question = span('stt-listen:1', 10_000, 12_000, recognized('When?'))
    const caller = [
      { start: 5000, end: 7000 },
      // The recognition had ended before the caller did.
      { start: 9500, end: 18_000 },
    ]
    const agent = [
      { start: 700, end: 1900 },
      { start: 30_000, end: 31_000 },
      { start: 32_000, end: 33_000 },
    ]
    expect(findRanges({ spans: [hello, question], voices: { caller, agent } })).toEqual([
      ['caller', 'no_text', 5700, 9700],
      ['caller', 'no_text', 12_300, 19_300],
      ['agent', 'no_text', 30_700, 34_300],
    ])
  })
})

test('speech of the agent whose text the platform has cut is muted, because the rest of it is unknown', () => {
  const cut = span('verb:say{text=Your card is 41...}', 4000, 9000)
  const thought = span('stt-listen:1', 10_000, 14_000, recognized('I was thinking...'))
  const voices = { agent: [{ start: 3100, end: 7900 }], caller: [{ start: 10_000, end: 12_000 }] }
  expect(findRanges({ spans: [hello, cut, thought], voices })).toEqual([['agent', 'no_text', 3800, 9200]])
})

describe('pressed digits', () => {
  test('are muted on both sides if they are masked', () => {
    const spans = [
      hello,
      span('dtmf:•', 5000, 5100, { dtmf: '•', duration: '120ms' }),
      span('dtmf:5', 20_000, 20_100, { dtmf: '5', duration: '120ms' }),
    ]
    expect(findRanges({ spans })).toEqual([
      ['caller', 'pressed_digits', 4000, 6100],
      ['agent', 'pressed_digits', 4000, 6100],
    ])
  })
})

describe('the ranges are unknown', () => {
  const card = span('stt-listen:1', 4000, 6000, recognized(masked))
  test.each<[string, Call]>([
    ['without a text', { voices: { caller: [{ start: 1000, end: 2000 }] } }],
    ['if the trace is cut', { spans: [hello, card], isTraceCut: true }],
    ['if the recording was paused', { spans: [hello, card], recordedUntil: 66_000 }],
  ])('%s', (_why, call) => {
    expect(findRanges(call)).toBeUndefined()
  })

  test('without the start of the recording', () => {
    const recording = { status: 'analyzed', activity: activity() } as const
    const spans = [span('incoming-call', 0, 61_000), hello, card]
    expect(buildConversation({ spans, isTraceCut: false, recording })?.muted_ranges).toBeNull()
  })

  test('without an analyzed recording', () => {
    const spans = [span('incoming-call', 0, 61_000), span('background-record:listen', 0, 61_000), hello, card]
    for (const recording of [undefined, { status: 'analyzing' }] as const)
      expect(buildConversation({ spans, isTraceCut: false, recording })?.muted_ranges).toBeNull()
  })
})

test('a hostile trace takes a bounded time', () => {
  const spans = Array.from({ length: 4000 }, (_, position) =>
    span('stt-listen:1', 1000 + position * 10, 60_000, recognized(`${masked} ${position}`)),
  )
  const caller = Array.from({ length: 20_000 }, (_, position) => ({ start: position * 3, end: position * 3 + 1 }))
  const getCpuMs = startCpuClock()
  expect(findRanges({ spans, voices: { caller } })).toBeUndefined()
  expect(getCpuMs()).toBeLessThan(10_000)
})
