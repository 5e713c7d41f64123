import { randomUUID } from 'node:crypto'
import type { ConversationList } from '@patchbay/contract/conversation-list'
import type { ConversationQuality } from '@patchbay/contract/conversation-quality'
import type { FoundPage } from '@patchbay/contract/conversation-search'
import type { Conversation, Turn } from '@patchbay/contract/conversations'
import { enqueueConversations } from '@patchbay/server/call-data/conversations/conversation-queue'
import { createConversationJob } from '@patchbay/server/jobs/compute-conversations'
import { createTranscriptJob } from '@patchbay/server/jobs/maintain-transcripts'
import { openTestApi } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { callRecord, getRow, otlpSpan, type Row } from './fixtures.ts'
import { openTraceIntake } from './trace-intake.ts'

/** Conversations from spans in any order to each view of them: the call, statistics, the list, and the search. */

const api = await openTestApi()
const { database } = api.test
const intake = openTraceIntake(api)

const at = Date.parse('2026-11-02T10:00:00Z')

type Value = string | number | boolean
interface ChosenSpan {
  name: string
  from: number
  until: number
  attributes?: Readonly<Record<string, Value>>
  /** Name of the span above. The first span is above all others. */
  parent?: string
  service?: string
}

const toValue = (value: Value): Row => {
  if (typeof value === 'string') return { stringValue: value }
  return typeof value === 'number' ? { doubleValue: value } : { boolValue: value }
}

/** Exports spans one by one in the reverse order, the last one twice. */
const exportSpans = async (trace_id: string, account_sid: string, spans: readonly ChosenSpan[]): Promise<void> => {
  const rows = spans.map(({ name, from, until, attributes = {} }, position) =>
    otlpSpan(trace_id, {
      name,
      startTimeUnixNano: `${at + from}000000`,
      endTimeUnixNano: `${at + until}000000`,
      attributes: Object.entries(position === 0 ? { ...attributes, accountSid: account_sid } : attributes).map(
        ([key, value]) => ({ key, value: toValue(value) }),
      ),
    }),
  )
  const toPayload = (position: number) => {
    const { parent, service = 'jambonz' } = spans[position] ?? {}
    const above = parent === undefined ? 0 : spans.findIndex(({ name }) => name === parent)
    const span = { ...rows[position], ...(position === 0 ? {} : { parentSpanId: rows[above]?.['spanId'] }) }
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: service } }] }
    return { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }
  }
  const positions = [...rows.keys(), rows.length - 1].toReversed()
  for (const position of positions) {
    const { statusCode } = await intake.inject({ method: 'POST', url: '/v1/traces', payload: toPayload(position) })
    expect(statusCode).toBe(200)
  }
}

const errors: unknown[] = []

/** Stores a call with its trace, and reads each of its views. */
const readViews = async (spans: readonly ChosenSpan[], query: string) => {
  const service_provider_sid = await api.provider()
  const account_sid = await api.account(service_provider_sid)
  const [call_sid, trace_id] = [randomUUID(), randomUUID().replaceAll('-', '')]
  await exportSpans(trace_id, account_sid, spans)
  const time = BigInt(at) * 1_000_000n
  await api.sinks.calls.store([callRecord(account_sid, { service_provider_sid, call_sid, trace_id, time })])
  await enqueueConversations(database, [{ account_sid, call_sid }], Date.now())
  const now = () => Date.now() + 60_000
  await createConversationJob({
    database,
    sources: api.services,
    onBackgroundError: (error) => errors.push(error),
    now,
  })()
  await createTranscriptJob(api.services, now)()
  expect(errors).toEqual([])
  const read = async <T>(path: string): Promise<T> => {
    const answer = await api.admin.get(path)
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
    return getRow(answer) as unknown as T
  }
  const ofAccount = `/patchbay/accounts/${account_sid}`
  const period = 'from=2026-11-01&until=2026-11-30'
  const conversation = await read<Conversation>(`${ofAccount}/calls/${call_sid}/conversation`)
  const { total } = await read<ConversationQuality>(`${ofAccount}/conversation-quality?${period}`)
  const { conversations } = await read<ConversationList>(`${ofAccount}/conversations?${period}`)
  const page = await read<FoundPage>(
    `/patchbay/Accounts/${account_sid}/ConversationSearch?q=${encodeURIComponent(query)}&page=1&count=25&days=90&start=2026-11-01T00:00:00Z&end=2026-11-30T00:00:00Z`,
  )
  return { conversation, total, listed: conversations[0], matches: page.data.flatMap(({ turns }) => turns) }
}

