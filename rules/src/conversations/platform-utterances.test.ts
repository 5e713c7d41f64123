import { conversation } from '@patchbay/contract/conversations'
import { describe, expect, test } from 'vitest'
import type { Span } from '../traces/traces.ts'
import type { AgentEvent } from './agent-events.ts'
import { buildConversation } from './build-conversation.ts'
import { type Attributes, recognized, span, startCpuClock, startedAt } from './span-fixtures.ts'
import { hasAgent } from './summarize.ts'

const root = span('incoming-call', 0, 60_000)

const build = (spans: readonly Span[], agentEvents: readonly AgentEvent[] = []) => {
  const sorted = [root, ...spans].toSorted((a, b) => Number(a.start - b.start) || Number(b.end - a.end))
  return conversation.parse(buildConversation({ spans: sorted, isTraceCut: false, agentEvents }))
}

const describeTurns = ({ turns }: ReturnType<typeof build>) =>
  turns.map(({ speaker, text, start_ms, end_ms }) => [speaker, text, start_ms, end_ms])

const heard = (channel: 1 | 2, start: number, end: number, text: string, more: Attributes = {}) =>
  span(`stt-listen:${channel}`, start, end, recognized(text, more))

const say = (start: number, end: number, text: string) =>
  span('verb:say{text=…}', start, end, { text, time_to_first_byte_ms: '100', 'tts.vendor': 'google' })

describe('the same words', () => {
  test('are two turns if they were understood at different times, although the recognitions overlap', () => {
    const built = build([heard(1, 1000, 5000, 'Yes.'), heard(1, 4900, 9000, 'Yes.'), say(9100, 10_000, 'Fine.')])
    expect(built.turns.map(({ text, end_ms }) => [text, end_ms])).toEqual([
      ['Yes.', 5000],
      ['Yes.', 9000],
      ['Fine.', 10_000],
    ])
    expect(built.turns[2]?.gap?.duration_ms).toBe(200)
  })

  test('are one turn of a gather and of the background gather that ends before its webhook', () => {
    const background = span('background-bargeIn:gather{inputs=speech}', 500, 4000, recognized('Yes.'))
    const gather = span('verb:gather{inputs=speech}', 1000, 9000, recognized('Yes.'), root)
    const hook = span('verb:hook', 4300, 8900, {}, gather)
    expect(describeTurns(build([background, gather, hook]))).toEqual([['caller', 'Yes.', 500, 4000]])
    const later = span('verb:hook', 7000, 8900, {}, gather)
    expect(build([background, gather, later]).turns).toHaveLength(2)
  })
})

describe('a synthesis that fails', () => {
  const question = heard(1, 500, 4000, 'My balance?', { 'stt.latency_ms': '200' })
  const prompt = (end: number) => span('verb:say{text=It is five}', 4100, end)
  // The platform ends the span of a failed request without saying whether the audio was cached.
  const request = (verb: Span, start: number, end: number, more: Attributes = {}) =>
    span('tts-generation', start, end, { 'tts.vendor': 'google', ...more }, verb)

  test('is no turn, and no response', () => {
    const failed = prompt(4291)
    const built = build([question, failed, request(failed, 4100, 4290)])
    expect(describeTurns(built)).toEqual([['caller', 'My balance?', 500, 3800]])
  })

  test('is a turn from the audio of the next vendor on', () => {
    const verb = prompt(6000)
    const [first, second] = [
      request(verb, 4100, 4290),
      request(verb, 4290, 4600, { 'tts.vendor': 'aws', 'tts.cached': false }),
    ]
    const built = build([question, verb, first, second])
    expect(built.turns[1]).toMatchObject({ start_ms: 4600, vendor: 'aws', gap: { duration_ms: 800 } })
  })
})

test('a text is complete if the platform has not cut it', () => {
  const spans = ['Press 1', 'Welcome to our ...', 'Fifteen letters'].map((text, position) => {
    const verb = span(`verb:say{text=${text}}`, position * 2000, position * 2000 + 1500)
    return [verb, span('tts-generation', position * 2000, position * 2000 + 100, { 'tts.cached': true }, verb)]
  })
  expect(build(spans.flat()).turns.map(({ text }) => text)).toEqual([
    'Press 1',
    'Welcome to our ...',
    'Fifteen letters',
  ])
  // Only the first of several texts is in the summary.
  const several = span('verb:say{text=Press 1}', 0, 3000)
  const requests = [100, 200].map((end) => span('tts-generation', 0, end, { 'tts.cached': false }, several))
  expect(build([several, ...requests]).turns[0]?.text).toBe('Press 1…')
})

describe('a synthesis whose text arrives in parts', () => {
  const question = heard(1, 500, 3000, 'Hello?', { 'stt.latency_ms': '300' })

  test('is a turn without a text', () => {
    const attributes = { 'tts.cached': false, time_to_first_byte_ms: '200' }
    const built = build([question, span('verb:say streaming', 3100, 6000, attributes)])
    expect(describeTurns(built)[1]).toEqual(['agent', '', 3300, 6000])
    expect(built.turns[1]?.gap?.duration_ms).toBe(600)
  })

  test('is no turn if nothing was synthesized, and explains the silence around it', () => {
    const built = build([question, span('verb:say streaming', 3100, 30_000), say(31_000, 32_000, 'Goodbye.')])
    expect(built.turns.map(({ text }) => text)).toEqual(['Hello?', 'Goodbye.'])
    expect([built.turns[1]?.gap, built.busy_ranges[0]?.reason]).toEqual([null, 'unreported'])
  })
})

