import { type Conversation, conversation } from '@patchbay/contract/conversations'
import { describe, expect, test } from 'vitest'
import type { Span } from '../traces/traces.ts'
import { buildConversation, type ConversationData } from './build-conversation.ts'
import { type Attributes, recognized, span, startCpuClock, startedAt } from './span-fixtures.ts'
import { type CallFacets, hasAgent, summarizeConversation } from './summarize.ts'

/** Turns that only the spans of an agent framework report. */

const service = 'my-agent'
const own = (...[name, start, end, attributes, parent]: Parameters<typeof span>): Span => ({
  ...span(name, start, end, attributes, parent),
  service,
})

const sort = (spans: readonly Span[]) => spans.toSorted((a, b) => Number(a.start - b.start) || Number(b.end - a.end))

const call = { startedAt, endedAt: startedAt + 60_000 }

const build = (linkedSpans: readonly Span[], more: Partial<ConversationData> = {}): Conversation =>
  conversation.parse(buildConversation({ spans: [], linkedSpans: sort(linkedSpans), isTraceCut: false, call, ...more }))

const describeTurns = ({ turns }: Conversation) =>
  turns.map(({ speaker, start_ms, end_ms, text }) => [speaker, start_ms, end_ms, text])

const getParts = ({ turns }: Conversation, position: number) =>
  (turns[position]?.gap?.parts ?? []).flatMap(({ kind, duration_ms }) =>
    duration_ms === null ? [] : [[kind, duration_ms]],
  )

/** A question and an answer as LiveKit agents report them. The caller speaks from 5000 to 7000. */
const createLiveKit = (by: number, { turn = {}, isBelow = true }: { turn?: Attributes; isBelow?: boolean } = {}) => {
  const at = (name: string, start: number, end: number, attributes: Attributes, parent: Span | null) =>
    own(name, start + by, end + by, attributes, parent)
  const session = at('agent_session', 0, 60_000, { call_sid: 'c' }, null)
  const heard = {
    'lk.user_transcript': 'To Lisbon, please.',
    'lk.transcript_confidence': 0.93,
    'lk.transcription_delay': 0.3,
    'lk.end_of_turn_delay': 0.5,
    'gen_ai.provider.name': 'deepgram',
  }
  const userTurn = at('user_turn', 5000, 7500, heard, session)
  const agentTurn = at('agent_turn', 7510, 11_000, { 'lk.e2e_latency': 1.6, ...turn }, session)
  const model = { 'lk.response.text': 'Which day do you want to travel?', 'lk.response.ttft': 0.7 }
  return [
    session,
    userTurn,
    agentTurn,
    at('llm_node', 7520, 8400, { ...model, 'gen_ai.provider.name': 'openai' }, agentTurn),
    at('tts_node', 8250, 8900, { 'lk.response.ttfb': 0.3 }, agentTurn),
    at('agent_speaking', 8600, 10_900, {}, isBelow ? agentTurn : session),
  ]
}

