import { randomBytes, randomUUID } from 'node:crypto'
import type { Conversation } from '@patchbay/contract/conversations'
import { enqueueConversations } from '@patchbay/server/call-data/conversations/conversation-queue'
import { removeBefore } from '@patchbay/server/call-data/retention'
import { createConversationJob } from '@patchbay/server/jobs/compute-conversations'
import { openTestApi } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { callRecord, getRow, nanosecondsAt, otlpSpan, type Row } from './fixtures.ts'
import { openTraceIntake } from './trace-intake.ts'

/** Traces of agent frameworks with a trace ID of their own, which name the call in an attribute. */

const api = await openTestApi({ TRACE_CALL_ATTRIBUTES: 'call_sid, sip.call_id, my.call' })
const service_provider_sid = await api.provider()
const intake = openTraceIntake(api)

const at = Date.parse('2026-11-02T10:00:00.000Z')
const newTraceId = () => randomBytes(16).toString('hex')

interface StoredCall {
  account_sid: string
  call_sid: string
  sip_callid: string
  trace_id: string
}

type Texts = Readonly<Record<string, string>>

const toAttributes = (values: Texts) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }))

const makeSpan = (
  trace_id: string,
  name: string,
  [from, until]: readonly [number, number],
  values: Texts,
  parent?: Row,
) =>
  otlpSpan(trace_id, {
    name,
    startTimeUnixNano: `${at + from}000000`,
    endTimeUnixNano: `${at + until}000000`,
    attributes: toAttributes(values),
    ...(parent ? { parentSpanId: parent['spanId'] } : {}),
  })

const send = async (service: string, spans: readonly Row[], resource: Texts = {}) => {
  const attributes = toAttributes({ 'service.name': service, ...resource })
  const payload = { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] }
  expect((await intake.inject({ method: 'POST', url: '/v1/traces', payload })).statusCode).toBe(200)
}

/** Stores a call at the time of the spans. */
const storeRecord = (account_sid: string, more: Row) =>
  api.sinks.calls.store([
    callRecord(account_sid, { service_provider_sid, time: nanosecondsAt(at), terminated_at: at + 20_000, ...more }),
  ])

/** Stores a call with the trace of the platform: the caller stops at 4200, and the audio begins at 5520. */
const storeNewCall = async (more: Row = {}): Promise<StoredCall> => {
  const account_sid = await api.account(service_provider_sid)
  const call = { call_sid: randomUUID(), sip_callid: randomUUID(), trace_id: newTraceId() }
  await storeRecord(account_sid, { ...call, ...more })
  const root = makeSpan(call.trace_id, 'incoming-call', [0, 20_000], {
    accountSid: account_sid,
    callSid: call.call_sid,
  })
  const result = JSON.stringify({ alternatives: [{ transcript: 'To Lisbon.', confidence: 0.9 }] })
  const heard = { 'stt.result': result, 'stt.resolve': 'speech', 'stt.latency_ms': '300' }
  const gather = makeSpan(call.trace_id, 'verb:gather{inputs=speech}', [1000, 4500], heard, root)
  const spoken = { text: 'When?', time_to_first_byte_ms: '150' }
  const say = makeSpan(call.trace_id, 'verb:say{text=When?}', [5370, 7000], spoken, root)
  await send('jambonz', [root, gather, say])
  return { account_sid, ...call, ...more }
}

interface FrameworkTrace {
  trace_id?: string
  resource?: Texts
}

/** Sends the trace of a framework: a session that names the call, and the model below it, from 4600 to 5300. */
const sendFramework = async (session: Texts, { trace_id = newTraceId(), resource = {} }: FrameworkTrace = {}) => {
  const root = makeSpan(trace_id, 'conversation', [500, 19_000], session)
  const chat = makeSpan(trace_id, 'chat', [4600, 5300], { 'gen_ai.operation.name': 'chat' }, root)
  await send('my-agent', [root, chat], resource)
}

const read = async ({ account_sid, call_sid }: StoredCall): Promise<Conversation> => {
  const answer = await api.admin.get(`/patchbay/accounts/${account_sid}/calls/${call_sid}/conversation`)
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  return getRow(answer) as unknown as Conversation
}

/** Returns the duration of the model in the gap, or undefined if the trace of the framework is not linked. */
const readModelMs = async (call: StoredCall): Promise<number | null | undefined> => {
  const { turns } = await read(call)
  return turns[1]?.gap?.parts.find(({ kind, source }) => kind === 'model_first_token' && source === 'my-agent')
    ?.duration_ms
}

