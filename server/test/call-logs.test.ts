import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Call } from '@patchbay/contract/recent-calls'
import { registerLogIngest } from '@patchbay/server/call-data/ingest/log-ingest'
import { createCloudWatchLogs } from '@patchbay/server/call-data/logs/cloudwatch-logs'
import { createSqlLogs } from '@patchbay/server/call-data/logs/sql-logs'
import { removeBefore } from '@patchbay/server/call-data/retention'
import { isSigned } from '@patchbay/testkit/fakes/aws-signature'
import { isClickHouse } from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import { getPort } from '@patchbay/testkit/servers/ports'
import { openTestApi } from '@patchbay/testkit/test-world'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { callRecord, statusAndMessage } from './fixtures.ts'
import { openTraceIntake } from './trace-intake.ts'

/** Log lines of calls, from log shippers or CloudWatch to the API response, with access control. */

const api = await openTestApi()
const service_provider_sid = await api.provider()
const intake = openTraceIntake(api)
registerLogIngest(intake, { logger: api.app.log, sink: api.sinks.logs })

const newCall = async (more: { call_sid?: string; sip_callid?: string } = {}) => {
  const account_sid = await api.account(service_provider_sid)
  const record = callRecord(account_sid, { service_provider_sid, ...more })
  await api.sinks.calls.store([record])
  return { account_sid, call_sid: record.call_sid ?? '', sip_callid: record.sip_callid ?? '' }
}

const ship = (lines: readonly string[], headers: Record<string, string> = {}) =>
  intake.inject({ method: 'POST', url: '/logs', payload: lines.join('\n'), headers })

const requestLogs = ({ account_sid, call_sid }: { account_sid: string; call_sid: string }) =>
  api.admin.get(`/Accounts/${account_sid}/RecentCalls/${call_sid}/logs`)

const line = (ids: object, msg: string, time = 1_700_000_000_000): string =>
  JSON.stringify({ level: 30, time, ...ids, msg })

test('API-057 lines that name a call are returned unchanged, and others are dropped', async () => {
  const call = await newCall()
  const first = line({ callSid: call.call_sid }, 'first')
  const second = line({ callId: call.sip_callid }, 'second', 1_700_000_000_001)
  const answer = await ship([first, 'no JSON', '', line({}, 'of no call'), '7', '{"callSid":7}', second])
  expect([answer.statusCode, answer.json()]).toEqual([200, { stored: 2, dropped: 4 }])
  await ship([first])
  expect((await requestLogs(call)).body).toEqual([first, second])
})

test('API-057 without a call record, the response is 404; with a record and no lines, it is an empty list', async () => {
  const call = await newCall()
  const other = await newCall()
  expect(await requestLogs(call)).toMatchObject({ status: 200, body: [] })
  const unknown: [number, string] = [404, 'Call not found']
  for (const call_sid of [randomUUID(), other.call_sid])
    expect(statusAndMessage(await requestLogs({ ...call, call_sid }))).toEqual(unknown)
  expect((await requestLogs({ ...call, call_sid: 'x' })).status).toBe(404)
})

test('a provider gets an error that names the right path', async () => {
  const { call_sid } = await newCall()
  const answer = await api.admin.get(`/ServiceProviders/${service_provider_sid}/RecentCalls/${call_sid}/logs`)
  expect(statusAndMessage(answer)).toEqual([400, expect.stringContaining('/Accounts/{account_sid}/RecentCalls')])
})

test('gzipped lines are stored', async () => {
  const call = await newCall()
  const text = line({ callSid: call.call_sid }, 'zipped')
  const payload = gzipSync(`${text}\r\n`)
  await intake.inject({ method: 'POST', url: '/logs', payload, headers: { 'content-encoding': 'gzip' } })
  expect((await requestLogs(call)).body).toEqual([text])
})

test.skipIf(isClickHouse)('lines are deleted after the retention period', async () => {
  const { database } = api.test
  const [call, old] = [await newCall(), await newCall()]
  const text = line({ callSid: call.call_sid }, 'new')
  await ship([text])
  await createSqlLogs(database, () => 1000).store([
    { call_id: old.call_sid, text: line({ callSid: old.call_sid }, 'old') },
  ])
  expect((await requestLogs(old)).body).toEqual([line({ callSid: old.call_sid }, 'old')])
  await removeBefore(database, 'calls', 2000)
  expect((await requestLogs(old)).body).toEqual([])
  expect((await requestLogs(call)).body).toEqual([text])
})

test('requests of web pages and too large bodies are rejected', async () => {
  expect((await ship(['{}'], { origin: 'https://example.org' })).statusCode).toBe(403)
  const payload = gzipSync(Buffer.alloc(9_000_000, 'x'))
  const headers = { 'content-encoding': 'gzip' }
  expect((await intake.inject({ method: 'POST', url: '/logs', payload, headers })).statusCode).toBe(413)
})

describe('CloudWatch', () => {
  afterEach(() => void vi.unstubAllEnvs())
  const key = { id: 'AKIAEXAMPLE', secret: 's3cret-of-the-platform' }
  const call = {
    call_sid: 'call-1',
    sip_callid: 'a"b@host',
    attempted_at: '2026-11-22T10:00:00.000Z',
    terminated_at: '2026-11-22T10:01:00.000Z',
  } as Call

  /** FilterLogEvents of the CloudWatch Logs API with two pages. */
  const cloudWatch = async (status = 200) => {
    const requests: Record<string, unknown>[] = []
    const answerTo = async (request: IncomingMessage, answer: ServerResponse) => {
      const body = Buffer.concat(await request.toArray())
      const isRight =
        isSigned(request, 'logs', key, body) && request.headers['x-amz-target'] === 'Logs_20140328.FilterLogEvents'
      const question = JSON.parse(body.toString('utf8')) as Record<string, unknown>
      requests.push(question)
      const page = question['nextToken']
        ? { events: [{ message: 'three' }] }
        : { events: [{ message: 'one' }, { message: 'two' }], nextToken: 'more' }
      answer
        .writeHead(isRight ? status : 403, { 'content-type': 'application/x-amz-json-1.1' })
        .end(JSON.stringify(isRight && status === 200 ? page : { __type: 'AccessDeniedException' }))
    }
    const server = createServer((request, answer) => void answerTo(request, answer)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDWATCH_LOGS', `http://127.0.0.1:${getPort(server)}`)
    vi.stubEnv('AWS_ACCESS_KEY_ID', key.id)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', key.secret)
    return { asked: requests, stop: () => server.close() }
  }

  test('is queried from one minute before to one minute after the call, by both ids, for all pages', async () => {
    const cloudWatchServer = await cloudWatch()
    expect(await createCloudWatchLogs('us-east-1').read(call)).toEqual(['one', 'two', 'three'])
    expect(cloudWatchServer.asked[0]).toEqual({
      logGroupName: 'jambonz-feature_server',
      startTime: Date.parse('2026-11-22T09:59:00.000Z'),
      endTime: Date.parse('2026-11-22T10:02:00.000Z'),
      filterPattern: String.raw`{ ($.callSid = "call-1") || ($.callId = "a\"b@host") }`,
    })
    expect(cloudWatchServer.asked[1]).toMatchObject({ nextToken: 'more' })
    cloudWatchServer.stop()
  })

  test('that rejects the request causes an error instead of an empty log', async () => {
    const cloudWatchServer = await cloudWatch(400)
    await expect(createCloudWatchLogs('us-east-1').read(call, 'another-group')).rejects.toMatchObject({
      name: 'AccessDeniedException',
    })
    cloudWatchServer.stop()
  })
})
