import { randomBytes, randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { createSink } from '@patchbay/server/app/ingest'
import { createInfluxIntake } from '@patchbay/server/call-data/ingest/influx-ingest'
import { registerLogIngest } from '@patchbay/server/call-data/ingest/log-ingest'
import { createOtlpIntake } from '@patchbay/server/call-data/ingest/otlp-ingest'
import { isClickHouse } from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { otlpSpan, type Row } from '../fixtures.ts'

/** Small requests that are expensive to decode or store: spans, points, and log lines. */

let api: TestApi
let otlp: FastifyInstance
let influx: FastifyInstance

beforeAll(async () => {
  api = await createTestApi()
  otlp = createOtlpIntake({ sink: api.sinks.traces, logger: api.app.log })
  registerLogIngest(otlp, { sink: api.sinks.logs, logger: api.app.log })
  influx = createInfluxIntake({ sink: createSink(api.sinks), logger: api.app.log })
})
afterAll(async () => {
  await otlp.close()
  await influx.close()
  await api.close()
})

const megabytes = 1024 * 1024
const newTraceId = () => randomBytes(16).toString('hex')

const send = (type: string, body: string | Buffer) =>
  otlp.inject({
    method: 'POST',
    url: '/v1/traces',
    headers: { 'content-type': type, 'content-encoding': 'gzip' },
    payload: gzipSync(body),
  })
const sendJson = (body: string) => send('application/json', body)
const sendProtobuf = (body: Buffer) => send('application/x-protobuf', body)
const sendSpans = (spans: readonly Row[], resource: Row = {}) =>
  sendJson(JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }))

/** Counts the iterations of the event loop during the work. Other requests could run in each of them. */
const eventLoopTicksDuring = async (work: () => Promise<unknown>): Promise<number> => {
  let iterations = 0
  let isDone = false
  const turn = () => {
    iterations += 1
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  isDone = true
  return iterations
}

/** Returns the CPU time of this thread for the work, in milliseconds. */
const ownCpuMs = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Encodes a protobuf field with bytes. */
const field = (number: number, ...contents: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(contents)
  const length: number[] = []
  for (let rest = content.length; ; rest = Math.floor(rest / 128)) {
    length.push(rest < 128 ? rest : (rest % 128) + 128)
    if (rest < 128) break
  }
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), content])
}

/** Encodes as many empty fields as fit into this many bytes. */
const emptyFields = (number: number, bytes: number): Buffer => Buffer.alloc(bytes, field(number))

const resourceSpans = (...contents: readonly Buffer[]) => field(1, ...contents)
const scopeSpans = (...contents: readonly Buffer[]) => field(2, ...contents)
const encodeSpan = (trace_id: string, ...more: readonly Buffer[]) =>
  field(
    2,
    field(1, Buffer.from(trace_id, 'hex')),
    field(2, randomBytes(8)),
    Buffer.concat([Buffer.from([7 * 8 + 1]), Buffer.alloc(8, 1)]),
    ...more,
  )

const seven = 7 * megabytes

