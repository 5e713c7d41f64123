import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { createClickHouse } from '@patchbay/server/call-data/clickhouse/clickhouse'
import { type Behavior, behaviorNames, behaviors } from '@patchbay/testkit/peers/hostile-peer'
import {
  type ClickHouseDatabase,
  createClickHouseDatabase,
} from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import { type ClickHouseProxy, startClickHouseProxy } from '@patchbay/testkit/servers/clickhouse/faulty-proxy'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { callRecord, seenMessage, storeTrace } from '../test/fixtures.ts'

/** Responses of the API when ClickHouse fails after it has worked, or when another server is at its address. */

let database: ClickHouseDatabase
let proxy: ClickHouseProxy
let api: TestApi
let account_sid: string
let service_provider_sid: string
const call_sid = randomUUID()
const trace_id = randomUUID().replaceAll('-', '')

beforeAll(async () => {
  database = await createClickHouseDatabase()
  proxy = await startClickHouseProxy(database.settings.CLICKHOUSE_URL)
  api = await createTestApi(proxy.settings)
  service_provider_sid = await api.provider()
  account_sid = await api.account(service_provider_sid)
  await api.sinks.calls.store([callRecord(account_sid, { service_provider_sid, call_sid, trace_id })])
})

afterAll(async () => {
  await api.close()
  await proxy.stop()
  await database.drop()
})

beforeEach(() => proxy.behave(undefined))

/** Reads of each kind of call data. */
const listReads = (): string[] => {
  const account = `/Accounts/${account_sid}`
  const page = 'page=1&count=25'
  return [
    `${account}/RecentCalls?${page}`,
    `${account}/RecentCalls/trace/${trace_id}`,
    `${account}/RecentCalls/${call_sid}/logs`,
    `${account}/RecentCalls/${randomUUID()}`,
    `/ServiceProviders/${service_provider_sid}/RecentCalls?${page}`,
  ]
}

const respond =
  (body: string, ...headers: string[]): Behavior =>
  async (socket: Socket) => {
    const head = ['HTTP/1.1 200 OK', `content-length: ${Buffer.byteLength(body)}`, 'connection: close', ...headers]
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  }

const fromClickHouse = (body: string) => respond(body, 'x-clickhouse-query-id: a', 'x-clickhouse-exception-tag: abc')

const secret = "SELECT secret FROM calls WHERE account_sid = 'other'"
const timeoutText = `Code: 159. DB::Exception: Timeout exceeded: ${secret}. (TIMEOUT_EXCEEDED)`

const brokenResults: Record<string, string> = {
  'an exception after rows': `{"count":"1"}\n${timeoutText}\n`,
  'a marked exception after rows': `{"count":"1"}\n\r\n__exception__\r\nabc\r\n${timeoutText}\n100 abc\r\n__exception__\r\n`,
  'an exception without a line end': timeoutText,
  'a row without an end': '{"count":"1"}',
  'a number': '5\n',
  null: 'null\n',
  'a list': '[1]\n',
  'a cut off row': '{"count":"1"}\n{"cou',
  HTML: '<html>It works!</html>\n',
}

const readAll = async () =>
  Promise.all(
    listReads().map(async (path) => {
      const { status, text } = await api.admin.get(path)
      return { path, status, text }
    }),
  )

/** Returns the reads whose response is not a 503 with a message of Patchbay. */
const findErrors = async () =>
  (await readAll()).filter(
    ({ status, text }) =>
      status !== 503 ||
      !/The call data cannot be reached|reads too much call data/.test(text) ||
      /SELECT|secret|Exception|patchbay:|x-clickhouse|html/.test(text),
  )

/** Only the time limit of a statement ends these responses. They are tested with a shorter limit. */
const slowBehaviors = [
  'nothing at all',
  'one byte at a time',
  'interim responses without an end',
  'an upgrade that nobody asked for',
] as const

test('reads succeed while ClickHouse responds, and again after it failed', async () => {
  expect((await readAll()).map(({ status }) => status)).toEqual([200, 404, 200, 200, 200])
  proxy.behave(behaviors['the end of the connection before the body'])
  expect(await findErrors()).toEqual([])
  proxy.behave(undefined)
  expect((await readAll()).map(({ status }) => status)).toEqual([200, 404, 200, 200, 200])
})

describe('reads fail with 503, without text of the response, for', () => {
  const quick = behaviorNames.filter((name) => !slowBehaviors.some((slow) => slow === name))

  test.each(quick)('%s', async (name) => {
    const before = [proxy.peer.bytesTaken(), proxy.peer.connections()] as const
    proxy.behave(behaviors[name])
    expect(await findErrors()).toEqual([])
    await proxy.peer.untilAbandoned()
    const connections = proxy.peer.connections() - before[1]
    // The limit of a response, and what the operating system has accepted before the connection was closed.
    expect(proxy.peer.bytesTaken() - before[0]).toBeLessThan(Math.max(1, connections) * 80 * 2 ** 20)
  })

  test.each(Object.entries(brokenResults))('a result with %s', async (_name, body) => {
    proxy.behave(fromClickHouse(body))
    expect(await findErrors()).toEqual([])
  })

  test.each(['', '{"count":"1"}\n'])('a response of another server: %j', async (body) => {
    proxy.behave(respond(body))
    expect(await findErrors()).toEqual([])
  })
})

