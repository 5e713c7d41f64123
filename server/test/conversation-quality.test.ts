import { randomUUID } from 'node:crypto'
import { ApiError } from '@patchbay/contract/api/errors'
import type { ConversationList } from '@patchbay/contract/conversation-list'
import type { ConversationQuality } from '@patchbay/contract/conversation-quality'
import { packContributions } from '@patchbay/server/call-data/conversations/conversation-day-sums'
import { createConversationStatistics } from '@patchbay/server/call-data/conversations/conversation-quality'
import {
  claimConversations,
  enqueueConversations,
  enqueueTraces,
  removeClaimed,
} from '@patchbay/server/call-data/conversations/conversation-queue'
import { queueConversations } from '@patchbay/server/call-data/conversations/queue-conversations'
import { createOtlpIntake } from '@patchbay/server/call-data/ingest/otlp-ingest'
import { removeBefore } from '@patchbay/server/call-data/retention'
import { inTransaction } from '@patchbay/server/database/engine'
import { migrate } from '@patchbay/server/database/migrations'
import { createConversationJob } from '@patchbay/server/jobs/compute-conversations'
import { exportCall } from '@patchbay/testkit/calls/traced-call'
import { isClickHouse } from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import { openTestApi } from '@patchbay/testkit/test-world'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { callRecord, getRow, otlpSpan, statusAndMessage, storeTrace } from './fixtures.ts'
import { openTraceIntake } from './trace-intake.ts'

/** Statistics of conversations, from spans and call records to the API response. */

const api = await openTestApi()
const { database } = api.test
const intake = openTraceIntake(api)
const url = await intake.listen({ host: '127.0.0.1', port: 0 })

/** Members that sinks of an intake have in addition. */
const unbatched = { hasBatches: false, getWaitingBytes: () => 0, close: async () => {} }

const at = Date.parse('2026-11-02T10:00:00Z')
const minute = 60_000

const errors: unknown[] = []
const runJob = (now = Date.now() + minute) =>
  createConversationJob({
    database,
    sources: api.services,
    onBackgroundError: (error) => errors.push(error),
    now: () => now,
  })()

interface Owner {
  account_sid: string
  service_provider_sid: string
}

const createOwner = async (service_provider_sid?: string): Promise<Owner> => {
  const provider = service_provider_sid ?? (await api.provider())
  return { account_sid: await api.account(provider), service_provider_sid: provider }
}

/** Stores a traced call of a voice bot, and queues it like the intake of call records. */
const storeCall = async ({ account_sid, service_provider_sid }: Owner, more: { trunk?: string; at?: number } = {}) => {
  const call_sid = randomUUID()
  const startedAt = more.at ?? at
  const trace_id = await exportCall({ url, account_sid, call_sid, at: startedAt, seconds: 60 })
  const time = BigInt(startedAt) * 1_000_000n
  const record = callRecord(account_sid, {
    service_provider_sid,
    call_sid,
    trace_id,
    time,
    trunk: more.trunk ?? 'Telco',
  })
  await api.sinks.calls.store([record])
  await enqueueConversations(database, [{ account_sid, call_sid }], Date.now())
  return { account_sid, call_sid, trace_id }
}

const period = 'from=2026-11-01&until=2026-11-30'

const readQuality = async (owner: string, query = period, caller = api.admin): Promise<ConversationQuality> => {
  const answer = await caller.get(`/patchbay/${owner}/conversation-quality?${query}`)
  expect(answer.status).toBe(200)
  return getRow(answer) as unknown as ConversationQuality
}

