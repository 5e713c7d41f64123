import { conversation } from '@patchbay/contract/conversations'
import { describe, expect, test } from 'vitest'
import type { Span } from '../traces/traces.ts'
import { buildConversation, maxTurns } from './build-conversation.ts'
import { splitGap } from './response-gap.ts'
import { type Attributes, recognized, span, startedAt } from './span-fixtures.ts'

const root = span('incoming-call', 0, 60_000)

/** Builds a conversation, checks it against the contract, and that the parts of each gap add up to it. */
const build = (...spans: Span[]) => {
  const sorted = [root, ...spans].toSorted((a, b) => Number(a.start - b.start) || Number(b.end - a.end))
  const built = conversation.parse(buildConversation({ spans: sorted, isTraceCut: false }))
  for (const { gap } of built.turns)
    if (gap) {
      expect(gap.parts.every(({ duration_ms }) => duration_ms === null || duration_ms >= 0)).toBe(true)
      expect(gap.parts.reduce((sum, { duration_ms }) => sum + (duration_ms ?? 0), 0)).toBe(gap.duration_ms)
    }
  return built
}

const getParts = ({ turns }: ReturnType<typeof build>, position = turns.length - 1) =>
  Object.fromEntries((turns[position]?.gap?.parts ?? []).map((part) => [part.kind, [part.duration_ms, part.evidence]]))

test('a conversation begins with the call, although an agent began its trace before', () => {
  const before: Span = { ...span('agent_session', -500, 60_000), service: 'my-agent' }
  const platform: Span = { ...span('incoming-call', 0, 60_000, { callSid: 'x' }), service: 'jambonz' }
  const built = buildConversation({ spans: [before, platform], isTraceCut: false })
  expect([built?.started_at, built?.duration_ms]).toEqual([new Date(startedAt).toISOString(), 60_000])
})

test.each([
  ['incoming-call', 'outbound', 'inbound'],
  ['rest-call', 'outbound', 'outbound'],
  ['outbound-call', undefined, 'outbound'],
  ['say', 'outbound', 'outbound'],
  ['say', undefined, undefined],
] as const)(
  'the direction of a call whose trace begins with %s and whose record says %s is %s',
  (name, record, expected) => {
    const call = { startedAt, endedAt: undefined, direction: record }
    expect(buildConversation({ spans: [span(name, 0, 60_000)], isTraceCut: false, call })?.direction).toBe(expected)
  },
)

test('a span that a program has exported to two traces is one turn', () => {
  const say = span('verb:say{text=Hello}', 1000, 2000, { text: 'Hello', time_to_first_byte_ms: '100' })
  const built = buildConversation({ spans: [root, say], linkedSpans: [say], isTraceCut: false })
  expect(built?.turns.map(({ text }) => text)).toEqual(['Hello'])
})