describe('LiveKit agents', () => {
  test.each([true, false])('have turns, texts, and gaps with their parts (audio below the turn: %s)', (isBelow) => {
    const built = build(createLiveKit(0, { isBelow }))
    expect(describeTurns(built)).toEqual([
      ['caller', 5000, 7000, 'To Lisbon, please.'],
      ['agent', 8600, 10_900, 'Which day do you want to travel?'],
    ])
    expect(built.turns[0]).toMatchObject({ confidence: 0.93, vendor: 'deepgram' })
    expect(built.turns[1]).toMatchObject({ vendor: null, interruption: null })
    expect([built.turns[1]?.gap?.duration_ms, built.turns[1]?.gap?.starts_at]).toEqual([1600, 'end_of_speech'])
    expect(getParts(built, 1)).toEqual([
      ['endpointing', 200],
      ['speech_to_text', 300],
      ['model_first_token', 700],
      ['text_to_speech_first_byte', 300],
      ['unattributed', 100],
    ])
    expect(hasAgent(built)).toBe(true)
  })

  test('say that the caller interrupted', () => {
    const built = build(createLiveKit(0, { turn: { 'lk.interrupted': true } }))
    expect(built.turns[1]?.interruption).toMatchObject({ by: 'caller', at_ms: 10_900 })
  })

  test.each([
    ['audio_activity', 'caller'],
    ['user_turn', 'caller'],
    ['programmatic', undefined],
  ])('that are interrupted by %s are interrupted by %s', (source, by) => {
    const turn = { 'lk.interrupted': true, 'lk.interruption.source': source }
    const built = build(createLiveKit(0, { turn }))
    expect([built.turns[1]?.interruption?.by, built.turns[1]?.end_ms]).toEqual([by, 10_900])
  })

  test('are not interrupted by the caller if they end with their session', () => {
    const all = createLiveKit(0, { turn: { 'lk.interrupted': true } })
    const end = all.find(({ name }) => name === 'agent_turn')?.end ?? 0n
    const endWith = (delayMs: bigint) =>
      build(all.map((one) => (one.name === 'agent_session' ? { ...one, end: end + delayMs * 1_000_000n } : one)))
    expect([endWith(900n), endWith(1100n)].map(({ turns }) => turns[1]?.interruption?.by)).toEqual([
      undefined,
      'caller',
    ])
  })

  test('without the times of the audio have the reported delay as their gap', () => {
    const built = build(createLiveKit(0).filter(({ name }) => name !== 'agent_speaking'))
    expect(built.turns[1]?.gap).toMatchObject({ start_ms: 7000, duration_ms: 1600 })
  })

  test('have the names of attributes of newer versions', () => {
    const renamed = createLiveKit(0).map((one) => ({
      ...one,
      attributes: one.attributes.map(({ key, value }) => ({
        key: key.replace(/^lk\.(user_transcript|response\.text)$/, 'lk.pii.$1'),
        value,
      })),
    }))
    expect(describeTurns(build(renamed))).toEqual(describeTurns(build(createLiveKit(0))))
  })

  /** Removes what an agent leaves out that does not report contents. */
  const withoutContents = (spans: readonly Span[]) =>
    spans.map((one) => ({
      ...one,
      attributes: one.attributes.filter(({ key }) => !/^lk\.(user_transcript|response\.text)$/.test(key)),
    }))

  const facets: CallFacets = { account_sid: 'a', application_sid: null, trunk: null, host: null, attempted_at: '' }
  const countAll = (built: Conversation) =>
    summarizeConversation(built, facets).filter(({ measure }) => measure !== 'characters')

  test('have the same turns, gaps, and statistics without their texts', () => {
    const spans = createLiveKit(0)
    const [whole, silent] = [build(spans), build(withoutContents(spans))]
    expect(silent.turns).toEqual(whole.turns.map((turn) => ({ ...turn, text: '' })))
    expect(countAll(silent)).toEqual(countAll(whole))
    expect(hasAgent(silent)).toBe(true)
  })

  test('have no turn of noise, whose end was not decided', () => {
    const spans = createLiveKit(0)
    const noise = own('user_turn', 20_000, 25_000, {}, spans[0])
    expect(describeTurns(build([...spans, noise]))).toEqual(describeTurns(build(spans)))
    const decided = own('eou_detection', 24_000, 24_100, {}, noise)
    expect(describeTurns(build([...spans, noise, decided])).at(-1)).toEqual(['caller', 20_000, 24_100, ''])
  })

  test('have a turn of the caller whose end was not decided, if the agent says how long the caller has waited', () => {
    const createRealtime = (heard: Attributes, latency: Attributes) => {
      const session = own('agent_session', 0, 60_000, { call_sid: 'c' })
      const response = { 'lk.response.text': 'Bonjour.', ...latency }
      return [
        session,
        own('user_turn', 5000, 7200, heard, session),
        own('agent_turn', 8000, 12_000, response, session),
        own('agent_speaking', 8200, 11_900, {}, session),
      ]
    }
    const latency = { 'lk.e2e_latency': 0.9 }
    const [whole, silent] = [
      build(createRealtime({ 'lk.user_transcript': 'Hi.' }, latency)),
      build(createRealtime({}, latency)),
    ]
    expect(describeTurns(silent)[0]).toEqual(['caller', 5000, 7300, ''])
    expect(silent.turns[1]?.gap?.duration_ms).toBe(900)
    expect(countAll(silent)).toEqual(countAll(whole))
    expect(silent.other_steps).toEqual([])
    expect(describeTurns(build(createRealtime({}, {})))).toEqual([['agent', 8200, 11_900, 'Bonjour.']])
  })

  test('end with their last audio, if they pause for the call of a tool', () => {
    const spans = createLiveKit(0)
    const turn = spans.find(({ name }) => name === 'agent_turn')
    const more = own('agent_speaking', 14_000, 16_000, {}, turn ?? null)
    expect(describeTurns(build([...spans, more]))[1]).toEqual([
      'agent',
      8600,
      16_000,
      'Which day do you want to travel?',
    ])
  })

  test('have a text without the tags for the voice of the agent, which are not spoken', () => {
    const turn = { 'lk.response.text': '<expr type="happy"/>Is it 3 < 4?\n<break time="1s"/> Yes.' }
    expect(build(createLiveKit(0, { turn })).turns[1]?.text).toBe('Is it 3 < 4? Yes.')
  })

  test('have all of the text that an interrupted turn reports, because it was spoken', () => {
    const turn = { 'lk.interrupted': true, 'lk.response.text': 'Which day' }
    const { interruption } = build(createLiveKit(0, { turn })).turns[1] ?? {}
    expect(interruption).toMatchObject({ position: 'Which day'.length, position_evidence: 'measured' })
    // The text of the model contains words that were not spoken.
    const planned = build(createLiveKit(0, { turn: { 'lk.interrupted': true } })).turns[1]?.interruption
    expect(planned?.position_evidence).toBe('derived')
  })

  test('have no turn of a response without audio', () => {
    const unheard = createLiveKit(0, { turn: { 'lk.interrupted': true, 'lk.e2e_latency': '' } })
    const built = build(unheard.filter(({ name }) => name !== 'agent_speaking'))
    expect(describeTurns(built)).toEqual([['caller', 5000, 7000, 'To Lisbon, please.']])
    // The text of the turn itself is what was spoken.
    const spoken = createLiveKit(0, { turn: { 'lk.response.text': 'Which day', 'lk.e2e_latency': '' } })
    expect(build(spoken.filter(({ name }) => name !== 'agent_speaking')).turns[1]?.text).toBe('Which day')
  })

  test('take delays of zero for unknown', () => {
    const spans = createLiveKit(0).map((one) => ({
      ...one,
      attributes: one.attributes.map(({ key, value }) => ({ key, value: key.endsWith('_delay') ? 0 : value })),
    }))
    const built = build(spans)
    // The end of the speech follows from the delay until the audio.
    expect(built.turns[0]).toMatchObject({ end_ms: 7000, end_evidence: 'measured' })
    expect(getParts(built, 1).map(([kind]) => kind)).toEqual([
      'model_first_token',
      'text_to_speech_first_byte',
      'unattributed',
    ])
  })

  test('are moved to the clock of the platform by the turns that both report', () => {
    const platform = (...[name, start, end, attributes, parent]: Parameters<typeof span>): Span => ({
      ...span(name, start, end, attributes, parent),
      service: 'jambonz',
    })
    const root = platform('incoming-call', 0, 60_000, { callSid: 'c' })
    const heard = recognized('To Lisbon, please.', { 'stt.latency_ms': '300' })
    const response = { text: 'Which day do you want to travel?', time_to_first_byte_ms: '100' }
    const spans = sort([
      root,
      platform('verb:gather{inputs=speech}', 4000, 7300, heard, root),
      platform('verb:say{text=Which}', 8500, 10_900, response, root),
    ])
    const built = build(createLiveKit(120_000), { spans })
    expect(built.sources).toContainEqual({ service, clock_difference_ms: 120_000 })
    expect(built.turns.map(({ speaker }) => speaker)).toEqual(['caller', 'agent'])
    expect(getParts(built, 1)).toContainEqual(['model_first_token', 700])
  })
})

