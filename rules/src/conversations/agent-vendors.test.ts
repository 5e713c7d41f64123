import { conversation } from '@patchbay/contract/conversations'
import { describe, expect, test } from 'vitest'
import type { Span } from '../traces/traces.ts'
import { isPartialText } from './agent-event-rules.ts'
import type { AgentEvent } from './agent-events.ts'
import { buildConversation } from './build-conversation.ts'
import { span, startedAt } from './span-fixtures.ts'

/** Events of the vendors of speech-to-speech models, and of agents. */

type Content = AgentEvent['event']
type TimedEvent = readonly [at: number, event: Content]

const call = { startedAt, endedAt: startedAt + 60_000 }

const build = (all: readonly TimedEvent[], spans: readonly Span[] = []) => {
  const agentEvents = all.map(([at, event], seq): AgentEvent => ({ seq, at: startedAt + at, event }))
  return conversation.parse(buildConversation({ spans, isTraceCut: false, agentEvents, call }))
}

const describeTurns = ({ turns }: ReturnType<typeof build>) =>
  turns.map(({ speaker, text, start_ms, end_ms }) => [speaker, text, start_ms, end_ms])

const describeEvents = ({ events }: ReturnType<typeof build>) =>
  events.map(({ kind, at_ms, detail, arguments: text, error }) => [kind, at_ms, detail, text, error])

test('Deepgram: words of both sides, the start of audio, calls of tools, and errors', () => {
  const say = (role: string, content: string): Content => ({ type: 'ConversationText', role, content })
  const functions = [
    { id: 'f1', name: 'check_line', arguments: '{"line":1}', client_side: true },
    { id: 'f2', name: 'check_bill', arguments: '{}' },
  ]
  const built = build([
    [500, { type: 'Welcome' }],
    [800, say('assistant', 'How can I help?')],
    [900, { type: 'AgentStartedSpeaking', total_latency: 0.9 }],
    [4000, { type: 'UserStartedSpeaking' }],
    [5500, say('user', 'My line is down.')],
    [6000, { type: 'FunctionCallRequest', functions }],
    [6100, { tool_call_id: 'f1', name: 'check_line', arguments: { line: 1 } }],
    [6600, say('assistant', 'Let me check.')],
    [6700, { type: 'AgentStartedSpeaking' }],
    [9000, { type: 'Error', description: 'The model failed.', code: 'FAILED_TO_THINK' }],
  ])
  expect(built.turns.map(({ speaker, text, start_ms }) => [speaker, text, start_ms])).toEqual([
    ['agent', 'How can I help?', 900],
    ['caller', 'My line is down.', 4000],
    ['agent', 'Let me check.', 6700],
  ])
  expect(built.turns[2]?.gap).toMatchObject({ start_ms: 5500, duration_ms: 1200, starts_at: 'transcript' })
  expect(describeEvents(built)).toEqual([
    ['tool_call', 6000, 'check_line', '{"line":1}', undefined],
    ['tool_call', 6000, 'check_bill', '{}', undefined],
    ['error', 9000, 'The model failed.', null, undefined],
  ])
})

test('Ultravox: words that are final, and calls of tools', () => {
  const transcript = (role: string, text: string, final: boolean): Content => ({
    type: 'transcript',
    role,
    medium: 'voice',
    text,
    final,
  })
  const partial = transcript('user', 'My', false)
  const built = build([
    [1500, partial],
    [2000, transcript('user', 'My card is lost.', true)],
    [3000, transcript('agent', 'I have blocked it.', true)],
    [4000, { type: 'client_tool_invocation', toolName: 'block', invocationId: 'i', parameters: { card: 1 } }],
  ])
  expect(built.turns.map(({ speaker, text }) => [speaker, text])).toEqual([
    ['caller', 'My card is lost.'],
    ['agent', 'I have blocked it.'],
  ])
  expect(describeEvents(built)).toEqual([['tool_call', 4000, 'block', '{"card":1}', undefined]])
  // Numbers in parts could not be recognized, so they are not stored.
  expect([isPartialText(partial), isPartialText(transcript('user', 'My card is lost.', true))]).toEqual([true, false])
})

