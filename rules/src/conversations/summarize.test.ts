import type { Dimension } from '@patchbay/contract/conversations/figures'
import { describe, expect, test } from 'vitest'
import { buildConversation } from './build-conversation.ts'
import { getPercentiles, lastBucket, toBucket } from './duration-buckets.ts'
import { toFigures } from './quality-figures.ts'
import { recognized, span } from './span-fixtures.ts'
import { type Contribution, hasAgent, summarizeConversation } from './summarize.ts'
import { addToSums, formatSums, mergeSums, parseSums, sumUp } from './sums.ts'

describe('percentiles from buckets', () => {
  const count = (values: readonly number[]) => {
    const sums = sumUp(values.map((value) => ({ measure: 'gap', bucket: toBucket(value), amount: 1 })))
    return sums.get('gap') ?? []
  }

  test('differ by 4 % at most from those of the durations', () => {
    const values = Array.from({ length: 5000 }, (_, at) => 11 + ((at * 7919) % 4000) ** 1.3)
    const sorted = values.toSorted((a, b) => a - b)
    const { count: total, p50, p90, p95 } = getPercentiles(count(values))
    expect(total).toBe(5000)
    for (const [share, found] of [
      [0.5, p50],
      [0.9, p90],
      [0.95, p95],
    ] as const) {
      const exact = sorted[Math.ceil(5000 * share) - 1] ?? 0
      expect(Math.abs((found ?? 0) - exact) / exact).toBeLessThan(0.045)
    }
  })

  test.each([130_000, 600_000, 3_500_000])('distinguish long durations (%d ms)', (ms) => {
    const { p50 } = getPercentiles(count([ms]))
    expect(Math.abs((p50 ?? 0) - ms) / ms).toBeLessThan(0.045)
  })

  test('are null without a duration, and bounded for any duration', () => {
    expect(getPercentiles([])).toEqual({ count: 0, p50: null, p90: null, p95: null })
    expect(getPercentiles([0, 0, 0]).p50).toBeNull()
    expect([toBucket(0), toBucket(10), toBucket(11), toBucket(1e12)]).toEqual([0, 0, 2, lastBucket])
  })

  test('are equal for a single duration', () => {
    const { p50, p95 } = getPercentiles(count([1200]))
    expect(p50).toBe(p95)
    expect(Math.abs((p50 ?? 0) - 1200)).toBeLessThan(50)
  })
})

describe('sums', () => {
  const sums = sumUp([
    { measure: 'conversations', bucket: 0, amount: 2 },
    { measure: 'gap', bucket: 52, amount: 1 },
    { measure: 'gap', bucket: 54, amount: 3 },
    { measure: 'errors', bucket: 0, amount: 0 },
  ])

  test('are stored without the buckets around them', () => {
    expect(formatSums(sums)).toBe('{"conversations":[0,2],"gap":[52,1,0,3]}')
    expect(formatSums(new Map())).toBe('{}')
  })

  test('are the same after storing them, and can be merged and subtracted', () => {
    const stored = parseSums(formatSums(sums))
    mergeSums(stored, sums)
    expect(formatSums(stored)).toBe('{"conversations":[0,4],"gap":[52,2,0,6]}')
    addToSums(stored, { measure: 'gap', bucket: 52, amount: 2 }, -1)
    addToSums(stored, { measure: 'conversations', bucket: 0, amount: 4 }, -1)
    expect(formatSums(stored)).toBe('{"gap":[54,6]}')
  })
})

const root = span('incoming-call', 0, 60_000)
const build = (...spans: ReturnType<typeof span>[]) => {
  const sorted = [root, ...spans].toSorted((a, b) => Number(a.start - b.start) || Number(b.end - a.end))
  const built = buildConversation({ spans: sorted, isTraceCut: false })
  if (built === undefined) throw new Error('there is no conversation')
  return built
}
const call = {
  account_sid: 'A',
  application_sid: 'app',
  trunk: 'Telco',
  host: null,
  attempted_at: '2026-11-02T09:15:00.000Z',
}

const ask = (from: number, vendor: string) =>
  span('verb:gather{inputs=speech}', from, from + 2000, {
    'stt.resolve': 'speech',
    'stt.latency_ms': '300',
    'stt.result': JSON.stringify({
      vendor: { name: vendor },
      language_code: 'en-US',
      alternatives: [{ transcript: 'Hello', confidence: 0.9 }],
    }),
  })
const answer = (from: number, vendor: string) =>
  span('verb:say{text=Hi there.}', from, from + 1000, {
    text: 'Hi there.',
    'tts.vendor': vendor,
    'tts.voice': 'Anna',
    'tts.language': 'en-GB',
    time_to_first_byte_ms: '200',
  })

const select = (contributions: readonly Contribution[], dimension: Dimension, value: string) =>
  toFigures(sumUp(contributions.filter((one) => one.dimension === dimension && one.value === value)))

