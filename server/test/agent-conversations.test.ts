import { randomUUID } from 'node:crypto'
import type { Conversation } from '@patchbay/contract/conversations'
import { signPayload } from '@patchbay/server/adapters/outbound-http/signature'
import { exportCall } from '@patchbay/testkit/calls/traced-call'
import { member } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { getRow, statusAndMessage, storeCall } from './fixtures.ts'
import { openTraceIntake } from './trace-intake.ts'

/** Conversations with agent events, from the signed request to the API response. */

const api = await openTestApi()
const service_provider_sid = await api.provider()
const intake = openTraceIntake(api)
const url = await intake.listen({ host: '127.0.0.1', port: 0 })

const startedAt = Date.parse('2026-11-02T10:00:00.123Z')

interface StoredCall {
  account_sid: string
  call_sid: string
}

const send = async (
  { account_sid, call_sid }: StoredCall,
  events: readonly (readonly [at: number, event: object])[],
) => {
  const secret = member(await api.admin.get(`/Accounts/${account_sid}/WebhookSecret`), 'webhook_secret')
  const payload = JSON.stringify(events.map(([at, event], seq) => ({ call_sid, at: startedAt + at, seq, event })))
  const { statusCode, body } = await api.app.inject({
    method: 'POST',
    url: `/v1/patchbay/Accounts/${account_sid}/ConversationEvents`,
    headers: { 'content-type': 'application/json', 'jambonz-signature': signPayload(payload, secret) },
    payload,
  })
  expect([statusCode, JSON.parse(body)]).toEqual([200, expect.objectContaining({ dropped: 0 })])
}

const readAt = (account_sid: string, call_sid: string, caller = api.admin) =>
  caller.get(`/patchbay/accounts/${account_sid}/calls/${call_sid}/conversation`)

const read = async ({ account_sid, call_sid }: StoredCall): Promise<Conversation> => {
  const answer = await readAt(account_sid, call_sid)
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  return getRow(answer) as unknown as Conversation
}

/** Stores the record of a call of a new account. */
const storeNewCall = async (): Promise<StoredCall> => {
  const account_sid = await api.account(service_provider_sid)
  return { account_sid, call_sid: await storeCall(api, { account_sid, service_provider_sid }) }
}

/** Returns the start in the record of a call, in milliseconds after the start of traced calls. */
const findStart = async ({ account_sid, call_sid }: StoredCall): Promise<number> => {
  const [leg] = await api.services.calls.find({ account_sid }, { call_sid })
  return Date.parse(String(leg?.attempted_at)) - startedAt
}

const latency = { transcriber_latency: 180, turn_detection_latency: 90, model_latency: 400, voice_latency: 120 }
const turnEnd = { type: 'turn_end', transcript: 'To Lisbon.', response: 'Which day?', interrupted: false, latency }

describe('a conversation', () => {
  test('consists of agent events if the call has no trace, and begins at the start in the call record', async () => {
    const call = await storeNewCall()
    expect(statusAndMessage(await readAt(call.account_sid, call.call_sid))).toEqual([404, 'Not Found'])
    const begin = await findStart(call)
    await send(call, [
      [begin + 5000, { type: 'user_transcript', transcript: 'To Lisbon.' }],
      [begin + 5100, { tool_call_id: 'c1', name: 'find_flights', arguments: { to: 'LIS' } }],
      [begin + 7900, { ...turnEnd, usage: { input_tokens: 700, output_tokens: 20 } }],
    ])
    const { started_at, turns, events, sources } = await read(call)
    expect([Date.parse(started_at) - startedAt, sources]).toEqual([
      begin,
      [{ service: 'agent events', clock_difference_ms: null }],
    ])
    expect(turns).toMatchObject([
      { speaker: 'caller', text: 'To Lisbon.', end_ms: 4820, tokens: null },
      { speaker: 'agent', text: 'Which day?', start_ms: 5610, end_ms: 7900, tokens: { input: 700, output: 20 } },
    ])
    expect(turns[1]?.gap?.duration_ms).toBe(790)
    expect(events).toMatchObject([
      { kind: 'tool_call', detail: 'find_flights', arguments: '{"to":"LIS"}', at_ms: 5100 },
    ])
  })

  test('combines the turns of the trace with agent events that arrive after the call, and corrects their clock', async () => {
    const account_sid = await api.account(service_provider_sid)
    const call = { account_sid, call_sid: randomUUID() }
    const trace_id = await exportCall({ url, ...call, at: startedAt, seconds: 60 })
    await storeCall(api, { account_sid, service_provider_sid, trace_id }, call.call_sid)
    const before = await read(call)
    const ahead = 7_200_000
    await send(
      call,
      before.turns.map(({ speaker, text, end_ms, gap }, position) => {
        const transcript = before.turns[position - 1]?.text
        if (speaker === 'agent') {
          const reported = gap === null ? {} : { transcript, latency: { model_latency: 70 } }
          return [end_ms + ahead, { ...turnEnd, latency: {}, transcript: '', response: text, ...reported }]
        }
        const recognition = before.turns[position + 1]?.gap?.parts[1]?.duration_ms ?? 0
        return [end_ms + recognition + ahead, { type: 'user_transcript', transcript: text }]
      }),
    )
    const after = await read(call)
    expect(after.sources.at(-1)?.service).toBe('agent events')
    expect(Math.abs((after.sources.at(-1)?.clock_difference_ms ?? 0) - ahead)).toBeLessThan(1000)
    const times = ({ turns }: Conversation) => turns.map(({ speaker, start_ms, end_ms }) => [speaker, start_ms, end_ms])
    expect(times(after)).toEqual(times(before))
    const parts = after.turns[2]?.gap?.parts ?? []
    expect(parts).toContainEqual({
      kind: 'model_first_token',
      duration_ms: 70,
      evidence: 'measured',
      source: 'agent events',
      span_id: null,
    })
    expect(parts.reduce((sum, part) => sum + (part.duration_ms ?? 0), 0)).toBe(before.turns[2]?.gap?.duration_ms)
  })

  test('contains no events of another account with the same call, and is not readable by it', async () => {
    const [own, foreign] = [await storeNewCall(), await storeNewCall()]
    await send({ ...foreign, call_sid: own.call_sid }, [[5000, turnEnd]])
    expect(statusAndMessage(await readAt(own.account_sid, own.call_sid))).toEqual([404, 'Not Found'])
    expect(statusAndMessage(await readAt(foreign.account_sid, own.call_sid))).toEqual([404, 'Call not found'])
    const { caller } = await api.user({ account_sid: foreign.account_sid })
    await send(own, [[5000, turnEnd]])
    expect((await readAt(own.account_sid, own.call_sid, caller)).status).toBe(403)
  })

  test('has no credentials for view-only users', async () => {
    const call = await storeNewCall()
    const tool = { name: 'fetch', arguments: { url: 'https://someone:a-password@hooks.example.org/calls' } }
    await send(call, [[(await findStart(call)) + 5000, { tool_call_id: 'c1', ...tool }]])
    const { caller } = await api.user({ account_sid: call.account_sid, is_view_only: true })
    const masked = await readAt(call.account_sid, call.call_sid, caller)
    expect(masked.status).toBe(200)
    expect(masked.text).toContain('hooks.example.org')
    expect(masked.text).not.toContain('a-password')
  })
})