describe('the quality of conversations', () => {
  test('is the sum of computed calls, by day and by property', async () => {
    const owner = await createOwner()
    await storeCall(owner)
    await storeCall(owner)
    await storeCall(owner, { trunk: 'Other', at: at + 24 * 60 * minute })
    await runJob()
    const { total, days, groups, previous } = await readQuality(`accounts/${owner.account_sid}`, `${period}&by=carrier`)
    expect([total.conversations, previous.conversations]).toEqual([3, 0])
    expect(total.agent_turns).toBeGreaterThan(6)
    expect(total.durations.gap.count).toBeGreaterThan(6)
    expect(total.durations.gap.p95).toBeGreaterThanOrEqual(total.durations.gap.p50 ?? Number.NaN)
    expect(total.durations.speech_to_text.p50).toBeGreaterThan(100)
    expect(days.map(({ day, conversations }) => [day, conversations])).toEqual([
      ['2026-11-02', 2],
      ['2026-11-03', 1],
    ])
    expect(days.reduce((sum, { durations }) => sum + durations.gap.count, 0)).toBe(total.durations.gap.count)
    expect(days.reduce((sum, { agent_turns }) => sum + agent_turns, 0)).toBe(total.agent_turns)
    expect(groups.map(({ value, conversations }) => [value, conversations])).toEqual([
      ['Telco', 2],
      ['Other', 1],
    ])
    expect(errors).toEqual([])
  })

  test('can be read for one value, and contains the period before', async () => {
    const owner = await createOwner()
    await storeCall(owner)
    await storeCall(owner, { trunk: 'Other', at: at + 24 * 60 * minute })
    await runJob()
    const path = `accounts/${owner.account_sid}`
    const one = await readQuality(path, `${period}&by=carrier&value=Other`)
    expect([one.total.conversations, one.days.length, one.groups]).toEqual([1, 1, []])
    const day = await readQuality(path, 'from=2026-11-03&until=2026-11-03')
    expect([day.total.conversations, day.previous.conversations]).toEqual([1, 1])
    const vendors = await readQuality(path, `${period}&by=tts_vendor`)
    expect(vendors.groups.map(({ value }) => value)).toContain('google')
    const applications = await readQuality(path, `${period}&by=application`)
    expect(applications.groups[0]).toMatchObject({ value: '', name: null })
    const accounts = await readQuality(`service-providers/${owner.service_provider_sid}`, `${period}&by=account`)
    expect(accounts.groups[0]?.name).toBeTruthy()
    for (const by of ['account', 'application', 'sbc', 'stt_vendor', 'voice', 'language'])
      expect((await readQuality(path, `${period}&by=${by}`)).groups.length).toBeGreaterThan(0)
  })

  test('adds up the accounts of a provider, and never contains other accounts', async () => {
    const [first, other] = [await createOwner(), await createOwner()]
    const second = await createOwner(first.service_provider_sid)
    for (const owner of [first, second, other]) await storeCall(owner)
    await runJob()
    const ofProvider = await readQuality(`service-providers/${first.service_provider_sid}`, `${period}&by=account`)
    expect(ofProvider.total.conversations).toBe(2)
    expect(new Set(ofProvider.groups.map(({ value }) => value))).toEqual(
      new Set([first.account_sid, second.account_sid]),
    )
    expect((await readQuality(`accounts/${second.account_sid}`)).total.conversations).toBe(1)
    const { caller } = await api.user({ account_sid: second.account_sid })
    const foreign = await caller.get(`/patchbay/accounts/${first.account_sid}/conversation-quality?${period}`)
    expect(foreign.status).toBe(403)
  })

  test.each([
    ['from=2026-11-01', 'until'],
    ['from=x&until=2026-11-30', 'invalid "from" query arg'],
    ['from=2026-11-02&until=2026-11-01', '"until" is before "from"'],
    ['from=2020-01-01&until=2026-11-01', 'a period has 400 days at most'],
    [`${period}&by=all`, 'invalid "by" query arg'],
  ])('rejects %s', async (query, message) => {
    const { account_sid } = await createOwner()
    const answer = await api.admin.get(`/patchbay/accounts/${account_sid}/conversation-quality?${query}`)
    const [status, text] = statusAndMessage(answer)
    expect([status, String(text).includes(message)]).toEqual([400, true])
  })
})

