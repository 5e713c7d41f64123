import { conversation } from '@patchbay/contract/conversations'
import { describe, expect, test } from 'vitest'
import type { Span } from '../traces/traces.ts'
import type { AgentEvent } from './agent-events.ts'
import { buildConversation, maxTurns } from './build-conversation.ts'
import { getSimilarity, toComparable } from './similar-text.ts'
import { recognized, span, startCpuClock, startedAt } from './span-fixtures.ts'
import { hasAgent } from './summarize.ts'

type Content = AgentEvent['event']

/** Creates events at milliseconds since the start of the call. */
const events = (...all: readonly (readonly [at: number, event: Content])[]): AgentEvent[] =>
  all.map(([at, event], seq) => ({ seq, at: startedAt + at, event }))

const call = { startedAt, endedAt: startedAt + 30_000 }

/** Builds a conversation, and checks it against the contract and what is true for each. */
const build = (agentEvents: readonly AgentEvent[], spans: readonly Span[] = []) => {
  const sorted = spans.toSorted((a, b) => Number(a.start - b.start) || Number(b.end - a.end))
  const built = conversation.parse(buildConversation({ spans: sorted, isTraceCut: false, agentEvents, call }))
  for (const { gap, start_ms, end_ms, interruption } of built.turns) {
    expect(end_ms).toBeGreaterThanOrEqual(start_ms)
    expect(interruption === null || (interruption.at_ms >= start_ms && interruption.at_ms <= end_ms)).toBe(true)
    const durations = (gap?.parts ?? []).map(({ duration_ms }) => duration_ms ?? 0)
    expect(durations.every((duration) => duration >= 0)).toBe(true)
    expect(durations.reduce((sum, duration) => sum + duration, 0)).toBe(gap?.duration_ms ?? 0)
  }
  return built
}

const summarize = ({ turns }: ReturnType<typeof build>) =>
  turns.map(({ speaker, text, start_ms, end_ms }) => [speaker, text, start_ms, end_ms])

const getParts = ({ turns }: ReturnType<typeof build>, position = turns.length - 1) =>
  (turns[position]?.gap?.parts ?? []).map(({ kind, duration_ms, evidence, source }) => [
    kind,
    duration_ms,
    evidence,
    source,
  ])

const latency = { transcriber_latency: 200, turn_detection_latency: 100, model_latency: 450, voice_latency: 150 }

const measured = [
  ['endpointing', 100, 'measured', 'agent events'],
  ['speech_to_text', 200, 'measured', 'agent events'],
  ['model_first_token', 450, 'measured', 'agent events'],
  ['text_to_speech_first_byte', 150, 'measured', 'agent events'],
]