describe('an export with too many objects', () => {
  const anyValues = (depth: number): Buffer =>
    depth === 0 ? Buffer.alloc(0) : field(5, field(1, anyValues(depth - 1)))

  test.each<[string, () => Buffer, RegExp]>([
    ['empty spans', () => resourceSpans(scopeSpans(emptyFields(2, seven))), /50,000 spans/],
    ['empty scopes', () => resourceSpans(emptyFields(2, seven)), /5,000 scopes/],
    ['empty resources', () => emptyFields(1, seven), /1,000 resources/],
    [
      'empty attributes',
      () => resourceSpans(scopeSpans(encodeSpan(newTraceId(), emptyFields(9, seven)))),
      /500,000 objects/,
    ],
    [
      'empty events',
      () => resourceSpans(scopeSpans(encodeSpan(newTraceId(), emptyFields(11, seven)))),
      /500,000 objects/,
    ],
    [
      'values within values',
      () => resourceSpans(scopeSpans(encodeSpan(newTraceId(), field(9, field(2, anyValues(200)))))),
      /100 levels/,
    ],
  ])('%s in protobuf is answered 413', async (_what, make, message) => {
    const body = make()
    const answers: { statusCode: number; payload: string }[] = []
    const ms = await ownCpuMs(async () => answers.push(await sendProtobuf(body)))
    expect([answers[0]?.statusCode, answers[0]?.payload]).toEqual([413, expect.stringMatching(message)])
    expect(ms).toBeLessThan(1000)
  })

  const groups = (text: string) => `{"resourceSpans":[${text}]}`
  const scopes = (text: string) => groups(`{"scopeSpans":[${text}]}`)
  const spans = (text: string) => scopes(`{"spans":[${text}]}`)
  const many = (text: string, size: number) => `${text},`.repeat(size / (text.length + 1)).slice(0, -1)

  test.each<[string, () => string, RegExp]>([
    ['empty spans', () => spans(many('{}', seven)), /500,000 objects/],
    ['numbers as spans', () => spans(many('1', seven)), /50,000 spans/],
    ['empty scopes', () => scopes(many('{}', megabytes)), /5,000 scopes/],
    ['numbers as scopes', () => scopes(many('1', seven)), /5,000 scopes/],
    ['empty resources', () => groups(many('{}', megabytes)), /1,000 resources/],
    ['arrays within arrays', () => spans('['.repeat(seven)), /500,000 objects/],
  ])('%s in JSON is answered 413', async (_what, make, message) => {
    const body = make()
    const answers: { statusCode: number; payload: string }[] = []
    const ms = await ownCpuMs(async () => answers.push(await sendJson(body)))
    expect([answers[0]?.statusCode, answers[0]?.payload]).toEqual([413, expect.stringMatching(message)])
    expect(ms).toBeLessThan(1000)
  })

  test('the ingest server still works after each of them', async () => {
    expect((await sendSpans([otlpSpan(newTraceId())])).statusCode).toBe(200)
  })
})

const readStored = async (trace_id: string) => {
  const trace = await api.services.traces.read(trace_id)
  return trace?.resourceSpans.flatMap(({ instrumentationLibrarySpans }) => instrumentationLibrarySpans[0]?.spans ?? [])
}

describe('an export that is stored partially', () => {
  test('stores 2,000 traces and counts the spans of the others', async () => {
    const answer = await sendSpans(Array.from({ length: 2500 }, () => otlpSpan(newTraceId())))
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { partialSuccess: { rejectedSpans: 500, errorMessage: expect.stringContaining('2,000 traces') } },
    ])
  })

  test('stores up to 128 attributes and 128 events per span, and 65,536 characters per string', async () => {
    const trace_id = newTraceId()
    const attributes = Array.from({ length: 10_000 }, (_, at) => ({ key: `${at}`, value: { intValue: at } }))
    const events = Array.from({ length: 10_000 }, () => ({ name: 'x'.repeat(100), timeUnixNano: '1' }))
    expect(
      (await sendSpans([otlpSpan(trace_id, { attributes, events, name: 'x'.repeat(megabytes) })])).statusCode,
    ).toBe(200)
    const [span] = (await readStored(trace_id)) ?? []
    if (span === undefined) throw new Error('the span is not stored')
    const { attributes: storedAttributes, events: keptEvents, name } = span
    expect([storedAttributes.length, Array.isArray(keptEvents) && keptEvents.length, name.length]).toEqual([
      128, 128, 65_536,
    ])
  })

  test('does not store a large resource with each of its traces', async () => {
    const large = { key: 'large', value: { stringValue: 'x'.repeat(2 * megabytes) } }
    const small = { key: 'service.name', value: { stringValue: 'feature-server' } }
    const traceIds = Array.from({ length: 500 }, newTraceId)
    const answer = await sendSpans(
      traceIds.map((trace_id) => otlpSpan(trace_id)),
      { attributes: [small, large] },
    )
    expect(answer.statusCode).toBe(200)
    const trace = await api.services.traces.read(traceIds[0] ?? '')
    expect(trace?.resourceSpans[0]?.resource.attributes).toEqual([small])
  })

  test('stores the delays of up to 100 calls per trace', async () => {
    const trace_id = newTraceId()
    const callSid = () => [{ key: 'callSid', value: { stringValue: `${trace_id}-${randomBytes(4).toString('hex')}` } }]
    const spans = Array.from({ length: 20_000 }, () => otlpSpan(trace_id, { attributes: callSid() }))
    expect((await sendSpans(spans.slice(0, 900))).statusCode).toBe(200)
    const { n } = await api.test.database.reader
      .selectFrom('patchbay_call_delays')
      .select(({ fn }) => fn.countAll<number | string>().as('n'))
      .where('call_sid', 'like', `${trace_id}-%`)
      .executeTakeFirstOrThrow()
    expect(Number(n)).toBe(100)
    expect((await sendSpans(spans)).statusCode).toBe(200)
  })

  test.skipIf(isClickHouse)('rejects spans of a trace that has 2,000 parts', async () => {
    const { db } = api.test.database
    const trace_id = newTraceId()
    const row = (at: number) => ({
      trace_id,
      part_key: `${at}`.padStart(64, '0'),
      received_at: at,
      content: Buffer.from('x'),
    })
    for (let from = 0; from < 2000; from += 500)
      await db
        .insertInto('patchbay_trace_parts')
        .values(Array.from({ length: 500 }, (_, at) => row(from + at)))
        .execute()
    expect((await sendSpans([otlpSpan(trace_id), otlpSpan(newTraceId())])).json()).toEqual({
      partialSuccess: { rejectedSpans: 1, errorMessage: expect.stringContaining('maximum number of spans') },
    })
  })
})