test('Gemini Live: calls of tools', () => {
  const functionCalls = [{ id: '1', name: 'book', args: { day: 1 } }]
  expect(describeEvents(build([[4000, { toolCall: { functionCalls } }]]))).toEqual([
    ['tool_call', 4000, 'book', '{"day":1}', undefined],
  ])
})

test('ElevenLabs: tools of the vendor, and their failures', () => {
  const respond = (tool_name: string, tool_call_id: string, is_error: boolean): Content => ({
    type: 'agent_tool_response',
    agent_tool_response: { tool_name, tool_call_id, is_error },
  })
  const client_tool_call = { tool_name: 'book', tool_call_id: '1', parameters: {} }
  const built = build([
    [6000, { type: 'client_tool_call', client_tool_call }],
    [6500, respond('book', '1', true)],
    [7000, respond('end_call', '2', false)],
  ])
  expect(describeEvents(built)).toEqual([
    ['tool_call', 6000, 'book', '{}', ''],
    ['tool_call', 7000, 'end_call', null, undefined],
  ])
})

describe('OpenAI realtime', () => {
  const spoken = { type: 'response.output_audio_transcript.done', transcript: 'So the plan is as follows.' }

  test.each(['output_audio_buffer', 'output_audio.playback'])('has the times of the audio (%s)', (name) => {
    const separator = name === 'output_audio_buffer' ? '.' : '_'
    const built = build([
      [500, { type: 'response.created' }],
      [700, { type: `${name}${separator}started` }],
      [1500, { type: 'input_audio_buffer.speech_started', item_id: 'u' }],
      [1800, { type: 'input_audio_buffer.speech_stopped', item_id: 'u' }],
      [3000, spoken],
      [5000, { type: `${name}${separator}stopped` }],
    ])
    expect(describeTurns(built)).toEqual([
      ['agent', 'So the plan is as follows.', 700, 5000],
      ['caller', '', 1500, 1800],
    ])
    expect(built.turns[0]?.interruption).toBeNull()
  })

  test.each(['conversation.item.truncated', 'output_audio_buffer.cleared'])('says when audio was cut (%s)', (type) => {
    const built = build([
      [700, { type: 'output_audio_buffer.started' }],
      [1000, spoken],
      [1100, { type: 'response.done', response: { status: 'completed' } }],
      [2000, { type: 'input_audio_buffer.speech_started', item_id: 'u' }],
      [2010, { type }],
    ])
    expect(built.turns[0]).toMatchObject({ end_ms: 2010, interruption: { by: 'caller', at_ms: 2010 } })
  })

  test('adds a text that arrives after the response to its audio', () => {
    const done = (total: number): Content => ({ type: 'response.done', response: { usage: { input_tokens: total } } })
    const built = build([
      [500, { type: 'response.created' }],
      [700, { type: 'output_audio_buffer.started' }],
      [1100, done(90)],
      [1200, spoken],
      [3000, { type: 'output_audio_buffer.stopped' }],
      [6000, { type: 'response.created' }],
      [6100, { type: 'output_audio_buffer.started' }],
      [6200, done(95)],
      // The vendor has sent no text for the audio before.
      [7500, { type: 'response.created' }],
      [7600, { ...spoken, transcript: 'Is that all right?' }],
    ])
    expect(built.turns.map(({ text, start_ms, tokens }) => [text, start_ms, tokens?.input])).toEqual([
      ['So the plan is as follows.', 700, 90],
      ['', 6100, 95],
      ['Is that all right?', 7500, undefined],
    ])
  })

  test('has errors, except those without a meaning for the conversation', () => {
    const status_details = { error: { message: 'Rate limit reached.' } }
    const built = build([
      [1000, { type: 'response.done', response: { status: 'failed', status_details } }],
      [
        2000,
        { type: 'response.done', response: { status: 'incomplete', status_details: { reason: 'content_filter' } } },
      ],
      [3000, { type: 'response.done', response: { status: 'failed' } }],
      [4000, { type: 'error', error: { message: 'The server had an error.' } }],
      [5000, { type: 'error', error: { message: 'Nothing to cancel.', code: 'response_cancel_not_active' } }],
      [6000, { type: 'conversation.item.input_audio_transcription.failed', error: { message: 'Bad audio.' } }],
      [7000, { type: 'error' }],
    ])
    expect(describeEvents(built).map(([kind, at, detail]) => [kind, at, detail])).toEqual([
      ['error', 1000, 'Response failed: Rate limit reached.'],
      ['error', 2000, 'Response incomplete: content_filter'],
      ['error', 3000, 'Response failed'],
      ['error', 4000, 'The server had an error.'],
      ['error', 6000, 'Bad audio.'],
      ['error', 7000, ''],
    ])
  })

  test('has calls of functions whose name is only in their item, once', () => {
    const item = { type: 'function_call', name: 'price', call_id: 'c', arguments: '{"i":1}' }
    const named = { type: 'response.function_call_arguments.done', name: 'price', call_id: 'c', arguments: '{"i":1}' }
    const { name: _name, ...unnamed } = named
    for (const event of [named, unnamed])
      expect(
        describeEvents(
          build([
            [2000, event],
            [2001, { type: 'response.output_item.done', item }],
            [2002, { type: 'response.output_item.done', item: { type: 'message' } }],
          ]),
        ),
      ).toEqual([['tool_call', event === named ? 2000 : 2001, 'price', '{"i":1}', undefined]])
  })
})

