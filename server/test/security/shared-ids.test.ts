import { randomBytes, randomUUID } from 'node:crypto'
import { parseSpans } from '@patchbay/rules/traces/traces'
import type { CallRecord } from '@patchbay/server/call-data/calls/call-record'
import type { ReceivedMessage } from '@patchbay/server/call-data/captures/captures'
import { registerLogIngest } from '@patchbay/server/call-data/ingest/log-ingest'
import { type Caller } from '@patchbay/testkit/test-api'
import { openTestWorld, signedIn } from '@patchbay/testkit/test-world'
import { beforeEach, describe, expect, test } from 'vitest'
import { callRecord, getRow, otlpSpan, type Row, seenMessage, statusAndMessage } from '../fixtures.ts'
import { openTraceIntake } from '../trace-intake.ts'

/**
 * The caller chooses the Call-ID, so calls of two tenants can have the same ids. Data stored with these ids must be
 * visible only to the tenant that owns it.
 */

const { api, world } = await openTestWorld()
const intake = openTraceIntake(api)
registerLogIngest(intake, { sink: api.sinks.logs, logger: api.app.log })

const minuteMs = 60_000
const startMs = 1_700_000_000_000

type Tenant = 'A' | 'A2' | 'B'

const providers = { A: 'P', A2: 'P', B: 'Q' } as const

/** Stores a call of an account that started some minutes after the first and lasted one minute. */
const storeCall = async (tenant: Tenant, minute: number, more: Partial<CallRecord>): Promise<CallRecord> => {
  const time = startMs + minute * minuteMs
  const record = callRecord(world.sid[tenant], {
    service_provider_sid: world.sid[providers[tenant]],
    time: BigInt(time) * 1_000_000n,
    terminated_at: time + minuteMs,
    duration: 60,
    ...more,
  })
  await api.sinks.calls.store([record])
  return record
}

const accountPath = (tenant: Tenant) => `/Accounts/${world.sid[tenant]}`
const providerPath = (provider: 'P' | 'Q') => `/ServiceProviders/${world.sid[provider]}`

/** Returns what the user of each tenant sees. */
const views = async (): Promise<[string, Caller, string][]> => [
  ['A', await signedIn(api, world.users['user of A']), accountPath('A')],
  ['A2', await signedIn(api, world.users['user of A2']), accountPath('A2')],
  ['B', await signedIn(api, world.users['user of B']), accountPath('B')],
  ['P', await signedIn(api, world.users['user of P']), providerPath('P')],
  ['Q', await signedIn(api, world.users['user of Q']), providerPath('Q')],
]