const root: ChosenSpan = { name: 'incoming-call', from: 0, until: 60_000 }
const say = (from: number, until: number, text: string): ChosenSpan => ({
  name: `verb:say{text=${text}}`,
  from,
  until,
  attributes: { text, 'tts.vendor': 'google', time_to_first_byte_ms: '100' },
})
const hear = (name: string, from: number, until: number, transcript: string): ChosenSpan => ({
  name,
  from,
  until,
  attributes: {
    'stt.resolve': 'speech',
    'stt.result': JSON.stringify({ alternatives: [{ transcript, confidence: 0.9 }] }),
    'stt.latency_ms': '300',
  },
})
const pipecat = (
  name: string,
  from: number,
  until: number,
  attributes: NonNullable<ChosenSpan['attributes']>,
): ChosenSpan => ({ name, from, until, attributes, service: 'bot' })

interface Views {
  spans: readonly ChosenSpan[]
  query: string
  /** Turns of the agent and the caller, gaps, interruptions, and errors that count. */
  counts: readonly [agent: number, caller: number, gaps: number, interruptions: number, errors: number]
  turns: number
}

describe('each view of a conversation', () => {
  test.each<[string, Views]>([
    [
      'a transfer to a person, transcribed on both sides',
      {
        spans: [
          root,
          say(1000, 3000, 'How can I help?'),
          hear('verb:gather{inputs=speech}', 3000, 6000, 'A person, please.'),
          { name: 'verb:dial{type=phone}', from: 6100, until: 50_000 },
          hear('stt-listen:2', 8000, 12_000, 'Zanzibar speaking.'),
          hear('stt-listen:1', 12_000, 15_000, 'My bill is wrong.'),
          say(50_500, 52_000, 'Goodbye.'),
        ],
        query: 'zanzibar',
        counts: [2, 2, 0, 0, 0],
        turns: 5,
      },
    ],
    [
      'a model that reports nothing, and a webhook that fails',
      {
        spans: [
          root,
          hear('verb:gather{inputs=speech}', 1000, 4000, 'Hello there.'),
          { name: 'verb:hook', from: 4000, until: 4100, attributes: { 'http.statusCode': 502 } },
          { name: 'verb:Llm_OpenAI_s2s', from: 4200, until: 40_000 },
          say(40_500, 42_000, 'Goodbye.'),
        ],
        query: 'hello',
        counts: [1, 1, 0, 0, 1],
        turns: 2,
      },
    ],
    [
      'words of Pipecat outside of its turns',
      {
        spans: [
          root,
          { name: 'verb:listen{wss://bot}', from: 500, until: 59_000 },
          { ...pipecat('conversation', 600, 59_000, {}), parent: 'verb:listen{wss://bot}' },
          { ...pipecat('stt', 5000, 6000, { transcript: 'Ein Tisch für zwei.' }), parent: 'conversation' },
          { ...pipecat('tts', 6500, 7000, { text: '予約しました。', 'metrics.ttfb': 0.2 }), parent: 'conversation' },
        ],
        query: 'tisch',
        counts: [1, 1, 1, 0, 0],
        turns: 2,
      },
    ],
    [
      'digits while the caller waits, and a prompt from a file',
      {
        spans: [
          root,
          hear('verb:gather{inputs=speech}', 1000, 4000, 'I want to pay.'),
          { name: 'dtmf:1', from: 8000, until: 8100, attributes: { dtmf: '1' } },
          say(9000, 10_000, 'Thanks.'),
          hear('verb:gather{inputs=speech,with nested play task}', 10_000, 30_000, 'Done.'),
          {
            name: 'nested:play{url=menu.mp3}',
            from: 10_100,
            until: 28_000,
            parent: 'verb:gather{inputs=speech,with nested play task}',
          },
          say(30_500, 32_000, 'Goodbye.'),
        ],
        query: 'pay',
        counts: [2, 2, 1, 0, 0],
        turns: 4,
      },
    ],
  ])('has the same turns, figures, and words of %s', async (_name, { spans, query, counts, turns }) => {
    const { conversation, total, listed, matches } = await readViews(spans, query)
    expect(conversation.turns).toHaveLength(turns)
    for (const view of [total, listed])
      expect([
        view?.agent_turns,
        view?.caller_turns,
        view?.durations.gap.count,
        (view?.caller_interruptions ?? 0) + (view?.agent_interruptions ?? 0),
        view?.errors,
      ]).toEqual(counts)
    expect(conversation.turns.filter(({ gap }) => gap !== null)).toHaveLength(counts[2])
    expect(conversation.turns.filter(({ interruption }) => interruption !== null)).toHaveLength(counts[3])
    const matching = conversation.turns.filter(({ text }) => text.toLowerCase().includes(query))
    const toView = ({
      speaker,
      is_other_side,
      start_ms,
      text,
    }: Pick<Turn, 'speaker' | 'is_other_side' | 'start_ms' | 'text'>) => [speaker, is_other_side, start_ms, text]
    expect(matches.map(toView)).toEqual(matching.map(toView))
    expect(matches).toHaveLength(1)
    expect(matches[0]?.is_other_side).toBe(query === 'zanzibar' ? true : undefined)
  })
})