describe('a gather with a webhook, and a say', () => {
  // The caller stops at 4200. The transcript is there at 4500, the webhook responds at 4900, the audio begins at 5150.
  const gather = span(
    'verb:gather{inputs=speech}',
    1000,
    4900,
    recognized('To Lisbon.', { 'stt.latency_ms': '250,300' }),
  )
  const hook = span('verb:hook', 4500, 4900, { 'http.body': '{"reason":"speechDetected"}' }, gather)
  const say = span('verb:say{text=Which day?}', 4920, 7000, { text: 'Which day?' })
  const generation = (attributes: Attributes, end = 5300) =>
    span('tts-generation', 4950, end, { 'tts.vendor': 'google', 'tts.voice': 'en-US-C', ...attributes }, say)

  test('have a gap that is split into recognition, application, synthesis, and the rest', () => {
    const built = build(gather, hook, say, generation({ 'tts.cached': false, time_to_first_byte_ms: '200' }))
    expect([built.started_at, built.duration_ms, built.is_cut]).toEqual(['2026-11-02T10:00:00.250Z', 60_000, false])
    expect(built.turns).toMatchObject([
      {
        speaker: 'caller',
        text: 'To Lisbon.',
        confidence: 0.9,
        start_ms: 1000,
        start_evidence: 'unknown',
        end_ms: 4200,
        end_evidence: 'derived',
        span_id: gather.id,
        gap: null,
        interruption: null,
      },
      { speaker: 'agent', text: 'Which day?', voice: 'en-US-C', start_ms: 5150, end_ms: 7000, span_id: say.id },
    ])
    expect(built.turns[1]?.gap).toMatchObject({ start_ms: 4200, duration_ms: 950, starts_at: 'end_of_speech' })
    expect(getParts(built)).toEqual({
      endpointing: [null, 'unknown'],
      speech_to_text: [300, 'measured'],
      application: [400, 'measured'],
      text_to_speech_first_byte: [200, 'measured'],
      unattributed: [50, 'derived'],
    })
    const [application] = built.turns[1]?.gap?.parts.filter(({ kind }) => kind === 'application') ?? []
    expect(application?.span_id).toBe(hook.id)
  })

  test('have no synthesis in the gap if the audio comes from the cache', () => {
    const built = build(gather, hook, say, generation({ 'tts.cached': true }, 4952))
    expect(built.turns[1]).toMatchObject({ start_ms: 4950, gap: { duration_ms: 750 } })
    expect(getParts(built)).toMatchObject({ text_to_speech_first_byte: [0, 'measured'], unattributed: [50, 'derived'] })
  })

  test('derive the synthesis from its span if the first byte is not reported', () => {
    const built = build(gather, hook, say, generation({ 'tts.cached': false }))
    expect(built.turns[1]?.start_ms).toBe(5300)
    expect(getParts(built)).toMatchObject({ text_to_speech_first_byte: [350, 'derived'] })
  })

  test('a streaming synthesis has its attributes on the verb', () => {
    const streaming = span('verb:say{text=Now}', 4920, 7000, { 'tts.cached': false, time_to_first_byte_ms: '130' })
    const built = build(gather, hook, streaming)
    expect(built.turns[1]).toMatchObject({ start_ms: 5050, gap: { duration_ms: 850 } })
    expect(getParts(built)).toMatchObject({ text_to_speech_first_byte: [130, 'measured'] })
  })

  test('have no gap if the trace does not say when the audio began', () => {
    expect(build(gather, hook, say).turns[1]).toMatchObject({ start_evidence: 'unknown', gap: null })
  })

  test('without a latency the gap begins at the transcript', () => {
    const listen = span('stt-listen:1', 1000, 4500, recognized('To Lisbon.'))
    const built = build(listen, hook, say, generation({ time_to_first_byte_ms: '200' }))
    expect(built.turns[0]).toMatchObject({ end_ms: 4500, end_evidence: 'unknown' })
    expect(built.turns[1]?.gap).toMatchObject({ start_ms: 4500, duration_ms: 650, starts_at: 'transcript' })
    expect(getParts(built)).toMatchObject({ speech_to_text: [null, 'unknown'], application: [400, 'measured'] })
  })
})

test.each(['CancelledError: ', 'asyncio.exceptions.CancelledError', 'GeneratorExit: ', 'AbortError: Aborted.'])(
  'canceled work is no error (%s)',
  (error) => {
    const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'book' }
    const spans = [span('tts_node', 1000, 2000), span('execute_tool', 2000, 3000, tool)]
    const { events } = build(...spans.map((one) => ({ ...one, error })))
    expect(events.map((event) => [event.kind, event.error])).toEqual([['tool_call', undefined]])
  },
)

test('a gather that times out after a key has an input', () => {
  const gather = span('verb:gather{inputs=digits}', 1000, 9000, { 'stt.resolve': 'timeout' })
  const count = (at: number) =>
    build(gather, span('dtmf:1', at, at + 20, { dtmf: '1' })).events.filter(({ kind }) => kind === 'no_input').length
  expect([count(5000), count(9500)]).toEqual([0, 1])
})

describe('calls of tools', () => {
  test('have the name, the arguments, and the error of their span', () => {
    const named = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'book_table' }
    const failed = { ...span('execute_tool book_table', 1000, 1500, named), error: 'timeout' }
    const liveKit = span('function_tool', 2000, 2100, {
      'lk.function_tool.name': 'find_table',
      'lk.function_tool.arguments': '{"seats":2}',
      'lk.function_tool.is_error': true,
    })
    const { events } = build(span('incoming-call', 0, 9000), failed, liveKit, span('execute_tool', 3000, 3100, named))
    expect(events.map(({ kind, detail, arguments: text, error }) => [kind, detail, text, error])).toEqual([
      ['tool_call', 'book_table', null, 'timeout'],
      ['tool_call', 'find_table', '{"seats":2}', ''],
      ['tool_call', 'book_table', null, undefined],
    ])
  })
})

