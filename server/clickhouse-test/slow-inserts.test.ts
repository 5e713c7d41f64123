import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { OpenCallDataSinks } from '@patchbay/server/call-data/call-data-sinks'
import { type ClickHouseSinkTiming, openClickHouseSinks } from '@patchbay/server/call-data/clickhouse/open-sinks'
import { queueConversations } from '@patchbay/server/call-data/conversations/queue-conversations'
import { toTraceParts } from '@patchbay/server/call-data/traces/trace-parts'
import { toResponseSpans } from '@patchbay/server/call-data/traces/trace-response'
import { createConversationJob } from '@patchbay/server/jobs/compute-conversations'
import {
  type ClickHouseDatabase,
  createClickHouseDatabase,
} from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import { type InsertGate, startInsertGate } from '@patchbay/testkit/servers/clickhouse/insert-gate'
import { createTestApi, type TestApi, testConfiguration } from '@patchbay/testkit/test-api'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { callRecord, nanosecondsAt, otlpSpan } from '../test/fixtures.ts'
import { countCalls, listBatchFiles } from './stored-calls.ts'

/** Call data is accepted while ClickHouse is slow or loses responses, and is stored once. */

let database: ClickHouseDatabase
let gate: InsertGate
let traceGate: InsertGate
let api: TestApi
let account_sid: string
const opened = new Set<OpenCallDataSinks>()
let messages: string[] = []

const note = (_details: unknown, message?: string) => void messages.push(message ?? '')
const log = { error: note, warn: note, info: note }

interface Process extends ClickHouseSinkTiming {
  url?: string
  folder?: string
  maxSpoolBytes?: number
}

/** Opens what a process uses to store calls. */
const open = async ({ url = gate.url, folder = 'first', maxSpoolBytes, ...timing }: Process = {}) => {
  const { clickHouse: address } = testConfiguration({ CLICKHOUSE_URL: url })
  if (address === null) throw new Error('ClickHouse is not configured')
  const sinks = await openClickHouseSinks({
    address: { ...address, maxSpoolBytes: maxSpoolBytes ?? address.maxSpoolBytes },
    retentionDays: 0,
    dataDir: join(api.services.configuration.dataDir, folder),
    database: api.test.database,
    traceCallAttributes: ['my.call'],
    log,
    batchMs: 0,
    ...timing,
  })
  opened.add(sinks)
  return sinks
}

const close = (sinks: OpenCallDataSinks) => {
  opened.delete(sinks)
  return sinks.close()
}

const start = Date.parse('2026-03-01T00:00:00Z')

const createCalls = (count: number, trace_id: string | null = null) =>
  Array.from({ length: count }, (_, index) =>
    callRecord(account_sid, { call_sid: randomUUID(), trace_id, time: nanosecondsAt(start + index) }),
  )

const countRows = () => countCalls(database, account_sid)

const listSpooled = (table = 'calls') =>
  listBatchFiles(join(api.services.configuration.dataDir, 'first/clickhouse-spool', table))

const countQueued = async (): Promise<number> => {
  const { db } = api.test.database
  const rows = await db
    .selectFrom('patchbay_conversation_queue')
    .select('call_sid')
    .where('account_sid', '=', account_sid)
    .execute()
  return rows.length
}

beforeAll(async () => {
  database = await createClickHouseDatabase()
  gate = await startInsertGate(database.settings.CLICKHOUSE_URL, 'calls')
  traceGate = await startInsertGate(database.settings.CLICKHOUSE_URL, 'trace_parts')
  api = await createTestApi(database.settings)
})

beforeEach(async () => {
  account_sid = await api.account(await api.provider())
  messages = []
})

afterEach(async () => {
  gate.set('pass')
  traceGate.set('pass')
  for (const sinks of opened) await sinks.close()
  opened.clear()
})

afterAll(async () => {
  await api.close()
  await gate.stop()
  await traceGate.stop()
  await database.drop()
})

describe('while inserts take longer than senders may wait', () => {
  test.each(['delay', 'withhold'] as const)('records are accepted, and are stored once: %s', async (mode) => {
    const sinks = await open({ storeMs: 1000 })
    gate.set(mode)
    // More records than may wait for an insert in memory.
    const calls = createCalls(40_000)
    for (let first = 0; first < calls.length; first += 10_000)
      await Promise.all(
        Array.from({ length: 10 }, (_, index) => {
          const position = first + index * 1000
          return sinks.calls.store(calls.slice(position, position + 1000))
        }),
      )
    expect(listSpooled().length).toBeGreaterThan(0)
    await sinks.calls.store(calls.slice(0, 100))
    await expect.poll(() => gate.countWaiting()).toBeGreaterThan(0)
    gate.set('pass')
    await expect.poll(() => listSpooled()).toEqual([])
    expect(await countRows()).toEqual([40_000, 40_000])
    // When a batch from the disk has been fast enough, records are in ClickHouse before their sender gets a response.
    const storeOne = async () => {
      const before = gate.countInserts()
      await sinks.calls.store(createCalls(1))
      return gate.countInserts() - before
    }
    await expect.poll(storeOne).toBe(1)
  })

  test('new records are not sent to ClickHouse before those that wait, and senders do not wait for the limit', async () => {
    // Everything takes longer than this.
    const sinks = await open({ storeMs: 0 })
    const before = gate.countInserts()
    for (let round = 1; round <= 4; round += 1) {
      await sinks.calls.store(createCalls(10))
      await expect.poll(() => listSpooled()).toEqual([])
    }
    expect(await countRows()).toEqual([40, 40])
    const timeouts = messages.filter((message) => message.startsWith('ClickHouse does not store data'))
    expect(timeouts).toHaveLength(1)
    expect(gate.countInserts() - before).toBe(4)
  })

  test('records are sent to ClickHouse again if the disk has no space for them', async () => {
    const sinks = await open({ storeMs: 0, maxSpoolBytes: 0 })
    for (let round = 1; round <= 3; round += 1)
      await expect(sinks.calls.store(createCalls(10))).rejects.toMatchObject({ status: 503 })
    const attempts = messages.filter((message) => message.startsWith('ClickHouse does not store data'))
    expect(attempts).toHaveLength(3)
  })
})