describe('hostile values in an export', () => {
  test.each<[string, Row]>([
    ['a fraction for a time', { startTimeUnixNano: 1.5 }],
    ['a negative time', { startTimeUnixNano: -1 }],
    ['a time of 400 digits', { startTimeUnixNano: '9'.repeat(400) }],
    ['a time beyond all numbers', { startTimeUnixNano: 1e300 }],
    ['an array for a name', { name: [[]] }],
    ['no attributes', { attributes: { length: 1e9 } }],
    ['a prototype', { attributes: [{ key: '__proto__', value: { stringValue: 'x' } }] }],
    ['half a character', { name: '\ud800', attributes: [{ key: '\udc00', value: { stringValue: '\ud800\u0000' } }] }],
    ['a call of null characters', { attributes: [{ key: 'callSid', value: { stringValue: '\u0000'.repeat(64) } }] }],
    ['a call of emoji', { attributes: [{ key: 'callSid', value: { stringValue: '😀'.repeat(32) } }] }],
    ['a kind that is none', { kind: { toString: 1 }, status: { code: [1, 2] } }],
  ])('%s: answers 200, and stores the other span', async (_what, more) => {
    const trace_id = newTraceId()
    const answer = await sendSpans([otlpSpan(trace_id, more), otlpSpan(trace_id, { name: 'good' })])
    expect(answer.statusCode).toBe(200)
    expect((await readStored(trace_id))?.map(({ name }) => name)).toContain('good')
  })

  test.each<[string, Buffer]>([
    ['a length beyond the end', Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f])],
    ['a nested length beyond the end', resourceSpans(Buffer.from([0x12, 0x7f, 0x00]))],
    ['a group that is never closed', Buffer.from([0x0b])],
    ['a tag without end', Buffer.alloc(20, 0xff)],
  ])('%s in protobuf is answered 400', async (_what, body) => {
    expect((await sendProtobuf(body)).statusCode).toBe(400)
  })

  test('invalid UTF-8 and repeated fields in protobuf result in 200', async () => {
    const trace_id = newTraceId()
    const invalid = Buffer.from([0xc3, 0x28, 0xed, 0xa0, 0x80, 0xff])
    const span = encodeSpan(
      trace_id,
      field(5, invalid),
      field(5, Buffer.from('last')),
      field(1, Buffer.from(trace_id, 'hex')),
    )
    expect((await sendProtobuf(resourceSpans(scopeSpans(span)))).statusCode).toBe(200)
    expect((await readStored(trace_id))?.map(({ name }) => name)).toEqual(['last'])
  })
})