describe('splitGap', () => {
  const step = (kind: 'speech_to_text' | 'application', start: number, end: number) =>
    ({ kind, evidence: 'measured', interval: { start, end }, source: null, span_id: null }) as const

  test('attributes an instant to the earlier step, and cuts steps at the gap', () => {
    const { parts } = splitGap({ start: 100, end: 200 }, 'end_of_speech', [
      step('application', 120, 160),
      step('application', 140, 500),
      step('speech_to_text', 0, 130),
    ])
    expect(parts.map(({ kind, duration_ms }) => [kind, duration_ms])).toEqual([
      ['speech_to_text', 30],
      ['application', 30],
      ['application', 40],
      ['unattributed', 0],
    ])
  })

  test('adds up to the gap for 2,000 random sets of steps', () => {
    let seed = 7
    const below = (limit: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return seed % limit
    }
    for (let round = 0; round < 2000; round += 1) {
      const steps = Array.from({ length: below(6) }, () => {
        const start = below(300) - 100
        return step(below(2) === 0 ? 'application' : 'speech_to_text', start, start + below(200) - 20)
      })
      const gap = splitGap({ start: 0, end: below(150) }, 'end_of_speech', steps)
      expect(gap.parts.every(({ duration_ms }) => duration_ms !== null && duration_ms >= 0)).toBe(true)
      expect(gap.parts.reduce((sum, { duration_ms }) => sum + (duration_ms ?? 0), 0)).toBe(gap.duration_ms)
    }
  })
})

describe('interruptions', () => {
  const say = span('verb:say{text=Let me read the rules}', 1000, 3200, {
    text: 'Let me read the rules',
    time_to_first_byte_ms: '100',
  })
  const at = (ms: number) => Math.floor((startedAt + ms) / 1000)

  test('are found by the reason that the recognition reports', () => {
    const bargeIn = span('background-bargeIn:gather{inputs=speech}', 900, 4000, {
      ...recognized('Stop!', { 'stt.latency_ms': '200' }),
      'stt.resolve': 'speech-bargein-transcript',
    })
    const [agent, caller] = build(say, bargeIn).turns
    expect(agent).toMatchObject({ speaker: 'agent', interruption: { by: 'caller', at_ms: 3200 } })
    expect(caller).toMatchObject({ speaker: 'caller', text: 'Stop!', interruption: null })
  })

  test('are found by talk spurts that begin during the audio', () => {
    const talkspurts = JSON.stringify([[at(2800), at(3800)]])
    const listen = span(
      'stt-listen:1',
      900,
      4000,
      recognized('Stop!', { 'stt.talkspurts': talkspurts, 'stt.latency_ms': '200' }),
    )
    const [agent, caller] = build(say, listen).turns
    expect(caller).toMatchObject({ start_ms: 2750, start_evidence: 'derived' })
    expect(agent?.interruption).toMatchObject({ by: 'caller', at_ms: 2750 })
  })

  test('have no word if it is in the part of a text that the platform has cut', () => {
    const cut = span('verb:say{text=Thank you for w...}', 1000, 5000, { time_to_first_byte_ms: '100' })
    const listen = (second: number) => {
      const talkspurts = JSON.stringify([[at(second), at(5500)]])
      return span(
        'stt-listen:1',
        900,
        6000,
        recognized('Stop!', { 'stt.talkspurts': talkspurts, 'stt.latency_ms': '200' }),
      )
    }
    const getInterruption = (second: number) => build(cut, listen(second)).turns[0]?.interruption
    expect(getInterruption(3800)).toMatchObject({ position: null, position_evidence: 'unknown' })
    expect(getInterruption(1800)).toMatchObject({ position: 'Thank you for'.length, position_evidence: 'derived' })
  })

  test('have the word that was spoken last, from the speed of the agent or the usual one', () => {
    const text = 'The first rule is that you never speak about the rules, and the second rule is the same one.'
    const long = span(`verb:say{text=${text}}`, 1000, 4000, { text, time_to_first_byte_ms: '100' })
    const listen = (talkspurts: string, from = 900) =>
      span('stt-listen:1', from, 5000, recognized('Stop!', { 'stt.talkspurts': talkspurts, 'stt.latency_ms': '200' }))
    const stop = JSON.stringify([[at(2800), at(3800)]])
    const getSpoken = (...spans: Parameters<typeof build>) => {
      const turn = build(...spans).turns.find(({ interruption }) => interruption !== null)
      const { position = null, position_evidence } = turn?.interruption ?? {}
      return [turn?.text.slice(0, position ?? 0), position_evidence]
    }
    // 1,650 ms at 15 characters per second.
    expect(getSpoken(long, listen(stop))).toEqual(['The first rule is that you', 'derived'])
    // The agent says 20 characters in 1,900 ms later.
    const slow = span('verb:say{text=x}', 10_000, 12_000, { text: 'y'.repeat(20), time_to_first_byte_ms: '100' })
    expect(getSpoken(long, listen(stop), slow)).toEqual(['The first rule is', 'derived'])
    // The platform cuts texts, so they do not show how fast the agent speaks.
    const cut = span('verb:say{text=Thank you for w...}', 10_000, 18_000, { time_to_first_byte_ms: '100' })
    expect(getSpoken(long, listen(stop), cut)).toEqual(['The first rule is that you', 'derived'])
    const chinese = '请说出您的出生日期和姓名'.repeat(5)
    const withoutSpaces = span('verb:say{text=x}', 1000, 4000, { text: chinese, time_to_first_byte_ms: '100' })
    expect(getSpoken(withoutSpaces, listen(stop))[0]).toHaveLength(25)
  })

  test('are not assumed if the caller speaks after the audio, or at an unknown time', () => {
    const later = JSON.stringify([[at(4300), at(5000)]])
    const unclear: readonly Attributes[] = [{ 'stt.talkspurts': later }, {}, { 'stt.talkspurts': '{"not":"a list"}' }]
    for (const more of unclear) {
      const listen = span('stt-listen:1', 900, 6000, recognized('Yes.', { ...more, 'stt.latency_ms': '200' }))
      expect(build(say, listen).turns[0]?.interruption).toBeNull()
    }
  })

  test('have no gap when the agent already speaks', () => {
    const early = span('verb:say{text=I}', 3000, 6000, { text: 'I', time_to_first_byte_ms: '100' })
    const listen = span('stt-listen:1', 900, 4000, recognized('And then', { 'stt.latency_ms': '100' }))
    expect(build(listen, early).turns.map(({ speaker, gap }) => [speaker, gap])).toEqual([
      ['agent', null],
      ['caller', null],
    ])
  })
})

