import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenCallDataSinks } from '@patchbay/server/call-data/call-data-sinks'
import type { CallRecord } from '@patchbay/server/call-data/calls/call-record'
import { toCallRow } from '@patchbay/server/call-data/clickhouse/call-rows'
import { openClickHouseSinks } from '@patchbay/server/call-data/clickhouse/open-sinks'
import { openSpool } from '@patchbay/server/call-data/clickhouse/spool'
import type { Configuration } from '@patchbay/server/config/configuration'
import { type ClickHouseServer, startClickHouse } from '@patchbay/testkit/servers/clickhouse/clickhouse'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { callRecord, nanosecondsAt } from '../test/fixtures.ts'
import { countCalls, listBatchFiles } from './stored-calls.ts'

/** Call records reach ClickHouse in batches, once, and over failures of ClickHouse and of Patchbay. */

let server: ClickHouseServer
let api: TestApi
let account_sid: string
let sinks: OpenCallDataSinks

const open = (more: Partial<NonNullable<Configuration['clickHouse']>> = {}, batchMs = 0) => {
  const { clickHouse, dataDir } = api.services.configuration
  if (clickHouse === null) throw new Error('ClickHouse is not configured')
  return openClickHouseSinks({
    address: { ...clickHouse, ...more },
    retentionDays: 0,
    dataDir,
    database: api.test.database,
    traceCallAttributes: [],
    log: api.app.log,
    batchMs,
  })
}

const start = Date.parse('2026-03-01T00:00:00Z')

const createCalls = (count: number, more: Partial<CallRecord> = {}): CallRecord[] =>
  Array.from({ length: count }, (_, index) =>
    callRecord(account_sid, { call_sid: randomUUID(), time: nanosecondsAt(start + index * 60_000), ...more }),
  )

const readTotal = async (): Promise<number> =>
  (await api.services.calls.search({ owner: { account_sid }, page: 1, pageSize: 10 })).total

const countRows = () => countCalls(server, account_sid)

const listSpooled = () => listBatchFiles(join(api.services.configuration.dataDir, 'clickhouse-spool/calls'))

beforeAll(async () => {
  server = await startClickHouse()
  api = await createTestApi(server.settings)
})

beforeEach(async () => {
  account_sid = await api.account(await api.provider())
  sinks = await open()
})

afterEach(() => sinks.close())

afterAll(async () => {
  await api.close()
  await server.stop()
})

describe('batches', () => {
  test('contain the records of several requests, and store a record that appears twice once', async () => {
    await sinks.close()
    sinks = await open({}, 50)
    const calls = createCalls(40)
    const before = await server.query(
      "SELECT count() FROM system.parts WHERE database = 'patchbay' AND table = 'calls'",
    )
    await Promise.all([...calls, ...calls].map((call) => sinks.calls.store([call])))
    expect(await countRows()).toEqual([40, 40])
    const after = await server.query("SELECT count() FROM system.parts WHERE database = 'patchbay' AND table = 'calls'")
    expect(Number(after) - Number(before)).toBe(1)
  })

  test('a record that is sent again later, to the same or another process, is stored once', async () => {
    const calls = createCalls(30)
    await sinks.calls.store(calls)
    await sinks.calls.store(calls.slice(10))
    const other = await open()
    await other.calls.store([...calls, ...createCalls(5, { trunk: 'another' })])
    await other.close()
    expect(await countRows()).toEqual([35, 35])
    expect(await readTotal()).toBe(35)
  })

  test('are rejected with 503 if too many records wait', async () => {
    const calls = createCalls(15_000)
    const stored = [sinks.calls.store(calls), sinks.calls.store(calls)]
    await expect(sinks.calls.store(calls)).rejects.toMatchObject({ status: 503 })
    await Promise.all(stored)
    expect(await countRows()).toEqual([15_000, 15_000])
  })

  test('accept times of many months, and text with every kind of character', async () => {
    const text = `'"\\\n\t\0ä😀{x:String}; DROP TABLE calls --`
    const calls = Array.from({ length: 30 }, (_, index) =>
      callRecord(account_sid, {
        call_sid: `${text}${index}`,
        from: text,
        trunk: text,
        time: (nanosecondsAt(start) * BigInt(index)) / 100n,
      }),
    )
    await sinks.calls.store(calls)
    await sinks.calls.store(calls)
    expect(await countRows()).toEqual([30, 30])
    const { total, calls: found } = await api.services.calls.search({
      owner: { account_sid },
      trunk: text,
      page: 3,
      pageSize: 10,
    })
    expect(total).toBe(30)
    expect(found.at(-1)).toMatchObject({ call_sid: `${text}0`, from: text, trunk: text })
  })

  test('contain the delay between dialing and ringing that a trace has reported', async () => {
    const [call] = createCalls(1, { answered: true })
    if (call === undefined) throw new Error('there is a call')
    const { db } = api.test.database
    const delay = { call_sid: call.call_sid ?? '', dialled_at: 1000, rung_at: 3500, received_at: Date.now() }
    await db.insertInto('patchbay_call_delays').values(delay).execute()
    await sinks.calls.store([call])
    const day = Math.floor(start / 86_400_000)
    const { total } = await api.services.quality.getCallQuality({ owner: { account_sid }, from: day, until: day })
    expect(total).toMatchObject({ attempts: 1, pdd_calls: 1, pdd_milliseconds: 2500 })
    expect(await db.selectFrom('patchbay_call_delays').selectAll().execute()).toEqual([])
  })
})