describe('line protocol', () => {
  const write = (payload: string) => influx.inject({ method: 'POST', url: '/write?db=cdrs', payload })
  const getError = async (payload: string) => {
    const answer = await write(payload)
    return [answer.statusCode, answer.statusCode === 204 ? '' : String(answer.json().error)]
  }
  const point = (account_sid: string, more = '') =>
    `cdrs,account_sid=${account_sid},answered=true call_sid="${randomUUID()}"${more} 1700000000000000000`

  test('a point with more than 256 fields or 64 tags is rejected, and the others are stored', async () => {
    const account_sid = randomUUID()
    const fields = Array.from({ length: 3000 }, (_, at) => `,f${at}=1`).join('')
    const tags = Array.from({ length: 100 }, (_, at) => `,t${at}=1`).join('')
    const lines = [point(account_sid, fields), point(account_sid), `cdrs${tags} a=1`]
    expect(await getError(lines.join('\n'))).toEqual([
      400,
      'partial write: line 1: the point has more than 256 fields; line 3: the point has more than 64 tags dropped=2',
    ])
    const { total } = await api.services.calls.search({ owner: { account_sid }, page: 1, pageSize: 10 })
    expect(total).toBe(1)
  })

  test('600,000 fields in one point are rejected, and the next point is stored', async () => {
    const fields = Array.from({ length: 600_000 }, (_, at) => `,f${at}=1`).join('')
    const lines = `${point('A', fields)}\n${point(randomUUID())}`
    const answers: unknown[] = []
    const ms = await ownCpuMs(async () => answers.push(await getError(lines)))
    expect(answers).toEqual([[400, 'partial write: line 1: the line has more than 65536 characters dropped=1']])
    expect(ms).toBeLessThan(1000)
  })

  test.each([
    ['blank lines', '\n'],
    ['comments', '# a comment\n'],
    ['texts that are never closed', 'cdrs a="\n'],
    ['escapes', 'cdrs a="\\\\\\"\n'],
    ['bad lines', 'x\n'],
  ])('a body of %s lets other requests run', async (_what, line) => {
    const body = line.repeat(Math.floor((2 * megabytes) / line.length))
    expect(await eventLoopTicksDuring(() => write(body))).toBeGreaterThan(30)
  })

  test('100,000 points of a larger request are stored', async () => {
    const line = `other a=1\n`
    expect(await getError(line.repeat(100_000))).toEqual([204, ''])
    expect(await getError(line.repeat(110_000))).toEqual([
      413,
      'partial write: a request has at most 100000 points; send the others in another one',
    ])
  })

  test('a query has at most 16 statements', async () => {
    const query = (count: number) =>
      influx.inject({ method: 'POST', url: '/query', query: { q: 'show databases;'.repeat(count) } })
    expect((await query(16)).statusCode).toBe(200)
    expect((await query(17)).statusCode).toBe(400)
  })
})

describe('log lines', () => {
  const ship = (payload: string) => otlp.inject({ method: 'POST', url: '/logs', payload })
  const line = (callSid: string, more: object = {}) => JSON.stringify({ callSid, time: 1_700_000_000_000, ...more })

  test.each([
    ['blank lines', '\n'],
    ['lines of no call', 'x\n'],
    ['lines of one call', `${line('of many lines')}\n`],
    ['lines that look like JSON', '{"callSid":[[[[\n'],
  ])('a body of %s lets other requests run', async (_what, text) => {
    const body = text.repeat(Math.floor((4 * megabytes) / text.length))
    expect(await eventLoopTicksDuring(() => ship(body))).toBeGreaterThan(15)
  })

  test('lines of up to 2,000 calls and of up to 65,536 characters are stored', async () => {
    const lines = Array.from({ length: 2500 }, () => line(randomUUID()))
    expect((await ship(lines.join('\n'))).json()).toEqual({ stored: 2000, dropped: 500 })
    const long = line(randomUUID(), { msg: 'x'.repeat(65_536) })
    expect((await ship(long)).json()).toEqual({ stored: 0, dropped: 1 })
  })

  test('100,000 lines of a request are read', async () => {
    const one = line(randomUUID())
    expect((await ship(`${one}\n`.repeat(101_000))).json()).toEqual({ stored: 100_000, dropped: 1000 })
  })

  test('a log of more than 50,000 lines is truncated and says so', async () => {
    const call_sid = randomUUID()
    await ship(Array.from({ length: 60_000 }, (_, msg) => line(call_sid, { msg })).join('\n'))
    const logs = (await api.services.logs?.read({ call_sid, sip_callid: null } as never)) ?? []
    expect(logs.length).toBeLessThanOrEqual(50_001)
    expect(JSON.parse(logs.at(-1) ?? '')).toMatchObject({
      level: 40,
      msg: expect.stringContaining('The call has more lines'),
    })
  })
})

test('a trace with too many spans is truncated and says so', async () => {
  const trace_id = newTraceId()
  for (const name of ['one', 'two', 'three'])
    await sendSpans(Array.from({ length: 5000 }, () => otlpSpan(trace_id, { name })))
  const trace = await api.services.traces.read(trace_id)
  expect([trace?.is_cut, trace?.cut_at]).toEqual([true, 'end'])
  expect((await readStored(trace_id))?.length).toBeLessThanOrEqual(11_000)
})
