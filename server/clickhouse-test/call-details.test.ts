import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openCallDataSinks } from '@patchbay/server/app/open-call-data-sinks'
import type { OpenCallDataSinks } from '@patchbay/server/call-data/call-data-sinks'
import { toDayCondition } from '@patchbay/server/call-data/clickhouse/part-table'
import { storeSpans, toTraceParts } from '@patchbay/server/call-data/traces/trace-parts'
import { toResponseSpans } from '@patchbay/server/call-data/traces/trace-response'
import type { TracePart } from '@patchbay/server/call-data/traces/traces'
import { openClickHouseApi } from '@patchbay/testkit/servers/clickhouse/clickhouse-test-api'
import { describe, expect, test } from 'vitest'
import { otlpSpan, seenMessage } from '../test/fixtures.ts'

/** Traces, log lines, and SIP messages reach ClickHouse once, also over its failures, and a read opens few partitions. */

const { server, api } = await openClickHouseApi()

const newTraceId = () => randomUUID().replaceAll('-', '')

const toResourceSpans = (trace_id: string, more: Parameters<typeof otlpSpan>[1] = {}) =>
  toResponseSpans([{ scopeSpans: [{ spans: [otlpSpan(trace_id, more)] }] }]).traces.get(trace_id) ?? []

const createPart = async (trace_id: string, more: Parameters<typeof otlpSpan>[1] = {}): Promise<TracePart> => {
  for await (const part of toTraceParts(trace_id, toResourceSpans(trace_id, more))) return part
  throw new Error('the trace has a part')
}

const countSpans = async (trace_id: string): Promise<number> =>
  (await api.services.traces.read(trace_id))?.resourceSpans.length ?? 0

const readLines = async (call_sid: string): Promise<string[]> =>
  (await api.services.logs?.read({ call_sid, sip_callid: null } as never)) ?? []

const count = async (table: string, condition: string): Promise<number> =>
  Number(await server.query(`SELECT count() FROM ${table} WHERE ${condition}`))

const open = (): Promise<OpenCallDataSinks> =>
  openCallDataSinks(api.services.configuration, api.test.database, api.app.log, { batchMs: 0 })

const listSpooled = (table: string): string[] =>
  readdirSync(join(api.services.configuration.dataDir, 'clickhouse-spool', table), { recursive: true }).filter(
    (name): name is string => String(name).endsWith('.json.gz'),
  )

describe('repeated data', () => {
  test('is stored once, also by another process', async () => {
    const [trace_id, call_id, sip_callid] = [newTraceId(), randomUUID(), randomUUID()]
    const part = await createPart(trace_id)
    const line = { call_id, text: '{"msg":"one"}' }
    const [first, second] = [seenMessage(sip_callid), seenMessage(sip_callid, { at: 1_700_000_000_623_456 })]
    const other = await open()
    const added: number[] = []
    for (const { traces, logs, captures } of [api.sinks, api.sinks, other]) {
      expect(await traces.storeParts([part, part])).toBe(0)
      expect(await logs.store([line])).toBe(1)
      added.push(await captures.store([first, first, second]))
    }
    expect(added).toEqual([2, 0, 0])
    await other.close()
    expect(await count('trace_parts', `trace_id = '${trace_id}'`)).toBe(1)
    expect(await count('log_parts', `call_id = '${call_id}'`)).toBe(1)
    expect(await count('sip_messages', `sip_callid = '${sip_callid}'`)).toBe(2)
  })

  test('is returned once if two processes have stored it at the same time', async () => {
    const [trace_id, call_id, sip_callid] = [newTraceId(), randomUUID(), randomUUID()]
    await api.sinks.traces.storeParts([await createPart(trace_id)])
    await api.sinks.logs.store([{ call_id, text: '{"msg":"one"}' }])
    await api.sinks.captures.store([seenMessage(sip_callid)])
    for (const [table, condition] of [
      ['trace_parts', `trace_id = '${trace_id}'`],
      ['log_parts', `call_id = '${call_id}'`],
      ['sip_messages', `sip_callid = '${sip_callid}'`],
    ] as const) {
      await server.query(`INSERT INTO ${table} SELECT * FROM ${table} WHERE ${condition}`)
      expect(await count(table, condition)).toBe(2)
    }
    expect(await countSpans(trace_id)).toBe(1)
    expect(await readLines(call_id)).toEqual(['{"msg":"one"}'])
    expect((await api.services.captures.read(sip_callid)).total).toBe(1)
  })
})