describe('the agent of the platform', () => {
  const latency = { transcriber_latency: 100, model_latency: 300, voice_latency: 150 }
  const createTurn = (more: Content): readonly TimedEvent[] => [
    [2000, { type: 'user_transcript', transcript: 'Hi.' }],
    [2600, { type: 'llm_response', response: 'Hello there.' }],
    [4000, { type: 'turn_end', transcript: 'Hi.', response: 'Hello there.', latency, ...more }],
  ]

  test('has a gap only if each step until the audio is known', () => {
    const getGap = (more: Content) => build(createTurn(more)).turns[1]?.gap?.duration_ms
    expect(getGap({})).toBe(550)
    expect(getGap({ latency: { transcriber_latency: 100 } })).toBeUndefined()
    expect(getGap({ latency: { ...latency, voice_latency: undefined } })).toBeUndefined()
    expect(getGap({ latency: { ...latency, model_latency: undefined } })).toBeUndefined()
    expect(getGap({ latency: { voice_latency: 150, preflight: { result: 'hit' } } })).toBe(150)
  })

  test('speaks first for as long as its words take', () => {
    const getStart = (at: number) =>
      build([[at, { type: 'turn_end', response: 'Welcome to our shop.' }]]).turns[0]?.start_ms
    expect([getStart(5000), getStart(500)]).toEqual([3700, 0])
  })

  test('has a clock that is hours ahead, if no event is in the call', () => {
    const root = span('incoming-call', 0, 60_000)
    const heard = { 'stt.resolve': 'speech', 'stt.result': '{"alternatives":[{"transcript":"I need a new card"}]}' }
    const spans = [root, span('stt-listen:1', 1000, 4000, heard)]
    const hours = 3 * 3_600_000
    const event = (text: string): Content => ({ type: 'user_transcript', transcript: text })
    const built = build([[hours + 4200, event('I need a new card')]], spans)
    expect([built.turns.length, built.sources.at(-1)?.clock_difference_ms]).toEqual([1, hours + 200])
    // A caller can say the same words again.
    const repeated = build(
      [
        [20_000, event('I need a new card')],
        [30_000, event('Hello?')],
      ],
      spans,
    )
    expect([repeated.turns.length, repeated.sources.at(-1)?.clock_difference_ms]).toEqual([3, null])
  })

  test('does not answer earlier words if its turn had no question', () => {
    const built = build([
      [3000, { type: 'user_transcript', transcript: 'A human, please.' }],
      [45_000, { type: 'llm_response', response: 'How was it?' }],
      [47_000, { type: 'turn_end', transcript: '', response: 'How was it?', latency }],
    ])
    expect(built.turns[1]).toMatchObject({ start_ms: 46_285, start_evidence: 'unknown', gap: null })
  })

  test('has errors beside the events of the trace', () => {
    const root = span('incoming-call', 0, 60_000)
    const built = build(
      [[5000, { type: 'error', message: 'No model.' }]],
      [root, span('dtmf:1', 6000, 6100, { dtmf: '1' })],
    )
    expect(describeEvents(built).map(([kind, , detail]) => [kind, detail])).toEqual([
      ['error', 'No model.'],
      ['dtmf', '1'],
    ])
  })
})