describe('Pipecat', () => {
  const createTurns = (more: Attributes = {}) => {
    const root = own('conversation', 0, 60_000, { call_sid: 'c' })
    const greeting = own('turn', 500, 4500, { 'turn.number': 1 }, root)
    const turn = own(
      'turn',
      5000,
      13_000,
      { 'turn.number': 2, 'turn.user_bot_latency_seconds': 1.4, 'turn.was_interrupted': false, ...more },
      root,
    )
    const spoken = { voice_id: 'aurora', 'gen_ai.system': 'cartesia', 'metrics.ttfb': 0.2 }
    return [
      root,
      greeting,
      own('tts', 600, 900, { ...spoken, text: 'Good morning.' }, greeting),
      turn,
      own('stt', 5100, 6000, { transcript: 'To', is_final: false }, turn),
      own('stt', 5100, 7300, { transcript: 'To Lisbon.', language: 'en', 'gen_ai.system': 'deepgram' }, turn),
      own('llm', 7400, 8000, { 'metrics.ttfb': 0.6 }, turn),
      own('tts', 8200, 9000, { ...spoken, text: 'Which day' }, turn),
      own('tts', 9000, 9400, { ...spoken, text: 'do you want?' }, turn),
    ]
  }

  test('has the turns of both sides in one span, with the texts of their parts', () => {
    const built = build(createTurns())
    expect(built.turns.map(({ speaker, start_ms, text }) => [speaker, start_ms, text])).toEqual([
      ['agent', 800, 'Good morning.'],
      ['caller', 5000, 'To Lisbon.'],
      ['agent', 8400, 'Which day do you want?'],
    ])
    expect(built.turns[1]).toMatchObject({ end_ms: 7000, vendor: 'deepgram', language: 'en' })
    expect(built.turns[2]).toMatchObject({ voice: 'aurora', vendor: 'cartesia', interruption: null })
    expect(built.turns[2]?.gap?.duration_ms).toBe(1400)
    expect(getParts(built, 2)).toEqual([
      ['model_first_token', 600],
      ['text_to_speech_first_byte', 200],
      ['unattributed', 600],
    ])
  })

  test.each([
    ['a turn', {}, 'caller'],
    ['no turn that the end of the call has ended', { 'turn.ended_by_conversation_end': true }, undefined],
  ])('says that the caller interrupted %s', (_what, more, by) => {
    const built = build(createTurns({ 'turn.was_interrupted': true, ...more }))
    expect(built.turns.map(({ interruption }) => interruption?.by)).toEqual([undefined, undefined, by])
  })

  const createResults = (...transcripts: readonly (readonly [text: string, isFinal?: boolean])[]) => {
    const turn = own('turn', 5000, 13_000, { 'turn.number': 1 })
    const results = transcripts.map(([transcript, is_final], at) =>
      own(
        'stt',
        5000 + at * 500,
        5400 + at * 500,
        { transcript, ...(is_final === undefined ? {} : { is_final }) },
        turn,
      ),
    )
    return build([turn, ...results]).turns.map(({ text }) => text)
  }

  test('has each result of the recognition, also those that are never marked as final, and no interim ones', () => {
    expect(createResults(['To Lisbon.', false])).toEqual(['To Lisbon.'])
    expect(createResults(['To Lisbon.', false], ['On Monday.', false])).toEqual(['To Lisbon. On Monday.'])
    expect(createResults(['To', false], ['To Lizbon', false], ['To Lisbon.', true])).toEqual(['To Lisbon.'])
    expect(createResults(['Yes.', true], ['Yes.', true])).toEqual(['Yes. Yes.'])
    expect(createResults(['', false], ['Hello?', false])).toEqual(['Hello?'])
  })

  test('has the words after a pause as another turn, which is the one that was interrupted', () => {
    const turn = own('turn', 1000, 20_000, {
      'turn.number': 1,
      'turn.user_bot_latency_seconds': 1.5,
      'turn.was_interrupted': true,
    })
    const spoken = { 'metrics.ttfb': 0.1 }
    const built = build([
      turn,
      own('stt', 1000, 2000, { transcript: 'Find it.' }, turn),
      own('tts', 3000, 3400, { text: 'Let me', ...spoken }, turn),
      own('tts', 3400, 3600, { text: 'check.', ...spoken }, turn),
      own('tts', 11_500, 12_000, { text: 'Found it.', ...spoken }, turn),
    ])
    expect(
      built.turns.map(({ speaker, text, start_ms, gap, interruption }) => [
        speaker,
        text,
        start_ms,
        gap?.duration_ms,
        interruption?.at_ms,
      ]),
    ).toEqual([
      ['caller', 'Find it.', 1000, undefined, undefined],
      ['agent', 'Let me check.', 3100, 1500, undefined],
      ['agent', 'Found it.', 11_600, undefined, 20_000],
    ])
  })

  test('keeps turns with their times if a text is missing', () => {
    const [turn, silent] = [
      own('turn', 5000, 13_000, { 'turn.number': 1 }),
      own('turn', 20_000, 21_000, { 'turn.number': 2 }),
    ]
    const built = build([
      turn,
      own('stt', 5100, 6000, {}, turn),
      own('tts', 7000, 8000, { 'metrics.ttfb': 0.5 }, turn),
      silent,
    ])
    expect(built.turns.map(({ speaker, start_ms, text }) => [speaker, start_ms, text])).toEqual([
      ['caller', 5000, ''],
      ['agent', 7500, ''],
    ])
  })
})