describe('events without a trace', () => {
  const turnEnd = { type: 'turn_end', transcript: 'To Lisbon.', response: 'Which day?', interrupted: false, latency }

  test('have turns whose times follow from the transcript and the latencies', () => {
    const built = build(
      events(
        [5000, { type: 'user_transcript', transcript: 'To Lisbon.' }],
        [5600, { type: 'llm_response', response: 'Which day would you like?' }],
        [7900, turnEnd],
      ),
    )
    expect([built.started_at, built.duration_ms]).toEqual([new Date(startedAt).toISOString(), 30_000])
    expect(built.sources).toEqual([{ service: 'agent events', clock_difference_ms: null }])
    const [caller, agent] = built.turns
    expect(caller).toMatchObject({
      text: 'To Lisbon.',
      end_ms: 4800,
      end_evidence: 'derived',
      span_id: null,
      gap: null,
    })
    expect(caller?.start_evidence).toBe('unknown')
    // The response at the end of the turn is what was really spoken.
    expect(agent).toMatchObject({ text: 'Which day?', start_ms: 5700, start_evidence: 'derived', end_ms: 7900 })
    expect(agent?.gap).toMatchObject({ start_ms: 4800, duration_ms: 900, starts_at: 'end_of_speech' })
    expect(getParts(built)).toEqual([...measured, ['unattributed', 0, 'derived', null]])
  })

  test('have the gaps also if only the ends of turns are sent', () => {
    const built = build(
      events(
        [2000, { type: 'turn_end', response: 'Hello, how can I help?' }],
        [9000, turnEnd],
        [20_000, { ...turnEnd, transcript: 'On Monday.', response: 'Booked.' }],
      ),
    )
    const all = built.turns.map(({ speaker, text, start_evidence }) => [speaker, text, start_evidence])
    expect(all).toEqual([
      ['agent', 'Hello, how can I help?', 'unknown'],
      ['caller', 'To Lisbon.', 'unknown'],
      ['agent', 'Which day?', 'unknown'],
      ['caller', 'On Monday.', 'unknown'],
      ['agent', 'Booked.', 'unknown'],
    ])
    for (const position of [2, 4]) {
      expect(built.turns[position]?.gap).toMatchObject({ duration_ms: 900, starts_at: 'end_of_speech' })
      expect(getParts(built, position)).toEqual([...measured, ['unattributed', 0, 'derived', null]])
    }
    expect(built.turns[4]?.end_ms).toBe(20_000)
  })

  test('have the gap of the answer also after a greeting that no end of a turn reports', () => {
    const built = build(
      events(
        [1000, { type: 'llm_response', response: 'Hello, how can I help?' }],
        [5000, { type: 'user_transcript', transcript: 'To Lisbon.' }],
        [5600, { type: 'llm_response', response: 'Which day would you like?' }],
        [7900, turnEnd],
      ),
    )
    expect(built.turns.map(({ text, gap }) => [text, gap?.duration_ms ?? null])).toEqual([
      ['Hello, how can I help?', null],
      ['To Lisbon.', null],
      ['Which day?', 900],
    ])
    expect(built.turns[2]).toMatchObject({ start_ms: 5700, end_ms: 7900 })
  })

  test('keep the words that interrupted a turn for the next one, if its end arrives after them', () => {
    const built = build(
      events(
        [3000, { type: 'user_transcript', transcript: 'Tell me all.' }],
        [3800, { type: 'llm_response', response: 'We have three plans for everybody.' }],
        [5200, { type: 'user_interruption' }],
        [6000, { type: 'user_transcript', transcript: 'Just the price.' }],
        [6050, { ...turnEnd, transcript: 'Tell me all.', response: 'We have three', interrupted: true }],
        [6500, { type: 'llm_response', response: 'Ten dollars.' }],
        [8500, { ...turnEnd, transcript: 'Just the price.', response: 'Ten dollars.' }],
      ),
    )
    expect(built.turns.map(({ text, gap }) => [text, gap?.duration_ms ?? null])).toEqual([
      ['Tell me all.', null],
      ['We have three', 900],
      ['Just the price.', null],
      ['Ten dollars.', 900],
    ])
  })

  test('have a gap from the transcript if the recognition does not report its latency', () => {
    const { transcriber_latency: _latency, ...others } = latency
    const built = build(
      events([5000, { type: 'user_transcript', transcript: 'To Lisbon.' }], [7900, { ...turnEnd, latency: others }]),
    )
    expect(built.turns[1]?.gap).toMatchObject({ start_ms: 5000, duration_ms: 700, starts_at: 'transcript' })
  })

  test('count a response that was computed ahead as no wait for the model', () => {
    const preflight = { result: 'hit', tokens: 12 }
    const ahead = { transcriber_latency: 200, voice_latency: 150, preflight }
    const built = build(
      events([5000, { type: 'user_transcript', transcript: 'Yes.' }], [7900, { ...turnEnd, latency: ahead }]),
    )
    expect(getParts(built)).toContainEqual(['model_first_token', 0, 'measured', 'agent events'])
  })

  test('say when the caller interrupted, and what had been spoken until then', () => {
    const built = build(
      events(
        [5000, { type: 'user_transcript', transcript: 'To Lisbon.' }],
        [5600, { type: 'llm_response', response: 'Which day would you like to fly to Lisbon?' }],
        [6900, { type: 'user_interruption' }],
        [7000, { ...turnEnd, response: 'Which day would', interrupted: true }],
      ),
    )
    expect(built.turns[1]).toMatchObject({
      text: 'Which day would',
      end_ms: 6900,
      interruption: { by: 'caller', at_ms: 6900, position: 15, position_evidence: 'measured' },
    })
  })

  test('have tokens, a model, and calls of tools', () => {
    const built = build(
      events(
        [5000, { type: 'user_transcript', transcript: 'To Lisbon.' }],
        [5200, { tool_call_id: 'call_1', name: 'find_flights', arguments: { to: 'LIS' } }],
        [7900, { ...turnEnd, llm: { model: 'gpt-5' }, usage: { prompt_tokens: 812, completion_tokens: 31 } }],
      ),
    )
    expect(built.turns.map(({ tokens }) => tokens)).toEqual([null, { input: 812, output: 31 }])
    expect(built.turns.map(({ model }) => model)).toEqual([null, 'gpt-5'])
    expect(built.events).toEqual([
      {
        kind: 'tool_call',
        at_ms: 5200,
        duration_ms: 0,
        detail: 'find_flights',
        arguments: '{"to":"LIS"}',
        span_id: null,
      },
    ])
  })

  test('are sorted by their numbers, in whatever order they arrive', () => {
    const inOrder = events(
      [5000, { type: 'user_transcript', transcript: 'To Lisbon.' }],
      [5600, { type: 'llm_response', response: 'Which day?' }],
      [7900, turnEnd],
    )
    expect(build(inOrder.toReversed())).toEqual(build(inOrder))
  })

  test('give no conversation if they contain nothing about it', () => {
    const nothing = events([1, { type: 'session.created' }], [2, {}], [3, { type: 'user_transcript' }])
    expect(buildConversation({ spans: [], isTraceCut: false, agentEvents: nothing, call })).toBeUndefined()
    expect(buildConversation({ spans: [], isTraceCut: false, agentEvents: [], call })).toBeUndefined()
  })
})