describe('traces, log lines, and SIP messages', () => {
  test('are returned as senders wrote them', async () => {
    const id = `'"\\\n\0ä😀{x:String}; DROP TABLE trace_parts --`
    const binary = Buffer.concat([seenMessage(id).content, randomBytes(200), Buffer.from([0, 0xff, 0xfe])])
    const received = [
      seenMessage(id, { content: binary }),
      seenMessage(id, { at: 1_700_000_000_623_456, content: Buffer.from(`SIP ${id}`) }),
      seenMessage(id, { at: 1_700_000_000_823_456, content: Buffer.alloc(0) }),
    ]
    await api.sinks.captures.store(received)
    const pcap = Buffer.from((await api.services.captures.pcap(id, 'invite')) ?? [])
    for (const { content } of received) expect(pcap.includes(Buffer.from(content))).toBe(true)
    expect((await api.services.captures.read(id)).total).toBe(3)

    const text = JSON.stringify({ msg: id, half: '\ud800' })
    await api.sinks.logs.store([{ call_id: id, text }])
    expect(await readLines(id)).toEqual([text])

    const trace_id = newTraceId()
    const resourceSpans = toResourceSpans(trace_id, { name: `${id}\ud800` })
    await storeSpans(api.sinks.traces, trace_id, resourceSpans)
    expect(await api.services.traces.read(trace_id)).toEqual({ resourceSpans })
  })

  test('are returned in the order of receipt, also if several queries are necessary', async () => {
    const [trace_id, call_id] = [newTraceId(), randomUUID()]
    const now = Date.now()
    // A query returns two of these parts.
    const insert = (table: string, id: string, content: (nth: string) => string) =>
      server.query(
        `INSERT INTO ${table} SELECT '${id}', ${now} + number, leftPad(toString(99 - number), 64, '0'), '', 1, 400000,
           ${content('toString(number)')} FROM numbers(6)`,
      )
    const [span] = toResourceSpans(trace_id)
    const [before = '', after = ''] = JSON.stringify([span]).split('incoming-call')
    await insert('trace_parts', trace_id, (nth) => `concat('${before}', ${nth}, '${after}')`)
    await insert('log_parts', call_id, (nth) => `concat('["', ${nth}, repeat('x', 400000), '"]')`)
    const trace = await api.services.traces.read(trace_id)
    const names = trace?.resourceSpans.map(({ instrumentationLibrarySpans: [scope] }) => scope?.spans[0]?.name)
    expect(names).toEqual(['0', '1', '2', '3', '4', '5'])
    expect((await readLines(call_id)).map((line) => line.slice(0, 2))).toEqual(['0x', '1x', '2x', '3x', '4x', '5x'])
  })

  test('beyond 2,000 deliveries of a trace or of a log are rejected', async () => {
    const [trace_id, call_id] = [newTraceId(), randomUUID()]
    const now = Date.now()
    const insert = (table: string, id: string) =>
      server.query(
        `INSERT INTO ${table} SELECT '${id}', ${now} + number, leftPad(toString(number), 64, '0'), '', 1, 2, '[]'
         FROM numbers(2000)`,
      )
    await insert('trace_parts', trace_id)
    await insert('log_parts', call_id)
    const parts = [await createPart(trace_id), await createPart(newTraceId())]
    expect(await api.sinks.traces.storeParts(parts)).toBe(1)
    expect(await countSpans(parts[1]?.trace_id ?? '')).toBe(1)
    const other = randomUUID()
    const lines = [call_id, other].map((id) => ({ call_id: id, text: '{}' }))
    expect(await api.sinks.logs.store(lines)).toBe(1)
    expect(await readLines(other)).toEqual(['{}'])
  })

  test('beyond the limit of a response are left out, and the response says so', async () => {
    const trace_id = newTraceId()
    const now = Date.now()
    const [part] = toResourceSpans(trace_id)
    await server.query(
      `INSERT INTO trace_parts SELECT '${trace_id}', ${now} + number, leftPad(toString(number), 64, '0'), '', 1000, 1000,
       '${JSON.stringify([part])}' FROM numbers(12)`,
    )
    const trace = await api.services.traces.read(trace_id)
    expect(trace).toMatchObject({ is_cut: true, cut_at: 'end' })
    expect(trace?.resourceSpans).toHaveLength(10)
  })
})