describe('Pipecat, outside of its turns', () => {
  const root = own('conversation', 0, 60_000, { call_sid: 'c' })
  const spoken = { 'metrics.ttfb': 0.2 }

  test.each<[string, Span | null]>([
    ['below the conversation', root],
    ['below a turn that was lost', { ...root, id: 'ffffffffffffffff' }],
  ])('has the words of both sides %s', (_where, parent) => {
    const built = build([
      root,
      own('tts', 500, 900, { text: 'Welcome.', ...spoken }, parent),
      own('stt', 5000, 6500, { transcript: 'Cancel my', is_final: false }, parent),
      own('stt', 5000, 6500, { transcript: 'Cancel my order.', is_final: true }, parent),
      own('llm', 6600, 7400, { 'metrics.ttfb': 0.5, output: 'Done. Bye.' }, parent),
      own('tts', 7400, 7600, { text: 'Done.', ...spoken }, parent),
      own('tts', 7600, 7900, { text: 'Bye.', ...spoken }, parent),
      own('stt', 20_000, 21_000, { transcript: 'Hello?' }, parent),
      own('stt', 40_000, 41_000, { transcript: 'Hello?' }, parent),
    ])
    expect(
      built.turns.map(({ speaker, start_ms, start_evidence, text }) => [speaker, start_ms, start_evidence, text]),
    ).toEqual([
      ['agent', 700, 'measured', 'Welcome.'],
      ['caller', 5460, 'unknown', 'Cancel my order.'],
      ['agent', 7600, 'measured', 'Done. Bye.'],
      ['caller', 20_610, 'unknown', 'Hello?'],
      ['caller', 40_610, 'unknown', 'Hello?'],
    ])
    expect(built.turns[2]?.gap).toMatchObject({ duration_ms: 1100, starts_at: 'transcript' })
    expect(hasAgent(built)).toBe(true)
  })

  test('has no words of steps without a text', () => {
    expect(
      build([root, own('stt', 500, 900, spoken, root), own('tts', 1000, 1200, { text: ' ' }, root)]).turns,
    ).toEqual([])
  })

  test('has the words and calls of tools of speech-to-speech models', () => {
    const turn = own('turn', 5000, 12_000, { 'turn.number': 1 }, root)
    const tool = { 'tool.function_name': 'find_weather', 'tool.arguments': '{"city":"Lisbon"}' }
    const built = build([
      root,
      turn,
      own('stt', 5200, 6800, { transcript: 'How is the weather?' }, turn),
      own('llm_tool_call', 7000, 7010, tool, turn),
      own('llm_tool_result', 7500, 7510, { ...tool, 'tool.result_status': 'completed' }, turn),
      own('llm_response', 7600, 7700, { 'function_calls.all_names': 'find_fares,find_days' }, turn),
      own('llm_response', 10_900, 11_000, { output: 'It is 20 degrees.' }, turn),
    ])
    expect(built.turns.map(({ speaker, start_evidence, text }) => [speaker, start_evidence, text])).toEqual([
      ['caller', 'measured', 'How is the weather?'],
      ['agent', 'unknown', 'It is 20 degrees.'],
    ])
    expect(built.events.map(({ kind, detail, arguments: text }) => [kind, detail, text])).toEqual([
      ['tool_call', 'find_weather', '{"city":"Lisbon"}'],
      ['tool_call', 'find_fares,find_days', null],
    ])
  })

  test('does not begin audio before its synthesis, if the first byte is unknown', () => {
    const turn = own('turn', 5000, 12_000, { 'turn.number': 1 }, root)
    const unknown = { 'metrics.ttfb': 0 }
    const [caller, agent] = build([
      root,
      turn,
      own('stt', 6800, 6800, { transcript: 'Hello?' }, turn),
      own('tts', 8000, 8000, { text: 'Good morning.', ...unknown }, turn),
    ]).turns
    expect([caller?.end_ms, agent?.start_ms, agent?.start_evidence, agent?.gap]).toEqual([6800, 8000, 'unknown', null])
  })
})