describe('events of speech-to-speech models', () => {
  test('OpenAI: speech, transcripts that arrive late, tokens, and calls of tools', () => {
    const item_id = 'item_1'
    const built = build(
      events(
        [1000, { type: 'input_audio_buffer.speech_started', item_id }],
        [2400, { type: 'input_audio_buffer.speech_stopped', item_id }],
        [2450, { type: 'response.created', response: { id: 'r1' } }],
        [3000, { type: 'output_audio_buffer.started' }],
        [3100, { type: 'response.function_call_arguments.done', call_id: 'c', name: 'book', arguments: '{"day":1}' }],
        [3200, { type: 'response.output_audio_transcript.done', transcript: 'Which day?' }],
        [3300, { type: 'conversation.item.input_audio_transcription.completed', item_id, transcript: 'To Lisbon.' }],
        [
          3400,
          { type: 'response.done', response: { model: 'realtime', usage: { input_tokens: 90, output_tokens: 7 } } },
        ],
      ),
    )
    expect(built.turns).toMatchObject([
      { text: 'To Lisbon.', start_ms: 1000, start_evidence: 'measured', end_ms: 2400, end_evidence: 'measured' },
      {
        text: 'Which day?',
        start_ms: 3000,
        start_evidence: 'measured',
        model: 'realtime',
        tokens: { input: 90, output: 7 },
      },
    ])
    expect(built.turns[1]?.gap).toMatchObject({ start_ms: 2400, duration_ms: 600 })
    expect(built.events).toMatchObject([{ detail: 'book', arguments: '{"day":1}' }])
  })

  test('OpenAI: the same turns and gap without transcripts, which the application has to ask for', () => {
    const [item_id, done] = ['item_1', { type: 'response.done', response: { usage: { input_tokens: 90 } } }] as const
    const rest = [
      [1000, { type: 'input_audio_buffer.speech_started', item_id }],
      [2400, { type: 'input_audio_buffer.speech_stopped', item_id }],
      [2450, { type: 'response.created' }],
      [3000, { type: 'response.output_audio.delta' }],
    ] as const
    const transcribed = { type: 'conversation.item.input_audio_transcription.completed', item_id, transcript: 'Hi.' }
    const spoken = { type: 'response.output_audio_transcript.done', transcript: 'Which day?' }
    const whole = build(events(...rest, [3200, spoken], [3210, transcribed], [3400, done]))
    const silent = build(events(...rest, [3400, done]))
    const listGaps = ({ turns }: typeof whole) =>
      turns.map(({ speaker, start_ms, tokens, gap }) => [speaker, start_ms, tokens, gap])
    expect(listGaps(silent)).toEqual(listGaps(whole))
    expect(silent.turns.map(({ text, end_ms }) => [text, end_ms])).toEqual([
      ['', 2400],
      ['', 3000],
    ])
    expect(hasAgent(silent)).toBe(true)
  })

  test('OpenAI: audio that arrives after its text begins no other turn', () => {
    const delta = { type: 'response.output_audio.delta' }
    const spoken = (transcript: string) => ({ type: 'response.output_audio_transcript.done', transcript })
    const built = build(
      events(
        [1000, { type: 'response.created' }],
        [1100, spoken('Hello.')],
        [1200, delta],
        [1300, delta],
        [1400, { type: 'response.done' }],
        [4000, { type: 'response.created' }],
        [4500, delta],
        [4600, spoken('Still there?')],
        [4700, delta],
        [4800, { type: 'response.done' }],
      ),
    )
    expect(built.turns.map(({ text, start_ms }) => [text, start_ms])).toEqual([
      ['Hello.', 1200],
      ['Still there?', 4500],
    ])
  })

  test('OpenAI: speech whose end or text is not reported has a turn', () => {
    const start = { type: 'input_audio_buffer.speech_started' }
    const built = build(events([1000, { ...start, item_id: 'a' }], [1000, { ...start, item_id: 'a' }], [9000, start]))
    expect(built.turns.map(({ speaker, text, start_ms }) => [speaker, text, start_ms])).toEqual([
      ['caller', '', 1000],
      ['caller', '', 9000],
    ])
  })

  test('ElevenLabs: transcripts, corrected responses, and interruptions', () => {
    const built = build(
      events(
        [2000, { type: 'user_transcript', user_transcription_event: { user_transcript: 'To Lisbon.' } }],
        [2900, { type: 'agent_response', agent_response_event: { agent_response: 'Which day would you like?' } }],
        [4000, { type: 'interruption', interruption_event: { event_id: 3 } }],
        [
          4100,
          {
            type: 'agent_response_correction',
            agent_response_correction_event: { corrected_agent_response: 'Which day' },
          },
        ],
      ),
    )
    expect(built.turns).toMatchObject([
      { speaker: 'caller', text: 'To Lisbon.' },
      { speaker: 'agent', text: 'Which day', end_ms: 4000, interruption: { by: 'caller', at_ms: 4000 }, gap: null },
    ])
  })
})