describe('captured SIP with a shared Call-ID', () => {
  let sip_callid: string
  beforeEach(() => {
    sip_callid = randomUUID()
  })

  const storeMessages = (minutes: Readonly<Record<string, number>>, more: Partial<ReceivedMessage> = {}) =>
    api.sinks.captures.store(
      Object.entries(minutes).map(([name, minute]) => {
        const message = seenMessage(sip_callid, { at: (startMs + minute * minuteMs) * 1000 + 1000, ...more })
        return { ...message, content: Buffer.concat([message.content, Buffer.from(name)]) }
      }),
    )

  /** Returns the names of the messages that each tenant sees. The pcap file must contain the same ones. */
  const seenBy = async (): Promise<Record<string, string>> => {
    const seen: Record<string, string> = {}
    for (const [name, caller, path] of await views()) {
      const at = `${path}/RecentCalls/${sip_callid}`
      const { data } = getRow(await caller.get(at)) as { data: { messages: { raw: string }[]; calldata: unknown[] } }
      const file = await api.app.inject({
        url: `/v1${at}/invite/pcap`,
        headers: { authorization: `Bearer ${caller.token}` },
      })
      seen[name] = data.messages.map(({ raw }) => raw.split('\r\n\r\n')[1]).join(' ')
      expect(data.calldata).toHaveLength(data.messages.length)
      expect(file.statusCode).toBe(data.messages.length > 0 ? 200 : 404)
      for (const other of ['victim', 'attacker', 'first', 'second'])
        expect(file.payload.includes(other)).toBe(seen[name]?.includes(other))
    }
    return seen
  }

  test('is visible to each tenant from the time of its own call', async () => {
    await storeMessages({ victim: 0, attacker: 30 })
    await storeCall('A', 0, { sip_callid })
    await storeCall('B', 30, { sip_callid })
    expect(await seenBy()).toEqual({ A: 'victim', A2: '', B: 'attacker', P: 'victim', Q: 'attacker' })
  })

  test('is hidden from all tenants at the time of two calls', async () => {
    await storeMessages({ victim: 0, attacker: 0.5 })
    await storeCall('A', 0, { sip_callid })
    await storeCall('B', 0.5, { sip_callid })
    expect(await seenBy()).toEqual({ A: '', A2: '', B: '', P: '', Q: '' })
  })

  test('is visible to the provider of both accounts', async () => {
    await storeMessages({ first: 0, second: 0.5 })
    await storeCall('A', 0, { sip_callid })
    await storeCall('A2', 0.5, { sip_callid })
    expect(await seenBy()).toEqual({ A: '', A2: '', B: '', P: 'first second', Q: '' })
  })

  test('is hidden from a tenant that claims that it created its call', async () => {
    await storeMessages({ victim: 0 })
    await storeCall('A', 0, { sip_callid })
    await storeCall('B', 20, { sip_parent_callid: sip_callid })
    expect(await seenBy()).toEqual({ A: 'victim', A2: '', B: '', P: 'victim', Q: '' })
  })

  test('is visible to the tenant of the parent call before its own record arrives', async () => {
    await storeMessages({ victim: 0 })
    await storeCall('A', 2, { sip_parent_callid: sip_callid })
    await storeCall('B', 30, { sip_callid })
    expect(await seenBy()).toMatchObject({ A: 'victim', B: '', P: 'victim', Q: '' })
  })

  test('is hidden outside the time of a call', async () => {
    await storeMessages({ victim: -60 })
    await storeCall('B', 0, { sip_callid })
    expect(await seenBy()).toMatchObject({ B: '', Q: '' })
  })

  test('is hidden from callers that use the Call-ID of a registration', async () => {
    await storeMessages({ victim: 0 }, { method: 'REGISTER' })
    await storeCall('B', 0, { sip_callid })
    expect(await seenBy()).toMatchObject({ B: '', Q: '' })
  })

  test('remains visible despite many later calls with the same Call-ID', async () => {
    await storeMessages({ victim: 0, attacker: 60 })
    await storeCall('A', 0, { sip_callid })
    for (let call = 0; call < 60; call += 1) await storeCall('B', 60 + call, { sip_callid })
    expect(await seenBy()).toMatchObject({ A: 'victim', B: 'attacker', P: 'victim', Q: 'attacker' })
  })
})