describe('the list of conversations', () => {
  const list = async (owner: string, query = period, caller = api.admin): Promise<ConversationList> => {
    const answer = await caller.get(`/patchbay/${owner}/conversations?${query}`)
    expect([answer.status, answer.body]).toEqual([200, expect.anything()])
    return getRow(answer) as unknown as ConversationList
  }
  const sids = ({ conversations }: ConversationList) => conversations.map(({ call_sid }) => call_sid)

  test('has pages, newest first, and is limited to the period', async () => {
    const owner = await createOwner()
    const calls = [0, 1, 1, 2, 60 * 24].map((minutes) => storeCall(owner, { at: at + minutes * minute }))
    const stored = (await Promise.all(calls)).map(({ call_sid }) => call_sid)
    await runJob()
    for (const path of [`accounts/${owner.account_sid}`, `service-providers/${owner.service_provider_sid}`]) {
      const paged: string[] = []
      for (let query = `${period}&count=2`; ; ) {
        const page = await list(path, query)
        paged.push(...sids(page))
        if (page.next === null) break
        query = `${period}&count=2&after=${encodeURIComponent(page.next)}`
      }
      expect([paged[0], paged[1], paged.at(-1)]).toEqual([stored[4], stored[3], stored[0]])
      expect(paged.toSorted()).toEqual(stored.toSorted())
      expect(sids(await list(path, 'from=2026-11-03&until=2026-11-03'))).toEqual([stored[4]])
    }
    const [first] = (await list(`accounts/${owner.account_sid}`)).conversations
    expect(first).toMatchObject({ account_sid: owner.account_sid, conversations: 1, started_at: expect.any(String) })
    expect(first?.durations.gap.p95).toBeGreaterThan(0)
  })

  test('contains what a property, a problem, or a slow response selects', async () => {
    const owner = await createOwner()
    const path = `accounts/${owner.account_sid}`
    const { call_sid } = await storeCall(owner, { trunk: 'Other' })
    await storeCall(owner)
    await runJob()
    const { total } = await readQuality(path)
    expect(sids(await list(path, `${period}&by=carrier&value=Other`))).toEqual([call_sid])
    expect(sids(await list(path, `${period}&by=carrier&value=`))).toEqual([])
    expect(sids(await list(path, `${period}&by=application&value=`))).toHaveLength(2)
    expect(sids(await list(path, `${period}&by=hour&value=10`))).toHaveLength(2)
    expect(sids(await list(path, `${period}&min_ms=${(total.durations.gap.p95 ?? 0) - 100}`))).toHaveLength(2)
    expect(sids(await list(path, `${period}&min_ms=80000000`))).toEqual([])
    expect(sids(await list(path, `${period}&duration=speech_to_text&min_ms=1`))).toHaveLength(2)
    const interrupted = total.caller_interruptions + total.agent_interruptions > 0 ? 2 : 0
    expect(sids(await list(path, `${period}&problem=interrupted`))).toHaveLength(interrupted)
    expect(sids(await list(path, `${period}&problem=failed`))).toHaveLength(total.errors > 0 ? 2 : 0)
  })

  test('searches 1,000 conversations per request, and continues after them', async () => {
    const owner = await createOwner()
    const { call_sid } = await storeCall(owner)
    await runJob()
    const content = await packContributions([])
    const rows = Array.from({ length: 1100 }, (_, position) => ({
      ...owner,
      call_sid: `empty ${position}`,
      trace_id: null,
      started_at: at + minute + position,
      ended_at: at + minute,
      computed_at: at + minute,
      content,
    }))
    for (let from = 0; from < rows.length; from += 100)
      await database.db
        .insertInto('patchbay_conversations')
        .values(rows.slice(from, from + 100))
        .execute()
    const path = `accounts/${owner.account_sid}`
    const first = await list(path)
    expect([sids(first), typeof first.next]).toEqual([[], 'string'])
    const second = await list(path, `${period}&after=${encodeURIComponent(first.next ?? '')}`)
    expect([sids(second), second.next]).toEqual([[call_sid], null])
  })

  test('never contains conversations of other accounts', async () => {
    const [own, other] = [await createOwner(), await createOwner()]
    const { call_sid } = await storeCall(own)
    await storeCall(other)
    await runJob()
    expect(sids(await list(`accounts/${own.account_sid}`))).toEqual([call_sid])
    expect(sids(await list(`service-providers/${own.service_provider_sid}`))).toEqual([call_sid])
  })

  test.each([
    ['by=all', 'invalid "by" query arg'],
    ['after=x', 'invalid "after" query arg'],
    ['problem=x', 'invalid "problem" query arg'],
    ['min_ms=x', 'invalid "min_ms" query arg'],
    ['duration=x', 'invalid "duration" query arg'],
    ['count=0', 'count'],
  ])('rejects %s', async (query, message) => {
    const { account_sid } = await createOwner()
    const answer = await api.admin.get(`/patchbay/accounts/${account_sid}/conversations?${period}&${query}`)
    const [status, text] = statusAndMessage(answer)
    expect([status, String(text).includes(message)]).toEqual([400, true])
  })
})