describe('events and a trace', () => {
  // The caller stops at 4200, the transcript is there at 4500, and the audio is from 5250 to 7000.
  const root = span('incoming-call', 0, 30_000, { callSid: 'x' })
  const heard = recognized('To Lisbon, please.', { 'stt.latency_ms': '300' })
  const gather = span('verb:gather{inputs=speech}', 1000, 4500, heard, root)
  const say = span('verb:say{text=Which day?}', 4920, 7000, { text: 'Which day?', time_to_first_byte_ms: '330' }, root)
  const trace = [root, gather, say]
  const ahead = 3_600_000
  const turn = (difference: number): AgentEvent[] =>
    events(
      [4500 + difference, { type: 'user_transcript', transcript: 'to Lisbon please' }],
      [4900 + difference, { type: 'llm_response', response: 'Which day?' }],
      [7000 + difference, { type: 'turn_end', transcript: 'to Lisbon please', response: 'Which day?', latency }],
    )

  test('are one conversation with the times of the trace and the parts of the events', () => {
    const built = build(turn(0), trace)
    expect(summarize(built)).toEqual([
      ['caller', 'To Lisbon, please.', 1000, 4200],
      ['agent', 'Which day?', 5250, 7000],
    ])
    expect(built.turns.map(({ span_id }) => span_id)).toEqual([gather.id, say.id])
    // The gap has 1050 ms, of which the events explain 900.
    expect(getParts(built)).toEqual([...measured, ['unattributed', 150, 'derived', null]])
  })

  test.each([ahead, -ahead, 40, 2 * 86_400_000])('correct a clock that is %d ms ahead, and say so', (difference) => {
    const built = build(turn(difference), trace)
    expect(built.sources.at(-1)).toEqual({ service: 'agent events', clock_difference_ms: difference })
    expect(built.turns).toEqual(build(turn(0), trace).turns)
  })

  test('find the clock although the trace repeats a phrase', () => {
    const again = span('verb:gather{}', 8000, 9500, heard, root)
    const bye = span('verb:say{text=Goodbye.}', 10_000, 11_000, { text: 'Goodbye.' }, root)
    const repeated = events(
      [9500 + ahead, { type: 'user_transcript', transcript: 'to Lisbon please' }],
      [11_000 + ahead, { type: 'turn_end', response: 'Goodbye.' }],
    )
    expect(build(repeated, [...trace, again, bye]).sources.at(-1)?.clock_difference_ms).toBe(ahead)
  })

  test('have parts that never add up to more than the gap', () => {
    const long = { ...latency, model_latency: 5000 }
    const built = build(events([7000, { type: 'turn_end', response: 'Which day?', latency: long }]), trace)
    expect(getParts(built)).toContainEqual(['model_first_token', 750, 'measured', 'agent events'])
    expect(getParts(built)).toContainEqual(['text_to_speech_first_byte', 0, 'measured', 'agent events'])
  })

  test('know the end of speech although the trace does not', () => {
    const unmeasured = span('verb:gather{}', 1000, 4500, recognized('To Lisbon, please.'), root)
    expect(build([], [root, unmeasured, say]).turns[1]?.gap).toMatchObject({ start_ms: 4500, starts_at: 'transcript' })
    const built = build(turn(0), [root, unmeasured, say])
    expect(built.turns[0]).toMatchObject({ start_ms: 1000, end_ms: 4300, end_evidence: 'derived' })
    expect(built.turns[1]?.gap).toMatchObject({ start_ms: 4300, duration_ms: 950, starts_at: 'end_of_speech' })
    expect(getParts(built)).toEqual([...measured, ['unattributed', 50, 'derived', null]])
  })

  test('have the steps of the model after the recognition of the trace, if they report no other', () => {
    const reported = events([7000, { type: 'turn_end', response: 'Which day?', latency: { model_latency: 70 } }])
    expect(getParts(build(reported, trace)).slice(1)).toEqual([
      ['speech_to_text', 300, 'measured', null],
      ['model_first_token', 70, 'measured', 'agent events'],
      ['text_to_speech_first_byte', 330, 'measured', null],
      ['unattributed', 350, 'derived', null],
    ])
  })

  test('keep turns that only one of them has', () => {
    const more = events(
      [4500, { type: 'user_transcript', transcript: 'to Lisbon please' }],
      [9000, { type: 'user_transcript', transcript: 'On Monday' }],
    )
    const built = build(more, trace)
    expect(built.turns.map(({ text, span_id }) => [text, span_id])).toEqual([
      ['To Lisbon, please.', gather.id],
      ['Which day?', say.id],
      ['On Monday', null],
    ])
  })

  test('do not merge the same words of the other speaker, or of another time', () => {
    const same = events(
      [4500, { type: 'user_transcript', transcript: 'Which day?' }],
      [15_000, { type: 'user_transcript', transcript: 'To Lisbon, please.' }],
      [15_500, { type: 'user_transcript', transcript: 'To Lisbon, please.' }],
    )
    expect(build(same, trace).turns).toHaveLength(5)
  })

  test('keep words that are said again, although the trace has them once', () => {
    const again = events(
      [4500, { type: 'user_transcript', transcript: 'To Lisbon, please.' }],
      [6500, { type: 'user_transcript', transcript: 'To Lisbon, please.' }],
    )
    const built = build(again, trace)
    expect(built.turns.filter(({ speaker }) => speaker === 'caller').map(({ span_id }) => span_id)).toEqual([
      gather.id,
      null,
    ])
  })

  test('count a call of a tool once that both the vendor and the application report', () => {
    const byVendor = {
      type: 'response.function_call_arguments.done',
      call_id: 'a',
      name: 'find_flights',
      arguments: '{}',
    }
    const called = events([4610, byVendor], [4700, { tool_call_id: 'a', name: 'find_flights', arguments: {} }])
    expect(build(called, trace).events.map(({ kind, detail }) => [kind, detail])).toEqual([
      ['tool_call', 'find_flights'],
    ])
  })

  test('add the arguments to the calls of tools in the trace', () => {
    const operation = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'find_flights' }
    const tool = span('execute_tool', 4600, 4800, operation, root)
    const called = events(
      [4610, { tool_call_id: 'a', name: 'find_flights', arguments: { to: 'LIS' } }],
      [4650, { tool_call_id: 'b', name: 'find_flights', arguments: { to: 'OPO' } }],
    )
    const { events: found } = build(called, [...trace, tool])
    expect(found.map(({ arguments: text, span_id }) => [text, span_id])).toEqual([
      ['{"to":"LIS"}', tool.id],
      ['{"to":"OPO"}', null],
    ])
  })

  test('ignore events of another day if their clock cannot be corrected', () => {
    const built = build(events([3 * 86_400_000, { type: 'user_transcript', transcript: 'Goodbye' }]), trace)
    expect(built.turns).toHaveLength(2)
  })
})

