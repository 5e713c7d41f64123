import pino from 'pino'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { createInfluxIntake, type IntakeOptions } from './influx-intake.ts'
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

const line = (call: string, more = '') => `cdrs,account_sid=A,direction=inbound,answered=true call_sid="${call}",duration=4${more} 1000000`

describe('queries', () => {
  test.each(['GET', 'POST'] as const)('%s: databases are listed, and made', async (method) => {
    const { app } = create()
    const made = await app.inject({ method, url: '/query', query: { q: 'CREATE DATABASE "my \\"own\\""' } })
    expect(made.json()).toEqual({ results: [{ statement_id: 0 }] })
    const listed = await app.inject({ method, url: '/query', query: { q: 'show databases' } })
    expect(listed.json().results[0].series[0].values.flat()).toEqual(expect.arrayContaining(['cdrs', 'alerts', 'my "own"']))
  })

  test('may come as a form', async () => {
    const { app } = create()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await app.inject({ method: 'POST', url: '/query', headers, payload: 'q=SHOW+DATABASES%3B+create+database+x' })
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

  test('ping tells the version', async () => {
    const answer = await create().app.inject('/ping')
    expect(answer.statusCode).toBe(204)
    expect(answer.headers['x-influxdb-version']).toMatch(/^1\./)
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

  test('valid lines are kept while the others are named', async () => {
    const { app, calls } = create()
    const bad = ['nonsense', line('d', ',sip_status="abc"'), 'cdrs,direction=inbound call_sid="e" 1', 'cdrs,account_sid=undefined call_sid="f" 1']
    const answer = await app.inject({ method: 'POST', url: '/write?db=cdrs', payload: [line('a'), bad[0], line('b'), ...bad.slice(1)].join('\n') })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error).toBe(
      'partial write: line 2: there are no fields; line 4: sip_status must be a number; line 5: account_sid is missing; line 6: account_sid is missing dropped=4',
    )
    expect(calls.map(({ fields }) => fields['call_sid'])).toEqual(['a', 'b'])
  })

  test('may be compressed, but not into a bomb', async () => {
    const { app, calls } = create({ bodyLimit: 10_000 })
    const send = (payload: Buffer) =>
      app.inject({ method: 'POST', url: '/write?db=cdrs&precision=n&rp=', headers: { 'content-encoding': 'gzip' }, payload })
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
    const fail = () => Promise.reject(new Error('SQLITE_FULL: database or disk is full'))
    const { app } = create({ sink: { writeCalls: fail, writeAlerts: fail } })
    const answer = await app.inject({ method: 'POST', url: '/write?db=cdrs', payload: line('a') })
    expect(answer.statusCode).toBe(500)
    expect(answer.body).not.toContain('SQLITE')
  })
})

test('with credentials set, others are refused', async () => {
  const { app, calls } = create({ credentials: { username: 'writer', password: 'secret' } })
  const post = (url: string, authorization?: string) =>
    app.inject({ method: 'POST', url, payload: line('a'), headers: authorization ? { authorization } : {} })
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  expect((await post('/write?db=cdrs')).statusCode).toBe(401)
  expect((await post('/write?db=cdrs', basic('root:root'))).statusCode).toBe(401)
  expect(calls).toEqual([])
  expect((await post('/write?db=cdrs', basic('writer:secret'))).statusCode).toBe(204)
  expect((await post('/write?db=cdrs&u=writer&p=secret')).statusCode).toBe(204)
})