const countQueued = async (account_sid: string): Promise<number> => {
  const rows = await database.db
    .selectFrom('patchbay_conversation_queue')
    .select('call_sid')
    .where('account_sid', '=', account_sid)
    .execute()
  return rows.length
}

describe('a conversation', () => {
  test('is computed again when later spans arrive, and counted once', async () => {
    const owner = await createOwner()
    const { trace_id } = await storeCall(owner)
    await runJob()
    const path = `accounts/${owner.account_sid}`
    const before = await readQuality(path)
    const last = otlpSpan(trace_id, {
      name: 'verb:say{text=Goodbye.}',
      startTimeUnixNano: `${at + 58_000}000000`,
      endTimeUnixNano: `${at + 59_000}000000`,
      attributes: [{ key: 'accountSid', value: { stringValue: owner.account_sid } }],
    })
    const payload = { resourceSpans: [{ scopeSpans: [{ spans: [last] }] }] }
    expect((await intake.inject({ method: 'POST', url: '/v1/traces', payload })).statusCode).toBe(200)
    await enqueueTraces(database, { trace_ids: [trace_id], call_ids: [] }, Date.now())
    await runJob()
    const { total } = await readQuality(path)
    expect([total.conversations, total.agent_turns]).toEqual([1, before.total.agent_turns + 1])
    expect(await countQueued(owner.account_sid)).toBe(0)
  })

  describe.each(['call_sid', 'sip_callid'] as const)('whose %s a trace of another program names', (name) => {
    /** Returns the sinks, a call without a trace or a recording, and an intake with traces that name it. */
    const createNamedCall = async () => {
      const { account_sid, service_provider_sid } = await createOwner()
      const [call_sid, sip_callid] = [randomUUID(), randomUUID()]
      const time = BigInt(at) * 1_000_000n
      const record = callRecord(account_sid, { service_provider_sid, call_sid, sip_callid, time })
      const sinks = queueConversations({ ...api.sinks, ...unbatched }, database, {
        calls: api.services.calls,
        isDatabaseOnly: !isClickHouse,
      })
      const { traceCallAttributes: callAttributes } = api.services.configuration
      const received = createOtlpIntake({ sink: sinks.traces, logger: api.app.log, callAttributes })
      const send = async () => {
        const trace_id = randomUUID().replaceAll('-', '')
        const session = otlpSpan(trace_id, {
          name: 'agent_session',
          attributes: [{ key: name === 'call_sid' ? name : 'sip.call_id', value: { stringValue: record[name] } }],
        })
        const payload = { resourceSpans: [{ scopeSpans: [{ spans: [session] }] }] }
        expect((await received.inject({ method: 'POST', url: '/v1/traces', payload })).statusCode).toBe(200)
      }
      return { account_sid, record, sinks, send, close: () => received.close() }
    }

    test('is queued when its record arrives, and again with a later trace', async () => {
      const { account_sid, record, sinks, send, close } = await createNamedCall()
      // The call has nothing from which a conversation could be computed until a trace names it.
      await sinks.calls.store([{ ...record, call_sid: randomUUID(), sip_callid: randomUUID() }])
      expect(await countQueued(account_sid)).toBe(0)
      await send()
      await sinks.calls.store([record])
      expect(await countQueued(account_sid)).toBe(1)
      await runJob()
      expect(await countQueued(account_sid)).toBe(0)
      await send()
      expect(await countQueued(account_sid)).toBe(1)
      await close()
    })

    test('is queued when its first trace arrives after its record', async () => {
      const { account_sid, record, sinks, send, close } = await createNamedCall()
      await sinks.calls.store([record])
      expect(await countQueued(account_sid)).toBe(0)
      await send()
      expect(await countQueued(account_sid)).toBe(1)
      await close()
    })
  })

  describe('of a call with a trace ID', () => {
    /** Returns a record that names a trace, and what stores it, spans of the trace, or a log line of the call. */
    const createTracedCall = async (trace_id = randomUUID().replaceAll('-', '')) => {
      const { account_sid, service_provider_sid } = await createOwner()
      const time = BigInt(at) * 1_000_000n
      const call_sid = randomUUID()
      const record = callRecord(account_sid, { service_provider_sid, call_sid, trace_id, time })
      const sinks = queueConversations({ ...api.sinks, ...unbatched }, database, {
        calls: api.services.calls,
        isDatabaseOnly: !isClickHouse,
      })
      return {
        queued: () => countQueued(account_sid),
        storeRecord: () => sinks.calls.store([record]),
        storeSpans: () => storeTrace({ sinks }, {}, trace_id),
        storeLog: () => sinks.logs.store([{ call_id: call_sid, text: 'a line' }]),
      }
    }

    test('is not queued if tracing is off', async () => {
      const { queued, storeRecord } = await createTracedCall('0'.repeat(32))
      await storeRecord()
      expect(await queued()).toBe(0)
    })

    // Spans in ClickHouse can still wait on the disk when the record arrives.
    test(`is ${isClickHouse ? '' : 'not '}queued before it has spans`, async () => {
      const { queued, storeRecord } = await createTracedCall()
      await storeRecord()
      expect(await queued()).toBe(isClickHouse ? 1 : 0)
    })

    test.skipIf(isClickHouse)('is queued when both its record and spans have arrived, whichever is first', async () => {
      const late = await createTracedCall()
      await late.storeRecord()
      await late.storeSpans()
      expect(await late.queued()).toBe(1)
      const early = await createTracedCall()
      await early.storeSpans()
      expect(await early.queued()).toBe(0)
      await early.storeRecord()
      expect(await early.queued()).toBe(1)
    })

    test.skipIf(isClickHouse)('is queued with log lines alone, which have to be masked', async () => {
      const call = await createTracedCall()
      await call.storeLog()
      await call.storeRecord()
      expect(await call.queued()).toBe(1)
    })
  })

  test('remains queued if later spans arrive while it is computed for the first time', async () => {
    const { account_sid, call_sid } = await storeCall(await createOwner())
    const claims = await claimConversations(database, Date.now(), 1000)
    await enqueueTraces(database, { trace_ids: [], call_ids: [call_sid] }, Date.now())
    for (const claim of claims) await inTransaction(database, (trx) => removeClaimed(trx, claim))
    expect(await countQueued(account_sid)).toBe(1)
  })

  test('that cannot be stored keeps no other one in the queue', async () => {
    const [broken, sound] = [await createOwner(), await createOwner()]
    const { call_sid } = await storeCall(broken)
    await runJob()
    const row = database.db.updateTable('patchbay_conversations').set({ content: Buffer.from('damaged') })
    await row.where('call_sid', '=', call_sid).execute()
    await enqueueConversations(database, [{ account_sid: broken.account_sid, call_sid }], Date.now())
    await storeCall(sound)
    await runJob()
    expect([await countQueued(broken.account_sid), await countQueued(sound.account_sid)]).toEqual([1, 0])
    const { total } = await readQuality(`accounts/${sound.account_sid}`)
    expect(total.conversations).toBe(1)
    expect(errors.splice(0)).toHaveLength(1)
  })

  test('that is queued and computed concurrently is counted once', async () => {
    const owner = await createOwner()
    const { account_sid, call_sid } = await storeCall(owner)
    await Promise.all([runJob(), runJob(), runJob()])
    await Promise.all(
      Array.from({ length: 20 }, () => enqueueConversations(database, [{ account_sid, call_sid }], Date.now())),
    )
    await Promise.all([runJob(), runJob()])
    expect((await readQuality(`accounts/${account_sid}`)).total.conversations).toBe(1)
  })

  test('is computed by another process if the one that has claimed it ends', async () => {
    const owner = await createOwner()
    await storeCall(owner)
    const claimed = await claimConversations(database, Date.now(), 1000)
    expect(claimed.some(({ account_sid }) => account_sid === owner.account_sid)).toBe(true)
    await runJob(Date.now() + minute)
    expect((await readQuality(`accounts/${owner.account_sid}`)).total.conversations).toBe(0)
    await runJob(Date.now() + 6 * minute)
    expect((await readQuality(`accounts/${owner.account_sid}`)).total.conversations).toBe(1)
  })

  test('is not counted if the call has no agent, or remains unknown in ten attempts, and leaves the queue', async () => {
    const owner = await createOwner()
    const { account_sid } = owner
    const silent = randomUUID()
    await api.sinks.calls.store([callRecord(account_sid, { ...owner, call_sid: silent })])
    const calls = [randomUUID(), silent].map((call_sid) => ({ account_sid, call_sid }))
    await enqueueConversations(database, calls, Date.now())
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      await runJob(Date.now() + attempt * 20 * minute)
      expect(await countQueued(account_sid)).toBe(attempt < 10 ? 1 : 0)
    }
    expect((await readQuality(`accounts/${account_sid}`)).total.conversations).toBe(0)
  })

  test('is computed when the record of its call arrives after its events', async () => {
    const owner = await createOwner()
    const { account_sid, call_sid } = await storeCall(owner)
    const { calls } = api.services
    const late = { ...api.services, calls: { ...calls, find: () => Promise.resolve([]) } }
    await createConversationJob({ database, sources: late, onBackgroundError: () => {}, now: Date.now })()
    expect(await countQueued(account_sid)).toBe(1)
    await enqueueConversations(database, [{ account_sid, call_sid }], Date.now())
    await runJob()
    expect((await readQuality(`accounts/${account_sid}`)).total.conversations).toBe(1)
  })

  test.each([
    ['given up after ten attempts', new Error('broken'), 0],
    ['not given up while its store is unavailable', new ApiError('unavailable'), 1],
  ])('that cannot be read is tried again, and %s', async (_what, error, queued) => {
    const owner = await createOwner()
    await storeCall(owner)
    const failing = { ...api.services, calls: { ...api.services.calls, find: () => Promise.reject(error) } }
    let failures = 0
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      expect(await countQueued(owner.account_sid)).toBe(1)
      await createConversationJob({
        database,
        sources: failing,
        onBackgroundError: () => void (failures += 1),
        now: () => Date.now() + attempt * 20 * minute,
      })()
    }
    expect([failures, await countQueued(owner.account_sid)]).toEqual([10, queued])
    await runJob(Date.now() + 1000 * minute)
    expect((await readQuality(`accounts/${owner.account_sid}`)).total.conversations).toBe(queued)
  })

  test('is deleted with other call data', async () => {
    const owner = await createOwner()
    await storeCall(owner)
    await runJob()
    await removeBefore(database, 'calls', at + 48 * 60 * minute)
    const { total } = await readQuality(`accounts/${owner.account_sid}`)
    expect(total.conversations).toBe(0)
    const rows = await database.db.selectFrom('patchbay_conversations').select('call_sid').execute()
    expect(rows).toEqual([])
  })
})