describe('a trace with a shared trace id', () => {
  let trace_id: string
  beforeEach(() => {
    trace_id = randomBytes(16).toString('hex')
  })

  const spanId = () => randomBytes(8).toString('hex')
  const accountSid = (...tenants: Tenant[]) =>
    tenants.map((tenant) => ({ key: 'accountSid', value: { stringValue: world.sid[tenant] } }))

  /** Sends a span with a child span. */
  const sendSpans = async (name: string, tenants: readonly Tenant[]) => {
    const top = spanId()
    const spans: Row[] = [
      otlpSpan(trace_id, { name: `${name} child`, parentSpanId: top }),
      otlpSpan(trace_id, { name, spanId: top, attributes: accountSid(...tenants) }),
    ]
    const payload = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
    const headers = { 'content-type': 'application/json' }
    expect((await intake.inject({ method: 'POST', url: '/v1/traces', headers, payload })).statusCode).toBe(200)
  }

  const seenBy = async (): Promise<Record<string, string>> => {
    const seen: Record<string, string> = {}
    for (const [name, caller, path] of await views()) {
      const answer = await caller.get(`${path}/RecentCalls/trace/${trace_id}`)
      if (answer.status === 404) expect(statusAndMessage(answer)).toEqual([404, 'Not Found'])
      const names = answer.status === 200 ? parseSpans(answer.body).map((span) => span.name) : []
      seen[name] = names.toSorted().join(', ')
    }
    return seen
  }

  test('shows each tenant the spans of its own call', async () => {
    await sendSpans('victim', ['A'])
    await sendSpans('attacker', ['B'])
    await storeCall('A', 0, { trace_id })
    await storeCall('B', 0, { trace_id })
    const [victim, attacker] = ['victim, victim child', 'attacker, attacker child']
    expect(await seenBy()).toEqual({ A: victim, A2: '', B: attacker, P: victim, Q: attacker })
  })

  test('is hidden from a tenant that has a call with its id', async () => {
    await sendSpans('victim', ['A'])
    await storeCall('B', 0, { trace_id })
    const victim = 'victim, victim child'
    expect(await seenBy()).toEqual({ A: victim, A2: '', B: '', P: victim, Q: '' })
  })

  test('without an account is visible to the tenant of the call, unless there are several', async () => {
    await sendSpans('victim', [])
    await storeCall('A', 0, { trace_id })
    const victim = 'victim, victim child'
    expect(await seenBy()).toEqual({ A: victim, A2: '', B: '', P: victim, Q: '' })
    await storeCall('A2', 0, { trace_id })
    expect(await seenBy()).toEqual({ A: '', A2: '', B: '', P: victim, Q: '' })
    await storeCall('B', 0, { trace_id })
    expect(await seenBy()).toEqual({ A: '', A2: '', B: '', P: '', Q: '' })
  })

  test('is visible to the common provider if the call was between two of its accounts', async () => {
    await sendSpans('first', ['A'])
    await sendSpans('second', ['A2'])
    const [first, second] = ['first, first child', 'second, second child']
    expect(await seenBy()).toEqual({ A: first, A2: second, B: '', P: `${first}, ${second}`, Q: '' })
  })

  test('hides a span that names two tenants from both', async () => {
    await sendSpans('both', ['A', 'B'])
    for (const tenant of ['A', 'B'] as const) await storeCall(tenant, 0, { trace_id })
    expect(await seenBy()).toEqual({ A: '', A2: '', B: '', P: '', Q: '' })
  })

  test("is handled in finite time if spans are each other's parents", async () => {
    const [one, other] = [spanId(), spanId()]
    const spans = [
      otlpSpan(trace_id, { name: 'one', spanId: one, parentSpanId: other, attributes: accountSid('A') }),
      otlpSpan(trace_id, { name: 'other', spanId: other, parentSpanId: one }),
    ]
    const payload = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
    await intake.inject({ method: 'POST', url: '/v1/traces', headers: { 'content-type': 'application/json' }, payload })
    expect(await seenBy()).toMatchObject({ A: 'one, other', B: '' })
  })
})

describe('log lines with shared ids', () => {
  const line = (msg: string, minute: number, ids: object): string =>
    JSON.stringify({ level: 30, time: startMs + minute * minuteMs + 1, ...ids, msg })
  const ship = (...lines: readonly string[]) =>
    intake.inject({ method: 'POST', url: '/logs', payload: lines.join('\n') })
  const seenBy = async (tenant: 'A' | 'B', { call_sid }: CallRecord): Promise<string[]> => {
    const caller = await signedIn(api, world.users[tenant === 'A' ? 'user of A' : 'user of B'])
    const answer = await caller.get(`${accountPath(tenant)}/RecentCalls/${call_sid}/logs`)
    expect(answer.status).toBe(200)
    return (answer.body as string[]).map((text) => String(JSON.parse(text).msg)).toSorted((a, b) => a.localeCompare(b))
  }

  test('with a Call-ID are visible at the time of the own call', async () => {
    const callId = randomUUID()
    const [victim, attacker] = [
      await storeCall('A', 0, { sip_callid: callId }),
      await storeCall('B', 30, { sip_callid: callId }),
    ]
    await ship(line('victim', 0, { callId }), line('attacker', 30, { callId }))
    expect([await seenBy('A', victim), await seenBy('B', attacker)]).toEqual([['victim'], ['attacker']])
  })

  test('with a Call-ID are hidden at the time of two calls, unless they name the account', async () => {
    const callId = randomUUID()
    const [victim, attacker] = [
      await storeCall('A', 0, { sip_callid: callId }),
      await storeCall('B', 0, { sip_callid: callId }),
    ]
    await ship(
      line('of somebody', 0, { callId }),
      line('named victim', 0, { callId, accountSid: world.sid.A }),
      line('victim', 0, { callId, callSid: victim.call_sid }),
    )
    expect(await seenBy('A', victim)).toEqual(['named victim', 'victim'])
    expect(await seenBy('B', attacker)).toEqual([])
  })

  test('with a call_sid are hidden from a tenant that uses it as a Call-ID', async () => {
    const victim = await storeCall('A', 0, {})
    const attacker = await storeCall('B', 0, { sip_callid: victim.call_sid })
    await ship(
      line('victim', 0, { callSid: victim.call_sid }),
      line('attacker', 0, { callId: victim.call_sid, accountSid: world.sid.B }),
    )
    expect(await seenBy('A', victim)).toEqual(['victim'])
    expect(await seenBy('B', attacker)).toEqual(['attacker'])
  })

  test('with another account are hidden', async () => {
    const call = await storeCall('A', 0, {})
    await ship(
      line('own', 0, { callSid: call.call_sid, account_sid: world.sid.A }),
      line('foreign', 0, { callSid: call.call_sid, account_sid: world.sid.B }),
    )
    expect(await seenBy('A', call)).toEqual(['own'])
  })

  test('with a Call-ID are hidden if 50 earlier calls of other tenants have it, those with a call_sid are not', async () => {
    const callId = randomUUID()
    const victim = await storeCall('A', 0, { sip_callid: callId })
    const times = Array.from({ length: 50 }, (_, position) => BigInt(startMs - (60 + position) * minuteMs) * 1_000_000n)
    await api.sinks.calls.store(times.map((time) => callRecord(world.sid.B, { time, sip_callid: callId })))
    await ship(line('by Call-ID', 0, { callId }), line('by call_sid', 0, { callSid: victim.call_sid }))
    expect(await seenBy('A', victim)).toEqual(['by call_sid'])
  })
})