describe('hostile spans', () => {
  test.each<[string, Attributes]>([
    ['negative times', { 'lk.e2e_latency': -5, 'turn.user_bot_latency_seconds': -5 }],
    ['endless times', { 'lk.e2e_latency': 1e9, 'lk.end_of_turn_delay': 3600, 'turn.user_bot_latency_seconds': 3600 }],
    ['no numbers', { 'lk.e2e_latency': 'x', 'lk.transcript_confidence': 'x', 'turn.number': 'x' }],
    ['objects', { 'lk.user_transcript': { a: 1 } as never, 'lk.interrupted': [] as never }],
  ])('with %s give a conversation that is valid', (_name, attributes) => {
    const spans = ['user_turn', 'agent_turn', 'turn'].map((name) =>
      own(name, 100, 200, { 'turn.number': 1, 'lk.user_transcript': 'Hi', 'lk.response.text': 'Hi', ...attributes }),
    )
    const { turns } = build(spans)
    expect(turns.every(({ start_ms, end_ms, text }) => start_ms <= end_ms && !text.includes('object'))).toBe(true)
  })

  test('with 10,000 turns, and parts that are their own parents, take a bounded time and are cut', () => {
    const spans = Array.from({ length: 10_000 }, (_, at) => ({
      ...own('agent_turn', at * 10, at * 10 + 60_000, { 'lk.response.text': `Sentence ${at}` }),
    }))
    const loop = own('llm_node', 5, 6)
    const { turns, is_cut } = build([...spans, { ...loop, parent: loop.id }])
    expect([turns.length, is_cut]).toEqual([2000, true])
  })

  test('with a turn of 5,000 parts with pauses take a bounded time', () => {
    const getCpuMs = startCpuClock()
    const turn = own('turn', 0, 60_000_000, { 'turn.number': 1 })
    const parts = Array.from({ length: 5000 }, (_, at) =>
      own('tts', at * 10_000, at * 10_000 + 100, { text: `Reply ${at}` }, turn),
    )
    expect(build([turn, ...parts]).turns).toHaveLength(51)
    expect(getCpuMs()).toBeLessThan(5000)
  })

  test('with 10,000 texts outside of turns take a bounded time and are cut', () => {
    const getCpuMs = startCpuClock()
    const spans = Array.from({ length: 10_000 }, (_, at) =>
      own(at % 2 === 0 ? 'stt' : 'tts', at * 10, at * 10 + 60_000, {
        transcript: `Sentence ${at}`,
        text: `Reply ${at}`,
      }),
    )
    const { turns, is_cut } = build(spans)
    expect([turns.length, is_cut]).toEqual([2000, true])
    expect(getCpuMs()).toBeLessThan(5000)
  })

  test('with 5,000 services take a bounded time', () => {
    const getCpuMs = startCpuClock()
    const spans = Array.from({ length: 5000 }, (_, at) => ({
      ...own('agent_turn', at * 20_000, at * 20_000 + 1000, { 'lk.response.text': `Sentence ${at}` }),
      service: `agent-${at}`,
    }))
    const { turns, is_cut } = build(spans)
    expect([turns.length, is_cut]).toEqual([5, true])
    expect(getCpuMs()).toBeLessThan(5000)
  })
})
