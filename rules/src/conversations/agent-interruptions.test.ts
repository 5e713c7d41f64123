import { conversation } from '@patchbay/contract/conversations'
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from './agent-events.ts'
import { buildConversation } from './build-conversation.ts'
import { startedAt } from './span-fixtures.ts'

/** Tests who stops an agent, and which response an event belongs to, by the events of vendors. */

type TimedEvent = readonly [at: number, type: string, members?: AgentEvent['event']]

const build = (...all: readonly TimedEvent[]) => {
  const agentEvents = all.map(
    ([at, type, members], seq): AgentEvent => ({ seq, at: startedAt + at, event: { type, ...members } }),
  )
  const call = { startedAt, endedAt: startedAt + 60_000 }
  return conversation.parse(buildConversation({ spans: [], isTraceCut: false, agentEvents, call })).turns
}

const describeTurns = (turns: ReturnType<typeof build>) =>
  turns.map(({ speaker, text, end_ms, interruption }) => [speaker, text, end_ms, interruption?.at_ms])

const long = 'Here are all the rules of your contract, and the first one is that its notice period is three months.'

describe('Deepgram', () => {
  const say = (at: number, role: string, content: string): TimedEvent => [at, 'ConversationText', { role, content }]
  const reply = [say(500, 'assistant', long), [700, 'AgentStartedSpeaking']] as const

  test('interrupts the agent when the caller begins to speak', () => {
    const turns = build(...reply, [2400, 'UserStartedSpeaking'], say(3500, 'user', 'Stop.'))
    expect(describeTurns(turns)).toEqual([
      ['agent', long, 2400, 2400],
      ['caller', 'Stop.', 3500, undefined],
    ])
  })

  test('does not interrupt an agent that can have finished', () => {
    const turns = build(...reply, [700 + long.length * 40, 'UserStartedSpeaking'], say(9000, 'user', 'Thanks.'))
    expect(turns[0]?.interruption).toBeNull()
  })

  test('begins the speech with the last of several beginnings that are far apart', () => {
    const noise: TimedEvent = [1000, 'UserStartedSpeaking']
    const started = (again: number) => build(noise, [again, 'UserStartedSpeaking'], say(11_000, 'user', 'Hello.'))
    expect([started(9000)[0]?.start_ms, started(4000)[0]?.start_ms]).toEqual([9000, 1000])
  })
})

describe('Ultravox', () => {
  const say = (at: number, role: string, text: string | null): TimedEvent => [
    at,
    'transcript',
    { role, medium: 'voice', text, delta: text === null ? '' : null, final: true },
  ]

  test('interrupts the agent when its audio is dropped', () => {
    const turns = build(say(900, 'agent', long), [1500, 'playback_clear_buffer'], say(3000, 'user', 'Stop.'))
    expect(describeTurns(turns)[0]).toEqual(['agent', long, 1500, 1500])
    const late = build(say(900, 'agent', long), [9000, 'playback_clear_buffer'], say(9900, 'user', 'Thanks.'))
    expect(late[0]?.interruption).toBeNull()
  })

  test('has a turn without words if the words of the agent come in parts, which are not stored', () => {
    const turns = build(say(900, 'agent', null), say(3000, 'user', 'My order.'))
    expect(turns.map(({ speaker, text }) => [speaker, text])).toEqual([
      ['agent', ''],
      ['caller', 'My order.'],
    ])
  })
})

test('ElevenLabs: a transcript without words is no turn of the caller', () => {
  const [silent, spoken] = ['...', 'Anna.'].map((user_transcript, position): TimedEvent => {
    return [1000 * (position + 1), 'user_transcript', { user_transcription_event: { user_transcript } }]
  })
  if (silent === undefined || spoken === undefined) throw new Error('no events')
  expect(build(silent, spoken).map(({ text }) => text)).toEqual(['Anna.'])
})

describe('OpenAI realtime', () => {
  const usage = (input_tokens: number, output_tokens: number) => ({ usage: { input_tokens, output_tokens } })
  const done = (at: number, response: AgentEvent['event']): TimedEvent => [at, 'response.done', { response }]
  const speak = (at: number, transcript: string): readonly TimedEvent[] => [
    [at, 'response.created'],
    [at + 300, 'response.output_audio.delta'],
    [at + 900, 'response.output_audio_transcript.done', { transcript }],
  ]
  const speech = (at: number, item_id = 'i'): TimedEvent => [at, 'input_audio_buffer.speech_started', { item_id }]
  const canceled = (reason?: string) => ({ status: 'cancelled', status_details: { reason } })

  test.each(['client_cancelled', undefined])('a response that the application cancels ends then (%s)', (reason) => {
    const turns = build(...speak(500, long), done(1900, canceled(reason)))
    expect(describeTurns(turns)).toEqual([['agent', long, 1900, undefined]])
  })

  test('the caller interrupts a response that is canceled because they speak', () => {
    expect(describeTurns(build(...speak(500, long), done(1900, canceled('turn_detected'))))[0]?.[3]).toBe(1900)
    const turns = build(...speak(500, long), speech(1800), done(1900, canceled('client_cancelled')))
    expect(describeTurns(turns)[0]).toEqual(['agent', long, 1900, 1900])
  })

  test.each(['conversation.item.truncated', 'output_audio_buffer.cleared'])(
    'audio that the application cuts was not interrupted by the caller (%s)',
    (type) => {
      const turns = build(...speak(500, long), done(1500, { status: 'completed' }), [2500, type])
      expect(describeTurns(turns)).toEqual([['agent', long, 2500, undefined]])
    },
  )

  test('audio that is cut before its text is there belongs to the response that has the text', () => {
    const before = [...speak(500, 'Hello.'), done(1500, { status: 'completed' }), speech(3000)] as const
    const [created, audio, text] = speak(5000, long)
    if (created === undefined || audio === undefined || text === undefined) throw new Error('no events')
    const turns = build(...before, created, audio, speech(5500, 'j'), [5600, 'conversation.item.truncated'], text)
    expect(turns.filter(({ speaker }) => speaker === 'agent').map(({ interruption }) => interruption?.at_ms)).toEqual([
      undefined,
      5600,
    ])
  })

  test('a response without audio changes no earlier turn', () => {
    const hello = [...speak(500, 'Hello.'), done(1500, { status: 'completed' })] as const
    const tool: TimedEvent = [5300, 'response.function_call_arguments.done', { call_id: 'f', name: 'x' }]
    const [called] = build(...hello, [5000, 'response.created'], tool, done(5400, usage(900, 40)))
    expect(called?.tokens).toBeNull()
    const [greeting] = build(
      ...hello,
      speech(4000),
      [5010, 'response.created'],
      speech(5200, 'j'),
      done(5210, canceled('turn_detected')),
    )
    expect(greeting).toMatchObject({ interruption: null, tokens: null })
  })

  test('the tokens of a response are those of its turn, although the caller speaks before its end', () => {
    const turns = build(...speak(500, long), speech(1800), done(1900, { ...canceled('turn_detected'), ...usage(5, 7) }))
    expect(turns[0]?.tokens).toEqual({ input: 5, output: 7 })
  })
})