describe('the store of calls', () => {
  const times = (count: number, minute: number) =>
    Array.from({ length: count }, (_, position) => BigInt(startMs + (minute + position) * minuteMs) * 1_000_000n)
  const toSids = (lists: readonly (readonly { call_sid: string | null }[])[]) =>
    lists.map((calls) => calls.map(({ call_sid }) => call_sid))

  test('returns the calls of each id, also if a call has several of them', async () => {
    const [sip_callid, trace_id] = [randomUUID(), randomBytes(16).toString('hex')]
    const first = await storeCall('A', 0, { sip_callid, trace_id })
    const child = await storeCall('A', 1, { sip_parent_callid: sip_callid, trace_id })
    await storeCall('B', 2, { sip_callid, trace_id, call_sid: first.call_sid })
    const ids = [{ sip_callid }, { sip_parent_callid: sip_callid }, { trace_id }, { sip_callid: randomUUID() }]
    const found = await api.services.calls.findEach({ account_sid: world.sid.A }, ids)
    expect(toSids(found)).toEqual([[first.call_sid], [child.call_sid], [child.call_sid, first.call_sid], []])
    expect(await api.services.calls.findEach({ account_sid: world.sid.A }, [])).toEqual([])
  })

  test('returns the newest 50 calls of an id, and those of another id despite them', async () => {
    const [frequent, rare] = [randomUUID(), randomUUID()]
    const older = await storeCall('A', 0, { sip_callid: rare })
    const records = times(60, 10).map((time) => callRecord(world.sid.A, { time, sip_callid: frequent }))
    await api.sinks.calls.store(records)
    const found = await api.services.calls.findEach({ account_sid: world.sid.A }, [
      { sip_callid: frequent },
      { sip_callid: rare },
    ])
    const newest = records.slice(10).toReversed()
    expect(toSids(found)).toEqual([newest.map(({ call_sid }) => call_sid), [older.call_sid]])
  })

  test("returns other tenants' calls of each id in a window", async () => {
    const [sip_callid, trace_id] = [randomUUID(), randomBytes(16).toString('hex')]
    await storeCall('A', 0, { sip_callid, trace_id })
    const foreign = await storeCall('B', 5, { sip_callid })
    const sibling = await storeCall('A2', 6, { trace_id })
    await storeCall('B', 120, { sip_callid })
    const window = { from: startMs, until: startMs + 60 * minuteMs }
    const findForeign = async (owner: { account_sid: string } | { service_provider_sid: string }) =>
      toSids(await api.services.calls.findForeign(owner, [{ trace_id }, { sip_callid }], window))
    expect(await findForeign({ account_sid: world.sid.A })).toEqual([[sibling.call_sid], [foreign.call_sid]])
    expect(await findForeign({ service_provider_sid: world.sid.P })).toEqual([[], [foreign.call_sid]])
  })
})