describe('hostile events', () => {
  const huge = 1e300
  test.each<[string, Content]>([
    ['texts that are objects', { type: 'turn_end', transcript: { toString: 1 }, response: [[]] }],
    ['a type that is an object', { type: { a: 1 } }],
    ['a type of a prototype', { type: 'constructor', __proto__: { transcript: 'x' } }],
    ['negative latencies', { type: 'turn_end', response: 'x', latency: { model_latency: -5, voice_latency: -huge } }],
    ['endless latencies', { type: 'turn_end', response: 'x', latency: { model_latency: huge, voice_latency: NaN } }],
    ['latencies that are text', { type: 'turn_end', response: 'x', latency: 'fast' }],
    ['fractions', { type: 'turn_end', response: 'x', latency: { model_latency: 0.4999, voice_latency: 1.5 } }],
    [
      'tokens and a model that are none',
      { type: 'turn_end', response: 'x', model: 5, usage: { input_tokens: -1, output_tokens: 1.5 } },
    ],
    ['half characters', { type: 'user_transcript', transcript: '\ud800'.repeat(9000) }],
    ['a tool without a name', { tool_call_id: 1, name: null, arguments: huge }],
    ['a tool with endless arguments', { name: 'x', arguments: 'y'.repeat(100_000) }],
    ['a response that is cancelled', { type: 'response.done', response: { status: 'cancelled' } }],
  ])('with %s give a valid conversation', (_what, event) => {
    const root = span('incoming-call', 0, 30_000)
    const built = build(events([9000, event], [2000, event], [0, { type: 'llm_response', response: 'Hello' }]), [root])
    expect(built.turns.every(({ text }) => text.length <= 5000)).toBe(true)
    expect(built.events.every(({ arguments: text }) => (text ?? '').length <= 2000)).toBe(true)
  })

  test('at any time, in any order, and with any interruptions give a valid conversation', () => {
    const types = ['user_transcript', 'llm_response', 'user_interruption', 'turn_end', 'response.created']
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % below
    }
    const root = span('incoming-call', 0, 30_000)
    for (let round = 0; round < 200; round += 1) {
      const some = Array.from({ length: 12 }, (): [number, Content] => [
        random(40_000) - 5000,
        {
          type: types[random(types.length)],
          transcript: `Words ${random(3)}`,
          response: `Answer ${random(3)}`,
          interrupted: random(2) === 1,
          latency: { transcriber_latency: random(900), model_latency: random(3000), voice_latency: random(400) },
        },
      ])
      const heard = Array.from({ length: 3 }, (_, at) =>
        span('verb:gather{}', random(20_000), 20_000 + random(9000), recognized(`Words ${at}`)),
      )
      const spoken = span('verb:say{text=Answer 1}', random(20_000), 25_000, { text: 'Answer 1' })
      expect(build(events(...some), round % 2 === 0 ? [root, ...heard, spoken] : []).turns.length).toBeGreaterThan(0)
    }
  })

  test('with 5,000 similar utterances, and as many in the trace, take a bounded time and are cut', () => {
    const text = (at: number) => `${'abcdefgh'.repeat(30)} ${at}`
    const many = events(
      ...Array.from({ length: 5000 }, (_, at): [number, Content] => [
        at,
        { type: 'user_transcript', transcript: text(at) },
      ]),
    )
    const heard = Array.from({ length: 3000 }, (_, at) => span('stt-listen:0', at, at + 1, recognized(text(9000 + at))))
    const getCpuMs = startCpuClock()
    const built = build(many, heard)
    expect(getCpuMs()).toBeLessThan(5000)
    expect([built.turns.length, built.is_cut]).toEqual([maxTurns, true])
  })
})

test('texts are compared without case, punctuation, and spaces', () => {
  const compare = (a: string, b: string) => getSimilarity(toComparable(a), toComparable(b))
  expect(compare('To Lisbon, please.', 'to lisbon please')).toBe(1)
  expect(compare('', '')).toBe(0)
  expect(compare('', 'a')).toBe(0)
  expect(compare('I would like to change', 'I would like to change my flight')).toBe(0.9)
  expect(compare('I want to change my flight', 'I won’t change my flights')).toBeGreaterThan(0.6)
  expect(compare('Yes, that is right', 'Which day would you like?')).toBeLessThan(0.3)
  expect(compare('Grüße aus Köln', 'GRÜSSE AUS KÖLN')).toBeGreaterThan(0.7)
})
