import { randomUUID } from 'node:crypto'
import type { Conversation } from '@patchbay/contract/conversations'
import { exportCall } from '@patchbay/testkit/calls/traced-call'
import { type Answer } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { getRow, otlpSpan, type Row, statusAndMessage, storeCall } from './fixtures.ts'
import { openTraceIntake } from './trace-intake.ts'

/** Conversations, from the published OpenTelemetry exporter through the intake to the API response. */

const api = await openTestApi()
const service_provider_sid = await api.provider()
const intake = openTraceIntake(api)
const url = await intake.listen({ host: '127.0.0.1', port: 0 })

const at = Date.parse('2026-11-02T10:00:00.123Z')

interface StoredCall {
  account_sid: string
  call_sid: string
  trace_id: string
}

/** Exports the trace of a voice bot call, and stores its record. */
const storeConversation = async (): Promise<StoredCall> => {
  const account_sid = await api.account(service_provider_sid)
  const call_sid = randomUUID()
  const trace_id = await exportCall({ url, account_sid, call_sid, at, seconds: 60 })
  await storeCall(api, { account_sid, service_provider_sid, trace_id }, call_sid)
  return { account_sid, call_sid, trace_id }
}

/** Stores the record of a call of a new account, without its trace. */
const storeUntracedCall = async (): Promise<StoredCall> => {
  const account_sid = await api.account(service_provider_sid)
  const trace_id = randomUUID().replaceAll('-', '')
  return { account_sid, trace_id, call_sid: await storeCall(api, { account_sid, service_provider_sid, trace_id }) }
}

const readAt = (account_sid: string, call_sid: string, caller = api.admin): Promise<Answer> =>
  caller.get(`/patchbay/accounts/${account_sid}/calls/${call_sid}/conversation`)

const readConversation = async ({ account_sid, call_sid }: StoredCall): Promise<Conversation> => {
  const answer = await readAt(account_sid, call_sid)
  expect(answer.status).toBe(200)
  return getRow(answer) as unknown as Conversation
}

describe('the conversation of a voice bot call', () => {
  test('has the turns of both sides in order, with the gap before each answer of the agent', async () => {
    const { started_at, turns, is_cut } = await readConversation(await storeConversation())
    expect([started_at, is_cut]).toEqual(['2026-11-02T10:00:00.123Z', false])
    const [welcome, request, answer] = turns
    expect(welcome).toMatchObject({
      speaker: 'agent',
      text: 'Welcome to Example Airlines. How can I help you today?',
      voice: 'en-US-Wavenet-C',
      gap: null,
    })
    expect(request).toMatchObject({ speaker: 'caller', text: 'I would like to change my flight to Lisbon.' })
    expect(request?.confidence).toBeGreaterThan(0.7)
    expect(answer).toMatchObject({ speaker: 'agent', text: 'Sure. What is your booking code?' })
    expect(answer?.gap?.start_ms).toBe(request?.end_ms)
    const gaps = turns.flatMap(({ gap }) => (gap === null ? [] : [gap]))
    expect(gaps.length).toBeGreaterThan(2)
    for (const { parts, duration_ms } of gaps) {
      expect(parts.map(({ kind }) => kind)).toEqual([
        'endpointing',
        'speech_to_text',
        'application',
        'text_to_speech_first_byte',
        'unattributed',
      ])
      expect(parts.reduce((sum, part) => sum + (part.duration_ms ?? 0), 0)).toBe(duration_ms)
      expect(parts[1]?.duration_ms).toBeGreaterThan(200)
    }
  })

  test('has the digits and silent prompts of the trace', async () => {
    const { events } = await readConversation(await storeConversation())
    const kinds = events.map(({ kind, detail }) => [kind, detail])
    expect(kinds).toContainEqual(['dtmf', '5'])
    expect(kinds).toContainEqual(['no_input', ''])
  })

  test('is not found for other tenants, for a call without a trace, and for unknown calls', async () => {
    const { account_sid, call_sid } = await storeConversation()
    const sibling = await api.account(service_provider_sid)
    const unknown = [404, 'Call not found']
    expect(statusAndMessage(await readAt(sibling, call_sid))).toEqual(unknown)
    expect(statusAndMessage(await readAt(account_sid, randomUUID()))).toEqual(unknown)
    for (const invalid of ['x', encodeURIComponent("' OR 1=1")])
      expect((await readAt(account_sid, invalid)).status).toBe(400)
    const untraced = await storeUntracedCall()
    expect(statusAndMessage(await readAt(untraced.account_sid, untraced.call_sid))).toEqual([404, 'Not Found'])
    const { caller } = await api.user({ account_sid: sibling })
    expect((await readAt(account_sid, call_sid, caller)).status).toBe(403)
  })

  test('masks credentials in the details of errors for view-only users', async () => {
    const { account_sid, call_sid, trace_id } = await storeConversation()
    const message = 'no response from https://someone:a-password@hooks.example.org/calls'
    const failed = otlpSpan(trace_id, { name: 'verb:hook', status: { code: 2, message } })
    const named = otlpSpan(trace_id, { attributes: [{ key: 'accountSid', value: { stringValue: account_sid } }] })
    const spans = [named, { ...failed, parentSpanId: named['spanId'] }]
    const payload = { resourceSpans: [{ scopeSpans: [{ spans }] }] }
    expect((await intake.inject({ method: 'POST', url: '/v1/traces', payload })).statusCode).toBe(200)
    const { caller } = await api.user({ account_sid, is_view_only: true })
    const masked = await readAt(account_sid, call_sid, caller)
    expect([masked.status, masked.text.includes('no response from')]).toEqual([200, true])
    expect(masked.text).not.toContain('a-password')
    expect((await readAt(account_sid, call_sid)).text).toContain('a-password')
  })
})

