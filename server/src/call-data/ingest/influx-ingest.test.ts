import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import pino from 'pino'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { AlertRecord } from '../alerts/alert-record.ts'
import type { CallRating, CallRecord } from '../calls/call-record.ts'
import { createInfluxIntake, type IntakeOptions } from './influx-ingest.ts'
import type { IntakeSink } from './store-points.ts'

const create = (more: Partial<IntakeOptions> = {}) => {
  const calls: CallRecord[] = []
  const alerts: AlertRecord[] = []
  const ratings: CallRating[] = []
  const sink: IntakeSink = {
    writeCalls: async (records) => void calls.push(...records),
    writeAlerts: async (records) => void alerts.push(...records),
    rateCalls: async (added) => {
      ratings.push(...added)
      return added.map(({ account_sid }) => (account_sid === 'AC' ? undefined : 'there is no such call'))
    },
  }
  const app = createInfluxIntake({ sink, logger: pino({ level: 'silent' }), ...more })
  openServers.push(app)
  return { app, calls, alerts, ratings }
}
const openServers: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  await Promise.all(openServers.splice(0).map((app) => app.close()))
})

const noRatings = () => Promise.resolve([])
const fail = () => Promise.reject(new Error('SQLITE_FULL: database or disk is full'))

const line = (call: string, more = '') =>
  `cdrs,account_sid=A,direction=inbound,answered=true call_sid="${call}",duration=4${more} 1000000`

describe('queries', () => {
  test.each(['GET', 'POST'] as const)('%s lists and creates databases', async (method) => {
    const { app } = create()
    const createResponse = await app.inject({ method, url: '/query', query: { q: 'CREATE DATABASE "my \\"own\\""' } })
    expect(createResponse.json()).toEqual({ results: [{ statement_id: 0 }] })
    const listResponse = await app.inject({ method, url: '/query', query: { q: 'show databases' } })
    expect(listResponse.json().results[0].series[0].values.flat()).toEqual(
      expect.arrayContaining(['cdrs', 'alerts', 'my "own"']),
    )
  })

  test('accepts a query in a form', async () => {
    const { app } = create()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await app.inject({
      method: 'POST',
      url: '/query',
      headers,
      payload: 'q=SHOW+DATABASES%3B+create+database+x',
    })
    expect(response.json().results).toHaveLength(2)
  })

  test('rejects other statements', async () => {
    const { app } = create()
    for (const q of ['', 'DROP DATABASE cdrs', 'SELECT * FROM cdrs']) {
      const response = await app.inject({ url: '/query', query: { q } })
      expect(response.statusCode).toBe(400)
      expect(response.json().error).toEqual(expect.any(String))
    }
  })

  test.each(['GET', 'HEAD'] as const)('%s /ping returns the version', async (method) => {
    const { app } = create({ credentials: { username: 'u', password: 'p' } })
    const response = await app.inject({ method, url: '/ping' })
    expect(response.statusCode).toBe(204)
    expect(response.headers['x-influxdb-version']).toMatch(/^1\.8\./)
  })

  test('rejects a request that is much larger than a query', async () => {
    const { app } = create()
    const response = await app.inject({ method: 'POST', url: '/query', payload: `q=${'x'.repeat(70_000)}` })
    expect(response.statusCode).toBe(413)
    expect(response.json()).toEqual({ error: 'the body is too large' })
  })

  test('lists all known databases after the start', async () => {
    const response = await create().app.inject({ url: '/query', query: { q: 'show databases' } })
    expect(response.json().results[0].series[0].values.flat().toSorted()).toEqual([
      '_internal',
      'alerts',
      'app_call_counts',
      'call_counts',
      'cdrs',
      'krisp_usage',
      'llm_usage',
      'sp_call_counts',
      'system_alerts',
    ])
  })
})