describe('rows that ClickHouse cannot parse', () => {
  test('are avoided: half a character at the end of a text that was cut becomes U+FFFD', async () => {
    const half = { termination_reason: `${'x'.repeat(254)}😀`, from: 'a\ud800', call_sid: '\udc00' }
    await sinks.calls.store([...createCalls(1, half), ...createCalls(3)])
    await sinks.calls.store(createCalls(1, half))
    expect([await countRows(), listSpooled()]).toEqual([[4, 4], []])
    const { calls } = await api.services.calls.search({ owner: { account_sid }, page: 1, pageSize: 10 })
    expect(calls.find(({ from }) => from === 'a\ufffd')).toMatchObject({
      call_sid: '\ufffd',
      termination_reason: `${'x'.repeat(254)}\ufffd`,
    })
  })

  test('stay in a file, and all others of their batch are stored', async () => {
    await sinks.close()
    const parent = join(api.services.configuration.dataDir, 'clickhouse-spool/calls')
    const spool = await openSpool<object>(parent, 1_000_000)
    const rows = createCalls(9).map(toCallRow)
    const damaged = rows.map((row, position) => (position === 4 ? { ...row, answered: 'perhaps' } : row))
    await spool.add({ token: randomUUID(), isCompared: true, rows: damaged })
    spool.close()
    sinks = await open()
    await expect.poll(listSpooled).toEqual([])
    expect(await countRows()).toEqual([8, 8])
    const rejected = readdirSync(parent, { recursive: true }).filter((name) => String(name).endsWith('.rejected'))
    expect(rejected).toHaveLength(1)
    await sinks.calls.store(createCalls(2))
    expect(await readTotal()).toBe(10)
  })
})

describe('without ClickHouse', () => {
  test('records wait on the disk, and are stored once when it is back', async () => {
    const calls = createCalls(20)
    await sinks.calls.store(calls.slice(0, 5))
    await server.kill()
    await sinks.calls.store(calls.slice(0, 10))
    await sinks.calls.store(calls.slice(5))
    expect(listSpooled()).toHaveLength(2)
    await expect(api.services.calls.search({ owner: { account_sid }, page: 1, pageSize: 10 })).rejects.toMatchObject({
      code: 'unavailable',
    })
    await server.restart()
    await expect.poll(listSpooled).toEqual([])
    expect(await countRows()).toEqual([20, 20])
  })

  test('records are stored after a restart of Patchbay, also those of a process that has ended', async () => {
    const calls = createCalls(20)
    const other = await open()
    await server.kill()
    await sinks.calls.store(calls.slice(0, 10))
    await other.calls.store(calls.slice(5))
    await Promise.all([sinks.close(), other.close()])
    expect(listSpooled()).toHaveLength(2)
    sinks = await open()
    await server.restart()
    await expect.poll(listSpooled).toEqual([])
    expect(await countRows()).toEqual([20, 20])
  })

  test('records are rejected with 503 when the space on the disk is used up', async () => {
    await sinks.close()
    sinks = await open({ maxSpoolBytes: 20_000 })
    await server.kill()
    const stored: CallRecord[] = []
    const fill = async (): Promise<never> => {
      for (;;) {
        const calls = createCalls(10)
        await sinks.calls.store(calls)
        stored.push(...calls)
      }
    }
    await expect(fill()).rejects.toMatchObject({ status: 503 })
    expect(stored.length).toBeGreaterThanOrEqual(10)
    await server.restart()
    await expect.poll(listSpooled).toEqual([])
    expect(await countRows()).toEqual([stored.length, stored.length])
    await sinks.calls.store(createCalls(1))
    expect(await readTotal()).toBe(stored.length + 1)
  })

  test('records that waited queue their conversations again when they are stored', async () => {
    const [traced, bare, named] = [randomUUID(), randomUUID(), randomUUID()]
    const trace_id = randomUUID().replaceAll('-', '')
    const { db } = api.test.database
    await db.insertInto('patchbay_trace_links').values({ call_id: named, trace_id, received_at: Date.now() }).execute()
    await server.kill()
    await sinks.calls.store([
      ...createCalls(1, { call_sid: traced, trace_id }),
      ...createCalls(1, { call_sid: bare, trace_id: null }),
      // A trace of another program names this call.
      ...createCalls(1, { sip_callid: named, call_sid: named, trace_id: null }),
    ])
    const readQueue = () =>
      db.selectFrom('patchbay_conversation_queue').select('call_sid').where('account_sid', '=', account_sid).execute()
    expect(await readQueue()).toEqual([])
    await server.restart()
    await expect.poll(listSpooled).toEqual([])
    const queued = await readQueue()
    expect(queued.map(({ call_sid }) => call_sid).toSorted()).toEqual([traced, named].toSorted())
  })

  test('that does not respond, records wait on the disk, and a repeated insert has no effect', async () => {
    const calls = createCalls(20)
    await server.pause()
    await sinks.calls.store(calls)
    expect(listSpooled()).toHaveLength(1)
    server.resume()
    await expect.poll(listSpooled).toEqual([])
    await sinks.calls.store(calls)
    expect(await countRows()).toEqual([20, 20])
  })
})