test('opening a trace, a log, or SIP reads the partitions of its days', async () => {
  const [trace_id, call_id, sip_callid] = [newTraceId(), randomUUID(), randomUUID()]
  await api.sinks.traces.storeParts([await createPart(trace_id)])
  await api.sinks.logs.store([{ call_id, text: '{}' }])
  await api.sinks.captures.store([seenMessage(sip_callid)])
  const day = 86_400_000
  for (const [table, id, value] of [
    ['trace_parts', 'trace_id', trace_id],
    ['log_parts', 'call_id', call_id],
    ['sip_messages', 'sip_callid', sip_callid],
  ] as const) {
    // Thirty days with data of others, of which one has more data of the same id.
    await server.query(
      `INSERT INTO ${table} SELECT * EXCEPT number REPLACE (
         received_at - (number + 1) * ${day} AS received_at,
         if(number = 7, ${id}, concat('other-', toString(number))) AS ${id}
       ) FROM (SELECT *, arrayJoin(range(30)) AS number FROM ${table} WHERE ${id} = '${value}')`,
    )
    const explained = await server.query(
      `EXPLAIN indexes = 1 SELECT * FROM ${table} WHERE ${id} = '${value}' AND ${toDayCondition(id, [value])}
       FORMAT TabSeparatedRaw`,
    )
    // The day of today has a file per insert.
    const [, selected, all] = /in 2-element set\)\s+Parts: (\d+)\/(\d+)/.exec(explained) ?? []
    expect(Number(all) - Number(selected)).toBeGreaterThanOrEqual(29)
  }
  expect(await countSpans(trace_id)).toBe(1)
})

describe('without ClickHouse', () => {
  test('each kind waits on the disk, and is stored once when ClickHouse is back', async () => {
    const [trace_id, call_id, sip_callid, call_sid] = [newTraceId(), randomUUID(), randomUUID(), randomUUID()]
    const attributes = [{ key: 'callSid', value: { stringValue: call_sid } }]
    const part = await createPart(trace_id, { attributes })
    await server.kill()
    for (let time = 1; time <= 2; time += 1) {
      expect(await api.sinks.traces.storeParts([part])).toBe(0)
      expect(await api.sinks.logs.store([{ call_id, text: '{}' }])).toBe(1)
      await api.sinks.captures.store([seenMessage(sip_callid)])
    }
    for (const table of ['trace_parts', 'log_parts', 'sip_messages']) expect(listSpooled(table)).toHaveLength(2)
    expect(listSpooled('calls')).toEqual([])
    await expect(api.services.traces.read(trace_id)).rejects.toMatchObject({ code: 'unavailable' })
    const delays = api.test.database.db.selectFrom('patchbay_call_delays').selectAll().where('call_sid', '=', call_sid)
    expect(await delays.execute()).toMatchObject([{ dialled_at: 1_700_000_000_000, rung_at: null }])
    await server.restart()
    for (const table of ['trace_parts', 'log_parts', 'sip_messages'])
      await expect.poll(() => listSpooled(table)).toEqual([])
    expect(await count('trace_parts', `trace_id = '${trace_id}'`)).toBe(1)
    expect(await count('log_parts', `call_id = '${call_id}'`)).toBe(1)
    expect(await count('sip_messages', `sip_callid = '${sip_callid}'`)).toBe(1)
    expect(await countSpans(trace_id)).toBe(1)
  })

  test('traces that exceed the space on the disk are rejected with 503, and call records are not', async () => {
    const { configuration, database } = api.services
    if (configuration.clickHouse === null) throw new Error('ClickHouse is not configured')
    const clickHouse = { ...configuration.clickHouse, maxSpoolBytes: 1 }
    const small = await openCallDataSinks({ ...configuration, clickHouse }, database, api.app.log, { batchMs: 0 })
    await server.kill()
    const parts = [await createPart(newTraceId()), await createPart(newTraceId())]
    expect(await small.traces.storeParts(parts.slice(0, 1))).toBe(0)
    await expect(small.traces.storeParts(parts.slice(1))).rejects.toMatchObject({ status: 503 })
    expect(small.getWaitingBytes('traces')).toBeGreaterThan(0)
    expect(small.getWaitingBytes('calls')).toBe(0)
    expect(await small.logs.store([{ call_id: randomUUID(), text: '{}' }])).toBe(1)
    await server.restart()
    await expect.poll(() => small.getWaitingBytes('traces')).toBe(0)
    await small.close()
    expect(await countSpans(parts[0]?.trace_id ?? '')).toBe(1)
    expect(await countSpans(parts[1]?.trace_id ?? '')).toBe(0)
  })
})