describe('writes', () => {
  test('stores calls and alerts, and accepts and drops everything else', async () => {
    const { app, calls, alerts } = create()
    const post = (db: string, payload: string) => app.inject({ method: 'POST', url: '/write', query: { db }, payload })
    expect((await post('cdrs', `${line('a')}\ncdrs_by_end,account_sid=A call_sid="a" 5`)).statusCode).toBe(204)
    expect((await post('alerts', 'alerts,alert_type=no-tts,account_sid=A message="m"')).statusCode).toBe(204)
    expect((await post('call_counts', 'call_counts,account_sid=A calls_in_progress=3')).statusCode).toBe(204)
    expect(calls.map(({ call_sid }) => call_sid)).toEqual(['a'])
    expect(alerts).toHaveLength(1)
  })

  test.each(['application/x-www-form-urlencoded', 'application/json', 'text/plain', 'application/octet-stream'])(
    'accepts points with the content type %s',
    async (type) => {
      const { app, calls } = create()
      const headers = { 'content-type': type }
      const response = await app.inject({ method: 'POST', url: '/write?db=cdrs', headers, payload: line('a') })
      expect(response.statusCode).toBe(204)
      expect(calls).toHaveLength(1)
    },
  )

  test('stores valid lines and names the rejected ones', async () => {
    const { app, calls } = create()
    const bad = [
      'nonsense',
      line('d', ',sip_status="abc"'),
      'cdrs,direction=inbound call_sid="e" 1',
      'cdrs,account_sid=undefined call_sid="f" 1',
    ]
    const response = await app.inject({
      method: 'POST',
      url: '/write?db=cdrs',
      payload: [line('a'), bad[0], line('b'), ...bad.slice(1)].join('\n'),
    })
    expect(response.statusCode).toBe(400)
    expect(response.json().error).toBe(
      'partial write: line 2: there are no fields; line 4: sip_status must be a number; line 5: account_sid is missing; line 6: account_sid is missing dropped=4',
    )
    expect(calls.map(({ call_sid }) => call_sid)).toEqual(['a', 'b'])
  })

  test('names at most ten rejected lines and counts all', async () => {
    const { app } = create()
    const response = await app.inject({ method: 'POST', url: '/write?db=cdrs', payload: 'x\n'.repeat(25) })
    const { error } = response.json()
    expect(error.match(/line \d+:/g)).toEqual(Array.from({ length: 10 }, (_, at) => `line ${at + 1}:`))
    expect(error).toMatch(/ dropped=25$/)
  })

  test.each(['application/x-www-form-urlencoded', 'application/json', 'text/plain; charset=utf-8', 'nonsense'])(
    'ignores the content type %s of the client',
    async (type) => {
      const { app, calls } = create()
      const headers = { 'content-type': type }
      const response = await app.inject({
        method: 'POST',
        url: '/write?db=cdrs',
        headers,
        payload: line('a', ',note="50%"'),
      })
      expect(response.statusCode).toBe(204)
      expect(calls.map(({ extra }) => extra['note'])).toEqual(['50%'])
    },
  )

  test.each(['n', 'ns', 'u', 'µ', 'ms', 's', 'm', 'h', ''])(
    'reads timestamps with the precision %j',
    async (precision) => {
      const { app, calls } = create({ now: () => 99n })
      const payload = 'cdrs,account_sid=A from="1",duration=1 2\ncdrs,account_sid=A from="1",duration=1'
      await app.inject({ method: 'POST', url: '/write', query: { db: 'cdrs', precision }, payload })
      const units = {
        n: 1n,
        ns: 1n,
        u: 1000n,
        µ: 1000n,
        ms: 10n ** 6n,
        s: 10n ** 9n,
        m: 60n * 10n ** 9n,
        h: 3600n * 10n ** 9n,
        '': 1n,
      }
      expect(calls.map(({ time }) => time)).toEqual([
        2n * (Object.entries(units).find(([unit]) => unit === precision)?.[1] ?? 0n),
        99n,
      ])
    },
  )

  test('drops points of a database with the name of an object property', async () => {
    const { app, calls, alerts } = create()
    const response = await app.inject({ method: 'POST', url: '/write?db=constructor', payload: 'constructor f=1' })
    expect(response.statusCode).toBe(204)
    expect([...calls, ...alerts]).toEqual([])
  })

  test('accepts compressed bodies but rejects a decompression bomb', async () => {
    const { app, calls } = create({ bodyLimit: 10_000 })
    const send = (payload: Buffer) =>
      app.inject({
        method: 'POST',
        url: '/write?db=cdrs&precision=n&rp=',
        headers: { 'content-encoding': 'gzip' },
        payload,
      })
    expect((await send(gzipSync(line('zipped')))).statusCode).toBe(204)
    expect(calls).toHaveLength(1)
    expect((await send(gzipSync('x'.repeat(1_000_000)))).statusCode).toBe(413)
    expect((await send(Buffer.from('no gzip'))).statusCode).toBe(400)
  })

  test('rejects a large body with 413, and a missing database or unknown precision with 400', async () => {
    const { app } = create({ bodyLimit: 1000 })
    const post = (url: string, payload: string) => app.inject({ method: 'POST', url, payload })
    expect((await post('/write?db=cdrs', 'x'.repeat(2000))).statusCode).toBe(413)
    expect((await post('/write', line('a'))).statusCode).toBe(400)
    expect((await post('/write?db=cdrs&precision=weeks', line('a'))).statusCode).toBe(400)
  })

  test('returns 500 without the error message if the store fails', async () => {
    const { app } = create({ sink: { writeCalls: fail, writeAlerts: fail, rateCalls: fail } })
    const response = await app.inject({ method: 'POST', url: '/write?db=cdrs', payload: line('a') })
    expect(response.statusCode).toBe(500)
    expect(response.json()).toEqual({ error: 'the points could not be stored, send them again' })
  })

  test('returns 500 if the store fails with an error code of another library', async () => {
    for (const code of ['Z_DATA_ERROR', 'FST_ERR_CTP_BODY_TOO_LARGE', 'ERR_BUFFER_TOO_LARGE']) {
      const failWithCode = () => Promise.reject(Object.assign(new Error('no'), { code }))
      const { app } = create({ sink: { writeCalls: failWithCode, writeAlerts: failWithCode, rateCalls: failWithCode } })
      const response = await app.inject({ method: 'POST', url: '/write?db=cdrs', payload: line('a') })
      expect(response.statusCode).toBe(500)
    }
  })

  test('responds only after the points are stored', async () => {
    let stored = false
    const writeCalls = async () => {
      await new Promise((done) => setImmediate(done))
      stored = true
    }
    const { app } = create({ sink: { writeCalls, writeAlerts: writeCalls, rateCalls: noRatings } })
    await app.inject({ method: 'POST', url: '/write?db=cdrs', payload: line('a') })
    expect(stored).toBe(true)
  })
})