test('a search that exceeds a limit after its first rows names the limit', async () => {
  proxy.behave(fromClickHouse(brokenResults['an exception after rows'] ?? ''))
  const [first] = await readAll()
  expect(first?.text).toContain('The search reads too much call data. Choose a shorter period or more filters.')
})

describe('a statement ends at its time limit if ClickHouse', () => {
  const timeoutMs = 300
  const statements = {
    query: (clickHouse: Awaited<ReturnType<typeof createClickHouse>>) => clickHouse.query('SELECT 1', {}),
    insert: (clickHouse: Awaited<ReturnType<typeof createClickHouse>>) => clickHouse.insert('calls', [{}], 'token'),
    command: (clickHouse: Awaited<ReturnType<typeof createClickHouse>>) => clickHouse.command('DROP TABLE missing'),
  }

  test.each([...slowBehaviors, 'a 500 response without an end'] as const)('sends %s', async (name) => {
    const { clickHouse: address } = api.services.configuration
    if (address === null) throw new Error('no ClickHouse is configured')
    const clickHouse = await createClickHouse(address, timeoutMs)
    proxy.behave(behaviors[name])
    for (const run of Object.values(statements)) await expect(run(clickHouse)).rejects.toBeInstanceOf(Error)
    await proxy.peer.untilAbandoned()
    await clickHouse.close()
  })
})

test('a query whose caller has disconnected does not reach ClickHouse', async () => {
  const { clickHouse: address } = api.services.configuration
  if (address === null) throw new Error('no ClickHouse is configured')
  const clickHouse = await createClickHouse(address)
  const before = proxy.peer.connections()
  await expect(clickHouse.query('SELECT 1', {}, AbortSignal.abort())).rejects.toMatchObject({
    code: 'client_closed_request',
  })
  expect(proxy.peer.connections()).toBe(before)
  const disconnection = new AbortController()
  proxy.behave(async (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx-clickhouse-query-id: a\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n', () =>
      disconnection.abort(),
    )
  })
  await expect(clickHouse.query('SELECT 1', {}, disconnection.signal)).rejects.toMatchObject({
    code: 'client_closed_request',
  })
  await proxy.peer.untilAbandoned()
  await clickHouse.close()
})

test('records that another server accepts in the place of ClickHouse are kept until ClickHouse has stored them', async () => {
  const own = await api.account(service_provider_sid)
  const sip_callid = randomUUID()
  proxy.behave(respond(''))
  await api.sinks.calls.store([callRecord(own, { service_provider_sid })])
  await api.sinks.captures.store([seenMessage(sip_callid)])
  const trace = await storeTrace(api)
  proxy.behave(undefined)
  const total = async () => (await api.admin.get(`/Accounts/${own}/RecentCalls?page=1&count=25`)).body
  await expect.poll(total).toMatchObject({ total: 1 })
  const count = async (table: string) => database.query(`SELECT count() FROM ${table}`)
  await expect.poll(() => count(`sip_messages WHERE sip_callid = '${sip_callid}'`)).toBe('1\n')
  await expect.poll(() => count(`trace_parts WHERE trace_id = '${trace}'`)).toBe('1\n')
})

test('300 parallel reads of two tenants return only their own calls, or an error while ClickHouse fails', async () => {
  const tenants = await Promise.all(
    [1, 2].map(async () => {
      const account = await api.account(service_provider_sid)
      const { caller } = await api.apiKey({ account_sid: account })
      const from = randomUUID()
      await api.sinks.calls.store([callRecord(account, { service_provider_sid, from })])
      return { from, read: () => caller.get(`/Accounts/${account}/RecentCalls?page=1&count=25`) }
    }),
  )
  const readRepeatedly = () =>
    Promise.all(
      tenants.map(async ({ read }) => {
        const responses = await Promise.all(Array.from({ length: 150 }, read))
        return { statuses: new Set(responses.map(({ status }) => status)), bodies: responses.map(({ text }) => text) }
      }),
    )
  for (const [position, { statuses, bodies }] of (await readRepeatedly()).entries()) {
    // Requests beyond the concurrency limit of a tenant are rejected.
    expect([...statuses].filter((status) => status !== 429)).toEqual([200])
    expect(bodies.some((text) => text.includes(tenants[position]?.from ?? ''))).toBe(true)
    expect(bodies.filter((text) => text.includes(tenants[1 - position]?.from ?? ''))).toEqual([])
  }
  proxy.behave(behaviors['a 500 response of 561 MB'])
  for (const { statuses, bodies } of await readRepeatedly()) {
    expect([...statuses].filter((status) => status !== 429)).toEqual([503])
    for (const body of bodies) expect(body).not.toMatch(/SELECT|xxx|patchbay:/)
  }
  proxy.behave(undefined)
  for (const { read } of tenants) expect((await read()).status).toBe(200)
})