test('statistics return the 100 largest of many values', async () => {
  const { account_sid } = await createOwner()
  const rows = Array.from({ length: 500 }, (_, position) => ({
    owner_sid: account_sid,
    dimension: 'voice',
    day: 20_000,
    value: `voice ${String(position).padStart(3, '0')}`,
    conversations: position < 120 ? 1000 - position : 1,
    sums: '{}',
  }))
  for (let from = 0; from < rows.length; from += 50)
    await database.db
      .insertInto('patchbay_conversation_days')
      .values(rows.slice(from, from + 50))
      .execute()
  const search = { owner: { account_sid }, from: 19_999, until: 20_001, by: 'voice' } as const
  const signal = new AbortController().signal
  const { groups } = await createConversationStatistics(database).getQuality(search, { owner: account_sid, signal })
  expect([groups.length, groups[0]?.value, groups[99]?.value]).toEqual([100, 'voice 000', 'voice 099'])
})

test('a database with sums of the first version keeps its statistics', async () => {
  const owner = await createOwner()
  for (const trunk of ['Telco', 'Telco', 'Other']) await storeCall(owner, { trunk })
  await runJob()
  const read = () => readQuality(`accounts/${owner.account_sid}`, `${period}&by=carrier`)
  const before = await read()
  const { db } = database
  await sql`CREATE TABLE patchbay_conversation_counts (amount INTEGER)`.execute(db)
  await sql`DELETE FROM patchbay_migrations WHERE name >= '0034-conversation-days'`.execute(db)
  await sql`DROP TABLE patchbay_conversation_days`.execute(db)
  await migrate(database)
  expect(before.total.conversations).toBe(3)
  expect(await read()).toEqual(before)
  const tables = await db.introspection.getTables()
  expect(tables.map(({ name }) => name)).not.toContain('patchbay_conversation_counts')
})