describe('a recognition on the side of the agent', () => {
  test('has the words of another party, who is no agent', () => {
    const built = build([
      span('verb:dial{type=phone}', 5000, 50_000),
      heard(1, 12_000, 15_000, 'Hi, it is me.'),
      heard(2, 6000, 19_000, 'Hello, this is Anna.'),
    ])
    expect(describeTurns(built)).toEqual([
      ['caller', 'Hi, it is me.', 12_000, 15_000],
      ['agent', 'Hello, this is Anna.', 17_700, 19_000],
    ])
    expect(built.turns[1]).toMatchObject({ start_evidence: 'unknown', vendor: null, gap: null, is_other_side: true })
    expect(hasAgent(built)).toBe(false)
  })

  test('has the times of the recording, and no music before it', () => {
    const listening = heard(2, 500, 20_100, 'Welcome to Acme.')
    const buildRecorded = (agent: readonly [number, number][]) => {
      const toIntervals = agent.map(([start, end]) => ({ start, end }))
      const activity = { caller: [], agent: toIntervals, duration_ms: 60_000 }
      const spans = [root, span('background-record:listen', 0, 60_000), listening]
      const built = buildConversation({ spans, isTraceCut: false, recording: { status: 'analyzed', activity } })
      return built?.turns.map(({ text, start_ms, end_ms }) => [text, start_ms, end_ms])
    }
    expect(
      buildRecorded([
        [1000, 12_000],
        [17_000, 19_900],
      ]),
    ).toEqual([
      ['', 1000, 12_000],
      ['Welcome to Acme.', 17_000, 19_900],
    ])
    expect(buildRecorded([[600, 5900]])).toEqual([['Welcome to Acme.', 600, 5900]])
  })

  test('has the words of a model that reports none', () => {
    const built = build([span('verb:Llm_OpenAI_s2s', 500, 50_000), heard(2, 600, 3000, 'How can I help?')])
    expect(describeTurns(built)).toEqual([['agent', 'How can I help?', 2025, 3000]])
    expect([hasAgent(built), built.busy_ranges]).toEqual([true, []])
  })

  test('repeats what the platform says', () => {
    const spans = [say(1000, 4000, 'Welcome to the bank.'), say(4100, 6000, 'How can I help you today?')]
    const repeated = heard(2, 500, 4600, 'welcome to a tank')
    const joined = heard(2, 4700, 7500, 'how can i help you today', { 'stt.latency_ms': '300' })
    const built = build([...spans, repeated, joined])
    expect(built.turns.map(({ text }) => text)).toEqual(['Welcome to the bank.', 'How can I help you today?'])
  })

  test('stays muted, because its masks are not recognizable', () => {
    const activity = {
      caller: [{ start: 12_000, end: 14_800 }],
      agent: [{ start: 17_000, end: 19_000 }],
      duration_ms: 60_000,
    }
    const built = buildConversation({
      spans: [
        root,
        span('background-record:listen', 0, 60_000),
        heard(1, 1000, 15_000, 'My number is secret.'),
        heard(2, 1000, 19_000, 'It is [deleted label].'),
      ],
      isTraceCut: false,
      recording: { status: 'analyzed', activity },
    })
    expect(built?.muted_ranges?.map(({ speaker, reason }) => [speaker, reason])).toEqual([['agent', 'no_text']])
  })

  test('gets the words that the agent reports', () => {
    const event = { type: 'llm_response', response: 'How can I help you?' }
    const built = build([heard(2, 600, 3000, 'how can eye help you')], [{ seq: 0, at: startedAt + 2500, event }])
    expect(built.turns.map(({ text, span_id }) => [text, span_id === null])).toEqual([['How can I help you?', false]])
  })

  test('takes a bounded time', () => {
    const getCpuMs = startCpuClock()
    const text = 'x'.repeat(300)
    const spans = Array.from({ length: 3000 }, (_, at) => [heard(2, at, 60_000, text), say(at, 60_000, `${at} y`)])
    build(spans.flat())
    expect(getCpuMs()).toBeLessThan(5000)
  })
})

describe('failures that the platform does not mark', () => {
  const describeErrors = (...spans: readonly Span[]) => build(spans).events.map(({ kind, detail }) => [kind, detail])

  test('are errors of webhooks', () => {
    expect(
      describeErrors(
        span('verb:hook (https://example.org)', 1000, 1100, { 'http.statusCode': 500 }),
        span('performAppWebhook', 2000, 2100, { webhookStatus: '404' }),
        span('verb:hook', 3000, 3100, { 'http.statusCode': 200 }),
        span('verb:hook', 4000, 4100, { 'http.statusCode': 'x' }),
        span('verb:hook', 5000, 5100),
      ),
    ).toEqual([
      ['error', 'HTTP 500'],
      ['error', 'HTTP 404'],
    ])
  })

  test.each([
    ['stt-error', '{"error":"quota exceeded"}', 'Speech recognition: quota exceeded'],
    ['error', '{"reason":"closed"}', 'Speech recognition: closed'],
    ['connection failure', '', 'Speech recognition: connection failure'],
    ['error', 'not JSON', 'Speech recognition: error'],
  ])('are recognitions that end with %s', (resolve, result, detail) => {
    const attributes = { 'stt.resolve': resolve, 'stt.result': result }
    expect(describeErrors(span('verb:gather{inputs=speech}', 1000, 2000, attributes))).toEqual([['error', detail]])
  })
})