describe('a summary', () => {
  const conversation = build(
    ask(1000, 'deepgram'),
    answer(3100, 'elevenlabs'),
    ask(5000, 'google'),
    answer(7400, 'elevenlabs'),
    span('dtmf:5', 8000, 8000, { dtmf: '5' }),
  )
  const contributions = summarizeConversation(conversation, call)

  test('contains turns, characters, and gaps with their parts', () => {
    const all = select(contributions, 'all', '')
    expect(all).toMatchObject({ conversations: 1, caller_turns: 2, agent_turns: 2, characters: 18, errors: 0 })
    expect(all.durations.gap.count).toBe(2)
    expect(all.durations.speech_to_text.count).toBe(2)
    expect(all.durations.model_first_token.count).toBe(0)
    // The gaps are 600 and 900 ms long.
    expect(Math.abs((all.durations.gap.p50 ?? 0) - 600)).toBeLessThan(30)
    expect(Math.abs((all.durations.gap.p95 ?? 0) - 900)).toBeLessThan(40)
  })

  test('counts no characters of a text that the platform has cut', () => {
    const cut = span('verb:say{text=Thank you for w...}', 9000, 12_000, { time_to_first_byte_ms: '200' })
    const all = select(summarizeConversation(build(answer(3100, 'elevenlabs'), cut), call), 'all', '')
    expect(all).toMatchObject({ agent_turns: 2, characters: 9 })
  })

  test('counts each gap for the vendors around it', () => {
    const [deepgram, google] = ['deepgram', 'google'].map((vendor) => select(contributions, 'stt_vendor', vendor))
    expect([deepgram?.conversations, deepgram?.caller_turns, deepgram?.durations.gap.count]).toEqual([1, 1, 1])
    expect(deepgram?.durations.gap.p50).toBeLessThan(google?.durations.gap.p50 ?? 0)
    const elevenlabs = select(contributions, 'tts_vendor', 'elevenlabs')
    expect([elevenlabs.conversations, elevenlabs.agent_turns, elevenlabs.durations.gap.count]).toEqual([1, 2, 2])
    expect(select(contributions, 'voice', 'Anna').agent_turns).toBe(2)
    expect(select(contributions, 'language', 'en-US').caller_turns).toBe(2)
    expect(select(contributions, 'language', 'en-GB').agent_turns).toBe(2)
  })

  test('belongs to the application, the carrier, and the SBC of the call', () => {
    expect(select(contributions, 'application', 'app').durations.gap.count).toBe(2)
    expect(select(contributions, 'carrier', 'Telco').conversations).toBe(1)
    expect(select(contributions, 'sbc', '').conversations).toBe(1)
    expect(select(contributions, 'hour', '09').durations.gap.count).toBe(2)
  })

  test('counts silence and errors for each vendor, voice, language, and model of the conversation', () => {
    const { turns, events, ...rest } = conversation
    const silence = {
      kind: 'silence',
      at_ms: 0,
      duration_ms: 4500,
      detail: '',
      arguments: null,
      span_id: null,
    } as const
    const failed = [
      silence,
      { ...silence, duration_ms: 6000 },
      { ...silence, kind: 'error' } as const,
      { ...silence, kind: 'tool_call', error: '' } as const,
    ]
    const withModel = turns.map((turn) => (turn.speaker === 'agent' ? { ...turn, model: 'gpt-5' } : turn))
    const summary = summarizeConversation({ ...rest, turns: withModel, events: [...events, ...failed] }, call)
    for (const [dimension, value] of [
      ['all', ''],
      ['carrier', 'Telco'],
      ['stt_vendor', 'deepgram'],
      ['stt_vendor', 'google'],
      ['tts_vendor', 'elevenlabs'],
      ['voice', 'Anna'],
      ['language', 'en-US'],
      ['language', 'en-GB'],
      ['model', 'gpt-5'],
    ] as const)
      expect([dimension, select(summary, dimension, value)]).toMatchObject([
        dimension,
        { conversations: 1, silent_ms: 10_500, errors: 2 },
      ])
  })

  test('cuts values that are too long', () => {
    const long = summarizeConversation(build(ask(1000, 'x'.repeat(5000)), answer(4000, 'y')), call)
    expect(Math.max(...long.map(({ value }) => value.length))).toBe(128)
  })
})

test('only a call with an agent counts', () => {
  const voice = { caller: [{ start: 0, end: 900 }], agent: [{ start: 1000, end: 2000 }], duration_ms: 3000 }
  const recording = { status: 'analyzed', activity: voice } as const
  const recorded = buildConversation({
    spans: [],
    isTraceCut: false,
    call: { startedAt: 0, endedAt: undefined },
    recording,
  })
  expect(recorded && hasAgent(recorded)).toBe(false)
  expect(hasAgent(build(span('verb:gather{inputs=speech}', 0, 900, recognized('Hello'))))).toBe(false)
  expect(hasAgent(build(answer(1000, 'google')))).toBe(true)
})
