import pino from 'pino'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { alertFromPoint, callFromPoint } from './parse-call-point.ts'
import { createInfluxIntake, type IntakeOptions } from './influx-ingest.ts'
import type { Point } from './line-protocol.ts'

const create = (more: Partial<IntakeOptions> = {}) => {
  const calls: Point[] = []
  const alerts: Point[] = []
  const sink = {
    writeCalls: async (points: readonly Point[]) => void calls.push(...points),
    writeAlerts: async (points: readonly Point[]) => void alerts.push(...points),
  }
  const app = createInfluxIntake({ sink, logger: pino({ level: 'silent' }), ...more })
  opened.push(app)
  return { app, calls, alerts }
}
const opened: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((app) => app.close()))
})

const fail = () => Promise.reject(new Error('SQLITE_FULL: database or disk is full'))

const line = (call: string, more = '') =>
  `cdrs,account_sid=A,direction=inbound,answered=true call_sid="${call}",duration=4${more} 1000000`

describe('queries', () => {
  test.each(['GET', 'POST'] as const)('%s: databases are listed, and made', async (method) => {
    const { app } = create()
    const made = await app.inject({ method, url: '/query', query: { q: 'CREATE DATABASE "my \\"own\\""' } })
    expect(made.json()).toEqual({ results: [{ statement_id: 0 }] })
    const listed = await app.inject({ method, url: '/query', query: { q: 'show databases' } })
    expect(listed.json().results[0].series[0].values.flat()).toEqual(
      expect.arrayContaining(['cdrs', 'alerts', 'my "own"']),
    )
  })

  test('may come as a form', async () => {
    const { app } = create()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await app.inject({
      method: 'POST',
      url: '/query',
      headers,
      payload: 'q=SHOW+DATABASES%3B+create+database+x',
    })
    expect(answer.json().results).toHaveLength(2)
  })

  test('anything else is refused', async () => {
    const { app } = create()
    for (const q of ['', 'DROP DATABASE cdrs', 'SELECT * FROM cdrs']) {
      const answer = await app.inject({ url: '/query', query: { q } })
      expect(answer.statusCode).toBe(400)
      expect(answer.json().error).toEqual(expect.any(String))
    }
  })

  test.each(['GET', 'HEAD'] as const)('%s: ping tells the version', async (method) => {
    const { app } = create({ credentials: { username: 'u', password: 'p' } })
    const answer = await app.inject({ method, url: '/ping' })
    expect(answer.statusCode).toBe(204)
    expect(answer.headers['x-influxdb-version']).toMatch(/^1\.8\./)
  })

  test('nothing is sent that is far larger than a query', async () => {
    const { app } = create()
    const answer = await app.inject({ method: 'POST', url: '/query', payload: `q=${'x'.repeat(70_000)}` })
    expect(answer.statusCode).toBe(413)
    expect(answer.json()).toEqual({ error: 'the body is too large' })
  })

  test('all known databases are there at first', async () => {
    const answer = await create().app.inject({ url: '/query', query: { q: 'show databases' } })
    expect(answer.json().results[0].series[0].values.flat().toSorted()).toEqual([
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
  test('calls and alerts are kept, everything else is accepted and dropped', async () => {
    const { app, calls, alerts } = create()
    const post = (db: string, payload: string) => app.inject({ method: 'POST', url: '/write', query: { db }, payload })
    expect((await post('cdrs', `${line('a')}\ncdrs_by_end,account_sid=A call_sid="a" 5`)).statusCode).toBe(204)
    expect((await post('alerts', 'alerts,alert_type=no-tts,account_sid=A message="m"')).statusCode).toBe(204)
    expect((await post('call_counts', 'call_counts,account_sid=A calls_in_progress=3')).statusCode).toBe(204)
    expect(calls.map(({ fields }) => fields['call_sid'])).toEqual(['a'])
    expect(alerts).toHaveLength(1)
  })

  test.each(['application/x-www-form-urlencoded', 'application/json', 'text/plain', 'application/octet-stream'])(
    'under the content type %s are points all the same',
    async (type) => {
      const { app, calls } = create()
      const headers = { 'content-type': type }
      const answer = await app.inject({ method: 'POST', url: '/write?db=cdrs', headers, payload: line('a') })
      expect(answer.statusCode).toBe(204)
      expect(calls).toHaveLength(1)
    },
  )

  test('valid lines are kept while the others are named', async () => {
    const { app, calls } = create()
    const bad = [
      'nonsense',
      line('d', ',sip_status="abc"'),
      'cdrs,direction=inbound call_sid="e" 1',
      'cdrs,account_sid=undefined call_sid="f" 1',
    ]
    const answer = await app.inject({
      method: 'POST',
      url: '/write?db=cdrs',
      payload: [line('a'), bad[0], line('b'), ...bad.slice(1)].join('\n'),
    })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error).toBe(
      'partial write: line 2: there are no fields; line 4: sip_status must be a number; line 5: account_sid is missing; line 6: account_sid is missing dropped=4',
    )
    expect(calls.map(({ fields }) => fields['call_sid'])).toEqual(['a', 'b'])
  })

  test('no more than ten lines are named, and all are counted', async () => {
    const { app } = create()
    const answer = await app.inject({ method: 'POST', url: '/write?db=cdrs', payload: 'x\n'.repeat(25) })
    const { error } = answer.json()
    expect(error.match(/line \d+:/g)).toEqual(Array.from({ length: 10 }, (_, at) => `line ${at + 1}:`))
    expect(error).toMatch(/ dropped=25$/)
  })

  test.each(['application/x-www-form-urlencoded', 'application/json', 'text/plain; charset=utf-8', 'nonsense'])(
    'are read whatever the client calls them: %s',
    async (type) => {
      const { app, calls } = create()
      const headers = { 'content-type': type }
      const answer = await app.inject({
        method: 'POST',
        url: '/write?db=cdrs',
        headers,
        payload: line('a', ',note="50%"'),
      })
      expect(answer.statusCode).toBe(204)
      expect(calls.map(({ fields }) => fields['note'])).toEqual(['50%'])
    },
  )

  test.each(['n', 'ns', 'u', 'µ', 'ms', 's', 'm', 'h', ''])(
    'have their time in the unit they name: %j',
    async (precision) => {
      const { app, calls } = create({ now: () => 99n })
      const payload = 'cdrs,account_sid=A duration=1 2\ncdrs,account_sid=A duration=1'
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

  test('of a name that objects have anyway are dropped like those of any other database', async () => {
    const { app, calls, alerts } = create()
    const answer = await app.inject({ method: 'POST', url: '/write?db=constructor', payload: 'constructor f=1' })
    expect(answer.statusCode).toBe(204)
    expect([...calls, ...alerts]).toEqual([])
  })

  test('may be compressed, but not into a bomb', async () => {
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

  test('too much is 413, no database 400, an unknown precision 400', async () => {
    const { app } = create({ bodyLimit: 1000 })
    const post = (url: string, payload: string) => app.inject({ method: 'POST', url, payload })
    expect((await post('/write?db=cdrs', 'x'.repeat(2000))).statusCode).toBe(413)
    expect((await post('/write', line('a'))).statusCode).toBe(400)
    expect((await post('/write?db=cdrs&precision=weeks', line('a'))).statusCode).toBe(400)
  })

  test('a store that fails is 500 without its text', async () => {
    const { app } = create({ sink: { writeCalls: fail, writeAlerts: fail } })
    const answer = await app.inject({ method: 'POST', url: '/write?db=cdrs', payload: line('a') })
    expect(answer.statusCode).toBe(500)
    expect(answer.json()).toEqual({ error: 'the points could not be stored, send them again' })
  })

  test('a store that fails with a code of somebody else is 500 all the same', async () => {
    for (const code of ['Z_DATA_ERROR', 'FST_ERR_CTP_BODY_TOO_LARGE', 'ERR_BUFFER_TOO_LARGE']) {
      const failWithCode = () => Promise.reject(Object.assign(new Error('no'), { code }))
      const { app } = create({ sink: { writeCalls: failWithCode, writeAlerts: failWithCode } })
      const answer = await app.inject({ method: 'POST', url: '/write?db=cdrs', payload: line('a') })
      expect(answer.statusCode).toBe(500)
    }
  })

  test('are answered when they are stored, not before', async () => {
    let stored = false
    const writeCalls = async () => {
      await new Promise((done) => setImmediate(done))
      stored = true
    }
    const { app } = create({ sink: { writeCalls, writeAlerts: writeCalls } })
    await app.inject({ method: 'POST', url: '/write?db=cdrs', payload: line('a') })
    expect(stored).toBe(true)
  })
})

test('an address that is not served is 404', async () => {
  const answer = await create().app.inject('/debug/vars?p=secret')
  expect(answer.statusCode).toBe(404)
  expect(answer.json()).toEqual({ error: 'not found' })
})

test('no password reaches the log, a failed store does', async () => {
  const log: string[] = []
  const logger = pino({ level: 'trace' }, { write: (entry) => void log.push(entry) })
  const credentials = { username: 'writer', password: 'hunter2' }
  const { app } = create({ logger, credentials, sink: { writeCalls: fail, writeAlerts: fail } })
  for (const url of ['/write?db=cdrs&u=writer&p=hunter2', '/nowhere?u=writer&p=hunter2', '/write?u=writer&p=hunter2'])
    await app.inject({ method: 'POST', url, payload: line('a') })
  expect(log.join('')).toContain('disk is full')
  expect(log.join('')).not.toContain('hunter2')
})

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

test('with credentials set, others are refused', async () => {
  const { app, calls } = create({ credentials: { username: 'writer', password: 'secret' } })
  const post = (url: string, authorization?: string) =>
    app.inject({ method: 'POST', url, payload: line('a'), headers: authorization ? { authorization } : {} })
  expect((await post('/write?db=cdrs')).statusCode).toBe(401)
  expect((await post('/write?db=cdrs', basic('root:root'))).statusCode).toBe(401)
  expect(calls).toEqual([])
  expect((await post('/write?db=cdrs', basic('writer:secret'))).statusCode).toBe(204)
  expect((await post('/write?db=cdrs&u=writer&p=secret')).statusCode).toBe(204)
  expect((await post('/write?db=cdrs&u=writer&p=secre')).statusCode).toBe(401)
  const asked = await app.inject('/query?q=show+databases')
  expect(asked.statusCode).toBe(401)
  expect(asked.headers['www-authenticate']).toMatch(/^Basic /)
  expect(asked.json()).toEqual({ error: 'authorization failed' })
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
  // The browser suite is the workspace that declares the package.
  const load: unknown = createRequire(new URL('../../../../e2e/package.json', import.meta.url))('@jambonz/time-series')
  if (!isClient(load)) throw new Error('the package has changed')
  const client = load({}, { host: address.hostname, port: Number(address.port) })
  return { ...intake, client }
}

describe('the published client of the platform, unchanged', () => {
  test('writes calls', async () => {
    const { client, calls } = await connect()
    const trunk = 'Zürich, "Main" = ☎ 日本'
    const termination_reason = 'said "bye" \\ left,\nfor = good'
    await client.writeCdrs([
      cdr('a'),
      cdr('b', { trunk, termination_reason }),
      cdr('c', { answered: false, duration: 0 }),
    ])
    const records = calls.map((point) => callFromPoint(point)).flatMap((read) => (read.ok ? [read.value] : []))
    expect(records.map(({ call_sid, answered, duration }) => ({ call_sid, answered, duration }))).toEqual([
      { call_sid: 'a', answered: true, duration: 45 },
      { call_sid: 'b', answered: true, duration: 45 },
      { call_sid: 'c', answered: false, duration: 0 },
    ])
    expect(records[1]).toMatchObject({
      trunk,
      termination_reason,
      account_sid: 'AC',
      answered_at: 1_740_402_714_969,
      extra: {},
    })
    expect(records.map(({ time }) => time / 1_000_000n)).toEqual([
      1_740_402_711_969n,
      1_740_402_711_969n,
      1_740_402_711_969n,
    ])
    // Calls of one millisecond are spread over its nanoseconds: nothing may round them together.
    expect(new Set(records.map(({ time }) => time)).size).toBe(3)
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
    expect(alerts.map((point) => alertFromPoint(point))).toMatchObject([
      {
        value: {
          time: 12n,
          account_sid: 'AC',
          alert_type: 'webhook-failure',
          message: 'http://foo.bar/?a=b, c returned 404',
        },
      },
      { value: { time: 12n, account_sid: null, vendor: 'my vendor', target_sid: 'CS', detail: 'x' } },
    ])
  })

  test('is told of the line that was not taken, while the others are', async () => {
    const printed = vi.spyOn(console, 'log').mockReturnValue()
    const { client, calls } = await connect()
    const batch = [cdr('a'), cdr('b', { account_sid: undefined }), cdr('c', { recording_url: undefined }), cdr('d')]
    await expect(client.writeCdrs(batch)).rejects.toThrow(
      'partial write: line 2: account_sid is missing; line 3: field recording_url has the invalid value undefined dropped=2',
    )
    expect(calls.map(({ fields }) => fields['call_sid'])).toEqual(['a', 'd'])
    printed.mockRestore()
  })

  test('always sends root:root, which is let in where no credentials are set and where they are these', async () => {
    const { client, calls } = await connect({ credentials: { username: 'root', password: 'root' } })
    await client.writeCdrs([cdr('a')])
    expect(calls).toHaveLength(1)
    const other = await connect({ credentials: { username: 'root', password: 'other' } })
    await expect(other.client.writeCdrs([cdr('a')])).rejects.toThrow('authorization failed')
  })
})