test('returns 404 for an unknown path', async () => {
  const response = await create().app.inject('/debug/vars?p=secret')
  expect(response.statusCode).toBe(404)
  expect(response.json()).toEqual({ error: 'not found' })
})

test('logs a failed store but never a password', async () => {
  const log: string[] = []
  const logger = pino({ level: 'trace' }, { write: (entry) => void log.push(entry) })
  const credentials = { username: 'writer', password: 'hunter2' }
  const { app } = create({ logger, credentials, sink: { writeCalls: fail, writeAlerts: fail, rateCalls: fail } })
  for (const url of ['/write?db=cdrs&u=writer&p=hunter2', '/nowhere?u=writer&p=hunter2', '/write?u=writer&p=hunter2'])
    await app.inject({ method: 'POST', url, payload: line('a') })
  expect(log.join('')).toContain('disk is full')
  expect(log.join('')).not.toContain('hunter2')
})

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

test('rejects requests without the configured credentials', async () => {
  const { app, calls } = create({ credentials: { username: 'writer', password: 'secret' } })
  const post = (url: string, authorization?: string) =>
    app.inject({ method: 'POST', url, payload: line('a'), headers: authorization ? { authorization } : {} })
  expect((await post('/write?db=cdrs')).statusCode).toBe(401)
  expect((await post('/write?db=cdrs', basic('root:root'))).statusCode).toBe(401)
  expect(calls).toEqual([])
  expect((await post('/write?db=cdrs', basic('writer:secret'))).statusCode).toBe(204)
  expect((await post('/write?db=cdrs&u=writer&p=secret')).statusCode).toBe(204)
  expect((await post('/write?db=cdrs&u=writer&p=secre')).statusCode).toBe(401)
  const queryResponse = await app.inject('/query?q=show+databases')
  expect(queryResponse.statusCode).toBe(401)
  expect(queryResponse.headers['www-authenticate']).toMatch(/^Basic /)
  expect(queryResponse.json()).toEqual({ error: 'authorization failed' })
})

test('a point without call, numbers, and Call-ID is the cost of a call, or rejected, and never a call', async () => {
  const { app, calls, ratings } = create()
  const post = (lines: readonly string[]) =>
    app.inject({ method: 'POST', url: '/write?db=cdrs', payload: lines.join('\n') })
  const tags = 'cdrs,account_sid=AC,direction=inbound,answered=true'
  const response = await post([
    `${tags} cost=0.25,rate=1.5,billed_seconds=60 1000001`,
    `${tags} duration=4 1000002`,
    `${tags} call_sid="",from="",cost=1 1000003`,
    `${tags} from="1508",duration=4 1000004`,
    'cdrs,account_sid=other,direction=inbound,answered=true cost=2 1000005',
  ])
  expect([response.statusCode, response.json()]).toEqual([
    400,
    {
      error:
        'partial write: line 2: the call is unknown: call_sid, sip_callid, from, and to are missing; line 5: there is no such call dropped=2',
    },
  ])
  expect(calls.map(({ from }) => from)).toEqual(['1508'])
  expect(ratings.map(({ time, cost, rate, billed_seconds }) => [time, cost, rate, billed_seconds])).toEqual([
    [1_000_001n, 0.25, 1.5, 60],
    [1_000_003n, 1, null, null],
    [1_000_005n, 2, null, null],
  ])
})