describe('spans of other programs', () => {
  test('are parts of the gap, although the clock of the agent is 4 s ahead', async () => {
    const call = await storeUntracedCall()
    const { account_sid, trace_id } = call
    const toText = (stringValue: string) => ({ stringValue })
    type Texts = Readonly<Record<string, string>>
    const make = (name: string, from: number, until: number, attributes: Texts, parent?: Row): Row =>
      otlpSpan(trace_id, {
        name,
        startTimeUnixNano: `${at + from}000000`,
        endTimeUnixNano: `${at + until}000000`,
        attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: toText(value) })),
        ...(parent ? { parentSpanId: parent['spanId'] } : {}),
      })
    const root = make('incoming-call', 0, 20_000, { accountSid: account_sid, callSid: randomUUID() })
    const result = JSON.stringify({ alternatives: [{ transcript: 'To Lisbon.', confidence: 0.9 }] })
    const heard = { 'stt.result': result, 'stt.resolve': 'speech', 'stt.latency_ms': '300' }
    const gather = make('verb:gather{inputs=speech}', 1000, 5500, heard, root)
    const hook = make('verb:hook', 4500, 5400, {}, gather)
    const say = make('verb:say{text=When?}', 5520, 7000, { text: 'When?', time_to_first_byte_ms: '150' }, root)
    const chat = make('chat', 8500, 9400, { 'gen_ai.operation.name': 'chat' }, hook)
    const toResource = (name: string, spans: readonly Row[]) => ({
      resource: { attributes: [{ key: 'service.name', value: toText(name) }] },
      scopeSpans: [{ spans }],
    })
    const resourceSpans = [toResource('jambonz', [root, gather, hook, say]), toResource('my-bot', [chat])]
    const received = await intake.inject({ method: 'POST', url: '/v1/traces', payload: { resourceSpans } })
    expect(received.statusCode).toBe(200)
    const { sources, turns } = await readConversation(call)
    expect(sources).toEqual([
      { service: 'jambonz', clock_difference_ms: 0 },
      { service: 'my-bot', clock_difference_ms: 4000 },
    ])
    const [, answer] = turns
    expect(answer?.gap?.duration_ms).toBe(1470)
    expect(answer?.gap?.parts.map(({ kind, duration_ms, source }) => [kind, duration_ms, source])).toEqual([
      ['endpointing', null, null],
      ['speech_to_text', 300, 'jambonz'],
      ['model_first_token', 900, 'my-bot'],
      ['application', 0, 'jambonz'],
      ['text_to_speech_first_byte', 150, 'jambonz'],
      ['unattributed', 120, null],
    ])
  })

  const huge = '9'.repeat(20)
  const odd = (attributes: Readonly<Record<string, string>>, more: Row = {}) => ({
    name: 'verb:gather{inputs=speech}',
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
    ...more,
  })
  const result = JSON.stringify({ alternatives: [{ transcript: 'Hello', confidence: 'high' }] })

  test.each([
    ['a latency that is no number', odd({ 'stt.result': result, 'stt.latency_ms': 'fast,' })],
    ['a latency longer than the call', odd({ 'stt.result': result, 'stt.latency_ms': huge })],
    ['talk spurts that are no list', odd({ 'stt.result': result, 'stt.talkspurts': '{"a": [[[' })],
    ['talk spurts in another century', odd({ 'stt.result': result, 'stt.talkspurts': `[[${huge}, 1]]` })],
    ['a result that is no JSON', odd({ 'stt.result': '<xml>' })],
    [
      'times at the end of the range',
      odd({ 'stt.result': result }, { startTimeUnixNano: huge, endTimeUnixNano: huge }),
    ],
    ['an end before the start', odd({ 'stt.result': result }, { endTimeUnixNano: '1' })],
    ['a model request in another century', odd({ 'gen_ai.operation.name': 'chat' }, { endTimeUnixNano: huge })],
    ['a first token after an eternity', odd({ 'stt.result': result, 'lk.response.ttft': huge })],
    ['a synthesis with a negative first byte', odd({ time_to_first_byte_ms: '-5' }, { name: 'verb:say{text=Hi}' })],
  ])('with %s give a valid conversation', async (_what, span) => {
    const call = await storeUntracedCall()
    const { trace_id } = call
    const spans = [otlpSpan(trace_id), otlpSpan(trace_id, span)]
    const payload = { resourceSpans: [{ scopeSpans: [{ spans }] }] }
    expect((await intake.inject({ method: 'POST', url: '/v1/traces', payload })).statusCode).toBe(200)
    // The app itself validates the response against the contract.
    const { turns } = await readConversation(call)
    for (const { start_ms, end_ms } of turns) expect(end_ms).toBeGreaterThanOrEqual(start_ms)
  })
})