describe('a trace of an agent framework', () => {
  test.each<[string, (call: StoredCall) => Texts]>([
    ['the SID of the call', ({ call_sid }) => ({ call_sid })],
    ['its Call-ID', ({ sip_callid }) => ({ 'sip.call_id': sip_callid })],
    ['a configured attribute', ({ call_sid }) => ({ 'my.call': call_sid })],
  ])('is part of the conversation by %s', async (_what, name) => {
    const call = await storeNewCall()
    expect(await readModelMs(call)).toBeUndefined()
    await sendFramework(name(call))
    expect(await readModelMs(call)).toBe(700)
    expect((await read(call)).sources).toContainEqual({ service: 'my-agent', clock_difference_ms: null })
  })

  test('has the turns of a call without a trace, which count in its statistics', async () => {
    const account_sid = await api.account(service_provider_sid)
    const call = { account_sid, call_sid: randomUUID(), sip_callid: randomUUID(), trace_id: '' }
    await storeRecord(account_sid, { call_sid: call.call_sid, sip_callid: call.sip_callid, trace_id: null })
    const trace_id = newTraceId()
    const session = makeSpan(trace_id, 'agent_session', [500, 19_000], { 'sip.call_id': call.sip_callid })
    const heard = { 'lk.user_transcript': 'To Lisbon.', 'lk.end_of_turn_delay': '0.5' }
    const response = { 'lk.response.text': 'My card is 4111 1111 1111 1111.', 'lk.e2e_latency': '1.5' }
    await send('my-agent', [
      session,
      makeSpan(trace_id, 'user_turn', [1000, 3500], heard, session),
      makeSpan(trace_id, 'agent_turn', [3600, 7000], response, session),
    ])
    const { started_at, turns } = await read(call)
    expect(started_at).toBe(new Date(at).toISOString())
    expect(turns.map(({ speaker, start_ms, text, gap }) => [speaker, start_ms, text, gap?.duration_ms])).toEqual([
      ['caller', 1000, 'To Lisbon.', undefined],
      ['agent', 4500, 'My card is [card number].', 1500],
    ])
    await enqueueConversations(api.test.database, [call], Date.now())
    const options = { database: api.test.database, sources: api.services, now: () => Date.now() + 60_000 }
    await createConversationJob({ ...options, onBackgroundError: (error) => expect.unreachable(String(error)) })()
    const quality = await api.admin.get(
      `/patchbay/accounts/${account_sid}/conversation-quality?from=2026-11-01&until=2026-11-30`,
    )
    expect(getRow(quality)['total']).toMatchObject({ conversations: 1, agent_turns: 1, caller_turns: 1 })
  })

  test('is part of the conversation by an attribute of its resource, and if it arrives in parts', async () => {
    const call = await storeNewCall()
    const trace_id = newTraceId()
    await sendFramework({}, { trace_id, resource: { call_sid: call.call_sid } })
    await send('my-agent', [makeSpan(trace_id, 'later', [6000, 6100], { call_sid: call.call_sid })])
    expect(await readModelMs(call)).toBe(700)
  })

  test('is not linked by other attributes, other calls, or an empty value', async () => {
    const call = await storeNewCall()
    const other = await storeNewCall()
    await sendFramework({ 'other.call': call.call_sid })
    await sendFramework({ call_sid: '' })
    await sendFramework({ call_sid: other.call_sid })
    await sendFramework({ call_sid: 'x'.repeat(300) })
    expect(await readModelMs(call)).toBeUndefined()
    expect(await readModelMs(other)).toBe(700)
  })

  test('shows only the spans below the root that names the call', async () => {
    const [call, other] = [await storeNewCall(), await storeNewCall()]
    const trace_id = newTraceId()
    await sendFramework({ call_sid: other.call_sid }, { trace_id })
    await send('my-agent', [makeSpan(trace_id, 'conversation', [1, 2], { call_sid: call.call_sid })])
    expect(await readModelMs(call)).toBeUndefined()
    expect(await readModelMs(other)).toBe(700)
  })

  test('is deleted with other call data', async () => {
    const { reader } = api.test.database
    const call = await storeNewCall()
    await sendFramework({ call_sid: call.call_sid })
    const count = async () => {
      const rows = await reader
        .selectFrom('patchbay_trace_links')
        .select('call_id')
        .where('call_id', '=', call.call_sid)
        .execute()
      return rows.length
    }
    expect(await count()).toBe(1)
    await removeBefore(api.test.database, 'calls', Date.now() + 1000)
    expect(await count()).toBe(0)
  })
})

describe('a trace of another tenant', () => {
  test('that names its account is not shown, although it names the call', async () => {
    const [call, victim] = [await storeNewCall(), await storeNewCall()]
    await sendFramework({ call_sid: call.call_sid, accountSid: victim.account_sid })
    expect(await readModelMs(call)).toBeUndefined()
  })

  test('is not shown to a tenant who adds a span with an own call to the trace', async () => {
    const [call, victim] = [await storeNewCall(), await storeNewCall()]
    const trace_id = newTraceId()
    // The call of the victim has this trace ID, and its spans name no account.
    await storeRecord(victim.account_sid, { call_sid: randomUUID(), trace_id })
    await sendFramework({}, { trace_id, resource: { call_sid: call.call_sid } })
    expect(await readModelMs(call)).toBeUndefined()
  })

  test('is not shown for a call with the same Call-ID at the same time, but at another time', async () => {
    const victim = await storeNewCall()
    const call = await storeNewCall({ sip_callid: victim.sip_callid })
    await sendFramework({ 'sip.call_id': call.sip_callid })
    expect(await readModelMs(call)).toBeUndefined()
    expect(await readModelMs(victim)).toBeUndefined()
    const alone = await storeNewCall()
    const day = 86_400_000
    const account_sid = await api.account(service_provider_sid)
    const later = { time: nanosecondsAt(at + day), terminated_at: at + day + 20_000 }
    await storeRecord(account_sid, { call_sid: randomUUID(), sip_callid: alone.sip_callid, ...later })
    await sendFramework({ 'sip.call_id': alone.sip_callid })
    expect(await readModelMs(alone)).toBe(700)
  })
})