describe('records whose insert had no response', () => {
  /** Stores calls whose insert succeeds without a response, in a process that ends. */
  const loseResponse = async (calls: ReturnType<typeof createCalls>) => {
    const ending = await open()
    gate.set('lose')
    await ending.calls.store(calls)
    await close(ending)
    expect(listSpooled()).toHaveLength(1)
    expect(await countRows()).toEqual([calls.length, calls.length])
    expect(await countQueued()).toBe(0)
    gate.set('pass')
  }

  /** Makes ClickHouse forget the inserts before, by those of another process. */
  const forgetTokens = async () => {
    await database.query('ALTER TABLE calls MODIFY SETTING non_replicated_deduplication_window = 2')
    const other = await open({ url: database.settings.CLICKHOUSE_URL, folder: 'other' })
    const owner = await api.account(await api.provider())
    for (let count = 1; count <= 3; count += 1) await other.calls.store([callRecord(owner, { call_sid: randomUUID() })])
    await close(other)
  }

  afterEach(() => database.query('ALTER TABLE calls MODIFY SETTING non_replicated_deduplication_window = 10000'))

  test('are stored once if ClickHouse has forgotten the insert, and their conversations are queued', async () => {
    await loseResponse(createCalls(20, randomUUID().replaceAll('-', '')))
    await forgetTokens()
    await open({ tokenMs: -1 })
    await expect.poll(() => listSpooled()).toEqual([])
    expect(await countRows()).toEqual([20, 20])
    expect(await countQueued()).toBe(20)
  })

  test('are stored if ClickHouse has only some of them, and has forgotten the insert', async () => {
    await loseResponse(createCalls(20, randomUUID().replaceAll('-', '')))
    await forgetTokens()
    await database.query(
      `ALTER TABLE calls DELETE WHERE account_sid = '${account_sid}' AND attempted_at >= ${nanosecondsAt(start + 15)}
       SETTINGS mutations_sync = 1`,
    )
    await open({ tokenMs: -1 })
    await expect.poll(() => listSpooled()).toEqual([])
    expect((await countRows())[0]).toBe(20)
    expect(await countQueued()).toBe(20)
  })

  test('are completed in the sums of the hours by the same insert, as long as ClickHouse remembers it', async () => {
    // ClickHouse stores the calls without their sums, as if it had ended in between, and Patchbay gets no response.
    await database.query('DETACH TABLE fill_call_hours')
    const ending = await open()
    gate.set('lose')
    await ending.calls.store(createCalls(20))
    await close(ending)
    expect([await countRows(), listSpooled().length]).toEqual([[20, 0], 1])
    await database.query('ATTACH TABLE fill_call_hours')
    gate.set('pass')
    await open()
    await expect.poll(() => listSpooled()).toEqual([])
    expect(await countRows()).toEqual([20, 20])
  })
})

describe('spans of another program that wait on the disk', () => {
  const runJob = () =>
    createConversationJob({
      database: api.test.database,
      sources: api.services,
      onBackgroundError: (error) => expect.unreachable(String(error)),
      now: () => Date.now() + 60_000,
    })()

  test.each(['call_sid', 'sip_callid'] as const)('queue the conversation of the call with their %s', async (name) => {
    const sinks = queueConversations(await open({ url: traceGate.url, storeMs: 1000 }), api.test.database, {
      calls: api.services.calls,
      isDatabaseOnly: false,
    })
    const call = callRecord(account_sid, {
      call_sid: randomUUID(),
      sip_callid: randomUUID(),
      trace_id: randomUUID().replaceAll('-', ''),
      time: nanosecondsAt(start),
    })
    await sinks.calls.store([call])
    // On a busy machine, the call waits too.
    await expect.poll(() => listSpooled()).toEqual([])
    traceGate.set('delay')
    const trace_id = randomUUID().replaceAll('-', '')
    const attributes = [{ key: 'my.call', value: { stringValue: call[name] } }]
    const { traces } = toResponseSpans([{ scopeSpans: [{ spans: [otlpSpan(trace_id, { attributes })] }] }])
    for await (const part of toTraceParts(trace_id, traces.get(trace_id) ?? [], new Set(['my.call'])))
      await sinks.traces.storeParts([part])
    expect(listSpooled('trace_parts')).toHaveLength(1)
    // The conversation is computed without the spans.
    await runJob()
    expect(await countQueued()).toBe(0)
    traceGate.set('pass')
    await expect.poll(() => listSpooled('trace_parts')).toEqual([])
    expect(await countQueued()).toBe(1)
  })
})
