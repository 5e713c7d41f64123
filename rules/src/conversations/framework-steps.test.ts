import { type Conversation, conversation } from '@patchbay/contract/conversations'
import { describe, expect, test } from 'vitest'
import type { Span } from '../traces/traces.ts'
import { buildConversation } from './build-conversation.ts'
import { type Attributes, recognized, span } from './span-fixtures.ts'

describe('spans of other programs in the trace', () => {
  const service = (name: string, of: Span): Span => ({ ...of, service: name })
  const onPlatform = (of: Span) => service('jambonz-feature-server', of)
  const platformRoot = onPlatform(span('incoming-call', 0, 60_000, { callSid: 'c' }))
  // The caller stops at 4200, the transcript is there at 4700, and the audio begins at 6000.
  const gather = onPlatform(
    span('verb:gather{inputs=speech}', 1000, 5800, recognized('To Lisbon.', { 'stt.latency_ms': '500' }), platformRoot),
  )
  const hook = onPlatform(span('verb:hook', 4700, 5750, {}, gather))
  const say = onPlatform(
    span('verb:say{text=When?}', 5800, 7000, { text: 'When?', time_to_first_byte_ms: '200' }, platformRoot),
  )
  const platform = [platformRoot, gather, hook, say]
  /** Builds from these spans only, which have a root span of their own. */
  const buildFrom = (...spans: Span[]) => {
    const sorted = spans.toSorted((a, b) => Number(a.start - b.start) || Number(b.end - a.end))
    return conversation.parse(buildConversation({ spans: sorted, isTraceCut: false }))
  }
  const getDurations = ({ turns }: Conversation) =>
    (turns[1]?.gap?.parts ?? []).map(({ kind, duration_ms, evidence, source }) => [kind, duration_ms, evidence, source])
  const server = 'jambonz-feature-server'
  const rest = [
    ['text_to_speech_first_byte', 200, 'measured', server],
    ['unattributed', 50, 'derived', null],
  ]

  test('take the model out of the time of the application (GenAI conventions)', () => {
    const chat = (more: Attributes) =>
      service('my-bot', span('chat gpt', 4800, 5700, { 'gen_ai.operation.name': 'chat', ...more }, hook))
    const recognition = [
      ['endpointing', null, 'unknown', null],
      ['speech_to_text', 500, 'measured', server],
    ]
    const streaming = buildFrom(...platform, chat({ 'gen_ai.response.time_to_first_chunk': 0.6 }))
    expect(getDurations(streaming)).toEqual([
      ...recognition,
      ['model_first_token', 600, 'measured', 'my-bot'],
      ['application', 450, 'measured', server],
      ...rest,
    ])
    const whole = buildFrom(...platform, chat({}))
    expect(getDurations(whole)[2]).toEqual(['model_first_token', 900, 'derived', 'my-bot'])
    expect(whole.turns[1]?.gap?.duration_ms).toBe(1800)
  })

  test('name the model and its tokens, once for a request with several spans', () => {
    const operation = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-5' }
    const usage = { 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': '20' }
    const bot = (name: string, start: number, end: number, attributes: Attributes) =>
      service('my-bot', span(name, start, end, attributes, hook))
    const { turns } = buildFrom(
      ...platform,
      bot('llm_node', 4710, 5000, operation),
      bot('llm_request', 4720, 4990, usage),
      bot('chat', 5100, 5600, { ...operation, ...usage, 'gen_ai.response.model': 'gpt-5-mini' }),
      // The models of other steps, and of the next turn, are no language models of this one.
      bot('tts', 5610, 5700, { 'gen_ai.operation.name': 'tts', 'gen_ai.request.model': 'sonic' }),
      bot('stt', 4300, 4600, { 'gen_ai.request.model': 'nova' }),
      bot('llm', 9000, 9500, { 'gen_ai.request.model': 'later' }),
    )
    expect(turns.map(({ speaker, model, tokens }) => [speaker, model, tokens])).toEqual([
      ['caller', null, null],
      ['agent', 'gpt-5-mini', { input: 200, output: 40 }],
    ])
    const unusable = { ...operation, 'gen_ai.request.model': '', 'gen_ai.usage.input_tokens': -1 }
    const [, agent] = buildFrom(...platform, bot('chat', 4800, 5700, unusable)).turns
    expect([agent?.model, agent?.tokens]).toEqual([null, null])
  })

  test('split the recognition into the transcript and the end of the turn (LiveKit agents)', () => {
    const delays = { 'lk.transcription_delay': 0.2, 'lk.end_of_turn_delay': 0.45 }
    const built = buildFrom(
      ...platform,
      service('livekit', span('user_turn', 2000, 4650, delays, platformRoot)),
      service('livekit', span('llm_node', 4710, 5600, { 'lk.response.ttft': '0.35' }, platformRoot)),
    )
    expect(getDurations(built)).toEqual([
      ['endpointing', 250, 'measured', 'livekit'],
      ['speech_to_text', 200, 'measured', 'livekit'],
      ['model_first_token', 350, 'measured', 'livekit'],
      ['application', 700, 'measured', server],
      ['text_to_speech_first_byte', 200, 'measured', server],
      ['unattributed', 100, 'derived', null],
    ])
  })

  test('are the first bytes of the model and the voice (Pipecat), and not those of other steps', () => {
    const step = (name: string, start: number, seconds: number) =>
      service('pipecat', span(name, start, start + 900, { 'metrics.ttfb': seconds }, hook))
    const built = buildFrom(...platform, step('stt', 4300, 0.3), step('llm', 4750, 0.5), step('tts', 5260, 0.1))
    expect(getDurations(built).slice(2)).toEqual([
      ['model_first_token', 500, 'measured', 'pipecat'],
      ['application', 450, 'measured', server],
      ['text_to_speech_first_byte', 200, 'measured', server],
      ['text_to_speech_first_byte', 100, 'measured', 'pipecat'],
      ['unattributed', 50, 'derived', null],
    ])
  })

  test.each([
    ['ahead', 7000],
    ['behind', -90_000],
  ])('are moved if their clock is %s', (_how, difference) => {
    const chat = span('chat', 4700 + difference, 5750 + difference, { 'gen_ai.operation.name': 'chat' }, hook)
    const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'find_flights' }
    const call = service('my-bot', span('execute_tool', 5000 + difference, 5200 + difference, tool, chat))
    const built = buildFrom(...platform, service('my-bot', chat), call)
    expect(built.sources).toEqual([
      { service: server, clock_difference_ms: 0 },
      { service: 'my-bot', clock_difference_ms: difference },
    ])
    expect(built.started_at).toBe('2026-11-02T10:00:00.250Z')
    expect(getDurations(built)[2]).toEqual(['model_first_token', 1050, 'derived', 'my-bot'])
    expect(built.events).toMatchObject([{ kind: 'tool_call', at_ms: 5000, duration_ms: 200, detail: 'find_flights' }])
  })

  test('are not moved, and said to be of an unknown clock, if the platform called none of them', () => {
    const alone = service('elsewhere', span('chat', 30_000, 31_000, { 'gen_ai.operation.name': 'chat' }))
    const built = buildFrom(...platform, alone)
    expect(built.sources).toContainEqual({ service: 'elsewhere', clock_difference_ms: null })
    expect(getDurations(built).map(([kind]) => kind)).not.toContain('model_first_token')
  })

  test.each(['-1', 'soon', '', '1e9', Number.NaN])('are ignored if a time is %s', (value) => {
    const node = service('livekit', span('llm_node', 4710, 5600, { 'lk.response.ttft': value }, hook))
    expect(getDurations(buildFrom(...platform, node)).map(([kind]) => kind)).not.toContain('model_first_token')
  })
})