test('events are digits, missing input, waits in a queue, transfers, and failed steps', () => {
  const failed = { ...span('verb:hook', 9000, 9100), error: 'the webhook answered 504' }
  const { events, turns } = build(
    span('dtmf:5', 1500, 1520, { channel: 1, dtmf: '5', duration: '120ms' }),
    span('verb:gather{inputs=speech}', 2000, 7000, { 'stt.resolve': 'timeout' }),
    span('verb:enqueue{}', 7200, 7900, { 'verb.summary': 'enqueue{support}' }),
    span('verb:dial{}', 8000, 8900, { 'verb.summary': 'dial{+15083084809}' }),
    failed,
    span('send-refer', 9500, 9600, { 'refer.status_code': 202 }),
    span('send-refer', 9700, 9800, { 'refer.status_code': 202, 'refer.finalNotify': 486 }),
  )
  expect(turns).toEqual([])
  expect(events.map(({ kind, at_ms, duration_ms, detail }) => [kind, at_ms, duration_ms, detail])).toEqual([
    ['dtmf', 1500, 20, '5'],
    ['no_input', 2000, 5000, ''],
    ['hold', 7200, 700, 'enqueue{support}'],
    ['transfer', 8000, 900, 'dial{+15083084809}'],
    ['error', 9000, 100, 'the webhook answered 504'],
    ['transfer', 9500, 100, '202'],
    ['transfer', 9700, 100, '486'],
  ])
})

test('a trace without spans has no conversation, and one without speech has no turns', () => {
  expect(buildConversation({ spans: [], isTraceCut: false })).toBeUndefined()
  expect(build().turns).toEqual([])
})

test('a trace with more turns is cut', () => {
  const kinds: readonly [name: string, attributes: Attributes][] = [
    ['stt-listen:1', recognized('Yes', { 'stt.latency_ms': '5' })],
    ['verb:say{text=No}', { text: 'No', time_to_first_byte_ms: '1' }],
    ['verb:hook', {}],
  ]
  const spans = Array.from({ length: 10_000 }, (_, index) => {
    const [name, attributes] = kinds[index % kinds.length] ?? ['', {}]
    return span(name, index * 10, index * 10 + 9, attributes)
  })
  const built = build(...spans)
  expect([built.turns.length, built.is_cut]).toEqual([maxTurns, true])
})