interface TimeSeries {
  writeCdrs(cdrs: object[]): Promise<void>
  writeAlerts(alerts: object[]): Promise<void>
}
const isClient = (value: unknown): value is (logger: object, options: object) => TimeSeries =>
  typeof value === 'function'

const cdr = (call_sid: string, more: object = {}) => ({
  account_sid: 'AC',
  service_provider_sid: 'SP',
  direction: 'inbound',
  host: '10.0.0.5',
  trunk: 'twilio',
  answered: true,
  attempted_at: new Date('2025-02-24T13:11:51.969Z'),
  answered_at: 1_740_402_714_969,
  terminated_at: 1_740_402_716_153,
  call_sid,
  duration: 45,
  from: '15083084809',
  to: '18882349999',
  remote_host: '3.55.24.34',
  sip_callid: `${call_sid}@host`,
  sip_status: 200,
  termination_reason: 'caller hungup',
  ...more,
})

const connect = async (more: Partial<IntakeOptions> = {}) => {
  const intake = create(more)
  const address = new URL(await intake.app.listen({ host: '127.0.0.1', port: 0 }))
  // The e2e workspace declares the package.
  const load: unknown = createRequire(new URL('../../../../e2e/package.json', import.meta.url))('@jambonz/time-series')
  if (!isClient(load)) throw new Error('the package has changed')
  const client = load({}, { host: address.hostname, port: Number(address.port) })
  return { ...intake, client }
}

describe('the published client of jambonz, unchanged', () => {
  test('writes calls', async () => {
    const { client, calls } = await connect()
    const trunk = 'Zürich, "Main" = ☎ 日本'
    const termination_reason = 'said "bye" \\ left,\nfor = good'
    await client.writeCdrs([
      cdr('a'),
      cdr('b', { trunk, termination_reason }),
      cdr('c', { answered: false, duration: 0 }),
    ])
    expect(calls.map(({ call_sid, answered, duration }) => ({ call_sid, answered, duration }))).toEqual([
      { call_sid: 'a', answered: true, duration: 45 },
      { call_sid: 'b', answered: true, duration: 45 },
      { call_sid: 'c', answered: false, duration: 0 },
    ])
    expect(calls[1]).toMatchObject({
      trunk,
      termination_reason,
      account_sid: 'AC',
      answered_at: 1_740_402_714_969,
      extra: {},
    })
    expect(calls.map(({ time }) => time / 1_000_000n)).toEqual([
      1_740_402_711_969n,
      1_740_402_711_969n,
      1_740_402_711_969n,
    ])
    // The client gives calls of the same millisecond different nanoseconds. Rounding would merge them.
    expect(new Set(calls.map(({ time }) => time)).size).toBe(3)
  })

  test('writes alerts', async () => {
    const { client, alerts } = await connect({ now: () => 12n })
    await client.writeAlerts([
      {
        alert_type: 'webhook-failure',
        account_sid: 'AC',
        service_provider_sid: 'SP',
        url: 'http://foo.bar/?a=b, c',
        status: 404,
      },
      { alert_type: 'no-tts', service_provider_sid: 'SP', vendor: 'my vendor', target_sid: 'CS', detail: 'x' },
    ])
    expect(alerts).toMatchObject([
      {
        time: 12n,
        account_sid: 'AC',
        alert_type: 'webhook-failure',
        message: 'http://foo.bar/?a=b, c returned 404',
      },
      { time: 12n, account_sid: null, vendor: 'my vendor', target_sid: 'CS', detail: 'x' },
    ])
  })

  test('receives the rejected lines in an error while the others are stored', async () => {
    const consoleLog = vi.spyOn(console, 'log').mockReturnValue()
    const { client, calls } = await connect()
    const batch = [cdr('a'), cdr('b', { account_sid: undefined }), cdr('c', { recording_url: undefined }), cdr('d')]
    await expect(client.writeCdrs(batch)).rejects.toThrow(
      'partial write: line 2: account_sid is missing; line 3: field recording_url has the invalid value undefined dropped=2',
    )
    expect(calls.map(({ call_sid }) => call_sid)).toEqual(['a', 'd'])
    consoleLog.mockRestore()
  })

  test('always sends root:root, which is accepted without configured credentials and if these are configured', async () => {
    const { client, calls } = await connect({ credentials: { username: 'root', password: 'root' } })
    await client.writeCdrs([cdr('a')])
    expect(calls).toHaveLength(1)
    const other = await connect({ credentials: { username: 'root', password: 'other' } })
    await expect(other.client.writeCdrs([cdr('a')])).rejects.toThrow('authorization failed')
  })
})
