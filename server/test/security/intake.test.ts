import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setImmediate as later } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { createInfluxIntake, type IntakeOptions } from '@patchbay/server/call-data/ingest/influx-ingest'
import { parseAddressOrNetwork } from '@patchbay/server/lib/ip-networks'
import Fastify from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'

/** Ingest servers: rejected requests and overload. */

const openServers: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  await Promise.all(openServers.splice(0).map((app) => app.close()))
})

const noRatings = () => Promise.resolve([])

const create = (more: Partial<IntakeOptions> = {}) => {
  const calls: unknown[] = []
  const writeCalls = async (records: readonly unknown[]) => void calls.push(...records)
  const app = createInfluxIntake({
    sink: { writeCalls, writeAlerts: writeCalls, rateCalls: noRatings },
    logger: Fastify().log,
    ...more,
  })
  openServers.push(app)
  const send = (headers: Record<string, string>, payload: string | Buffer, db = 'cdrs') =>
    app.inject({ method: 'POST', url: '/write', query: { db }, headers, payload })
  return { app, calls, send }
}

const line = (call: string) => `cdrs,account_sid=A,answered=true call_sid="${call}",duration=4 1000000`
const lines = (count: number) => Array.from({ length: count }, (_, index) => line(`call ${index}`)).join('\n')

describe('web pages may not write', () => {
  const credentials = { username: 'writer', password: 'secret' }
  const authorization = `Basic ${Buffer.from('writer:secret').toString('base64')}`

  test.each([
    { origin: 'https://example.org' },
    { origin: 'null' },
    { origin: 'http://localhost:8086' },
    ...['cross-site', 'same-site', 'same-origin', 'none'].map((site) => ({ 'sec-fetch-site': site })),
  ])('%j', async (headers: Record<string, string>) => {
    const open = create()
    const closed = create({ credentials })
    for (const answer of [
      await open.send(headers, line('a')),
      await closed.send({ ...headers, authorization }, line('a')),
      await open.app.inject({ method: 'POST', url: '/query', query: { q: 'create database x' }, headers }),
      await open.app.inject({ url: '/ping', headers }),
    ]) {
      expect(answer.statusCode).toBe(403)
      expect(answer.json()).toEqual({ error: 'browsers are not allowed to write here' })
    }
    expect([...open.calls, ...closed.calls]).toEqual([])
  })

  test.each([
    'example.org',
    'example.org:8086',
    'localhost.example.org',
    '127.0.0.1.example.org',
    '10.0.0.1',
    '[::2]',
    '//',
  ])('to a name that is not of this machine: %j', async (host) => {
    const { send, calls } = create()
    expect((await send({ host }, line('a'))).statusCode).toBe(403)
    expect(calls).toEqual([])
  })

  test.each(['localhost', 'LOCALHOST:8086', '127.0.0.1:8086', '127.0.1.1', '[::1]:8086', 'intake.internal:8086'])(
    'programs may, by any name of this machine or the configured one: %s',
    async (host) => {
      expect((await create({ host: 'intake.internal' }).send({ host }, line('a'))).statusCode).toBe(204)
    },
  )

  test('requests with credentials may use any host name', async () => {
    const { send } = create({ credentials })
    expect((await send({ host: 'calls.example.org', authorization }, line('a'))).statusCode).toBe(204)
  })
})

describe('listed senders', () => {
  const senders = [parseAddressOrNetwork('10.0.0.0/8') ?? expect.fail()]
  const credentials = { username: 'writer', password: 'secret' }
  const authorization = `Basic ${Buffer.from('writer:secret').toString('base64')}`
  /** Credentials that the components of the platform send to every InfluxDB. */
  const platform = `Basic ${Buffer.from('root:root').toString('base64')}`
  const host = 'patchbay:8086'

  const start = (more: Partial<IntakeOptions>) => {
    const rejected: string[] = []
    const { app, calls } = create({
      host: '0.0.0.0',
      senders,
      onRejectedSender: (address, reason) => rejected.push(`${address} ${reason}`),
      ...more,
    })
    const sendFrom = async (remoteAddress: string, headers: Record<string, string> = {}) => {
      const payload = line('a')
      const options = { method: 'POST', url: '/write', query: { db: 'cdrs' }, remoteAddress } as const
      return (await app.inject({ ...options, headers: { host, ...headers }, payload })).statusCode
    }
    return { sendFrom, calls, rejected, app }
  }

  test.each([undefined, credentials])('need no credentials, if %j are configured', async (configured) => {
    const { sendFrom, calls, rejected } = start(configured === undefined ? {} : { credentials: configured })
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3'])
      expect(await sendFrom(address, { authorization: platform })).toBe(204)
    expect(await sendFrom('10.1.2.3')).toBe(204)
    expect(calls).toHaveLength(3)
    expect(rejected).toEqual([])
  })

  test('are the only ones without credentials, also by a local name and for every path', async () => {
    const { sendFrom, calls, rejected, app } = start({})
    for (const address of ['127.0.0.1', '11.0.0.1', '::1', 'fd00::1'])
      expect(await sendFrom(address, { host: 'localhost', authorization })).toBe(403)
    expect((await app.inject({ url: '/ping', remoteAddress: '11.0.0.1' })).statusCode).toBe(403)
    expect(calls).toEqual([])
    expect(rejected).toEqual([
      '127.0.0.1 not_listed',
      '11.0.0.1 not_listed',
      '::1 not_listed',
      'fd00::1 not_listed',
      '11.0.0.1 not_listed',
    ])
  })

  test('leave the others their credentials', async () => {
    const { sendFrom, rejected } = start({ credentials })
    expect(await sendFrom('11.0.0.1', { authorization })).toBe(204)
    expect(await sendFrom('11.0.0.1', { authorization: platform })).toBe(401)
    expect(await sendFrom('11.0.0.1')).toBe(401)
    expect(rejected).toEqual(['11.0.0.1 wrong_credentials', '11.0.0.1 no_credentials'])
  })

  test('are not a proxy on behalf of others, and not a browser', async () => {
    for (const more of [{}, { credentials }]) {
      const { sendFrom, calls } = start(more)
      const refused = [
        await sendFrom('10.1.2.3', { 'x-forwarded-for': '10.1.2.3' }),
        await sendFrom('10.1.2.3', { forwarded: 'for=10.1.2.3' }),
        await sendFrom('10.1.2.3', { origin: 'http://10.1.2.3' }),
      ]
      expect(refused.every((status) => status === 401 || status === 403)).toBe(true)
      expect(calls).toEqual([])
    }
  })
})

test.each(['x-forwarded-for', 'forwarded'])(
  'without credentials, a proxy on this machine cannot write for others (%s)',
  async (header) => {
    const { send, calls } = create()
    expect((await send({ [header]: 'for=192.0.2.1' }, line('a'))).statusCode).toBe(403)
    expect(calls).toEqual([])
  },
)

test('compressed data that is not stored is not decompressed', async () => {
  const { send } = create({ bodyLimit: 10_000 })
  const bomb = gzipSync('x'.repeat(1_000_000))
  expect((await send({ 'content-encoding': 'gzip' }, bomb)).statusCode).toBe(413)
  expect((await send({ 'content-encoding': 'gzip' }, bomb, 'call_counts')).statusCode).toBe(204)
  expect((await send({ 'content-encoding': 'gzip' }, 'no gzip at all', 'call_counts')).statusCode).toBe(204)
})

/** Creates a sink that blocks until it is released. */
const blockingSink = () => {
  const written: number[] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let begun = () => {}
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve
  })
  const writeCalls = async (records: readonly unknown[]) => {
    begun()
    await released
    written.push(records.length)
  }
  return {
    sink: { writeCalls, writeAlerts: writeCalls, rateCalls: noRatings },
    written,
    release: () => release(),
    hasBegun,
  }
}

test('under load, large requests are rejected immediately, and small ones are accepted', async () => {
  const { sink, release } = blockingSink()
  const { send } = create({ sink })
  const large = `${line('a')}\n${'#'.repeat(7_000_000)}`
  const headers = { 'content-encoding': 'gzip' }
  // In a single process, all of them are in progress before the first is stored.
  const responses = Array.from({ length: 10 }, () => send({}, large))
  const refused = await Promise.race(responses)
  expect(refused.statusCode).toBe(503)
  expect(refused.headers['retry-after']).toBe('1')
  expect(refused.json()).toEqual({ error: 'too many concurrent requests; send it again' })
  const small = [send({}, line('b')), send(headers, gzipSync(line('c')))]
  release()
  expect((await Promise.all(small)).map(({ statusCode }) => statusCode)).toEqual([204, 204])
  const statuses = (await Promise.all(responses)).map(({ statusCode }) => statusCode)
  expect(new Set(statuses)).toEqual(new Set([204, 503]))
  expect((await send({}, large)).statusCode).toBe(204)
})

test('a large and a small body are processed alternately', async () => {
  const stored: number[] = []
  const writeCalls = async (records: readonly unknown[]) => void stored.push(records.length)
  const { send } = create({ sink: { writeCalls, writeAlerts: writeCalls, rateCalls: noRatings } })
  await Promise.all([send({}, lines(5000)), send({}, line('small'))])
  expect(stored.indexOf(1)).toBeLessThan(stored.length / 2)
  // The number of points per batch depends on their parsing time.
  expect(stored.reduce((sum, count) => sum + count, 0)).toBe(5001)
})

test('requests behind a blocked store get a timeout response', async () => {
  let begun = 0
  const writeCalls = () => {
    begun += 1
    return new Promise<void>(() => {})
  }
  const { send } = create({ sink: { writeCalls, writeAlerts: writeCalls, rateCalls: noRatings }, timeoutSeconds: 1 })
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send({}, line(`call ${index}`))))
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([500]))
  expect(begun).toBeLessThan(10)
})

test('processing ends when the client disconnects', async () => {
  const { sink, written, release, hasBegun } = blockingSink()
  const { app } = create({ sink })
  const connected = once(app.server, 'connection')
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const sender = request({ host: '127.0.0.1', port, path: '/write?db=cdrs', method: 'POST' })
  sender.on('error', () => {})
  sender.end(lines(5000))
  const [socket] = (await connected) as [Socket]
  await hasBegun
  const closed = once(socket, 'close')
  sender.destroy()
  await closed
  release()
  for (let round = 0; round < 50; round += 1) await later()
  // The size of the first batch depends on the parsing time. A second batch must not follow.
  expect(written).toHaveLength(1)
  expect(written[0]).toBeLessThan(5000)
})

test('a hundred thousand invalid lines are counted, and ten of them are named', async () => {
  const { send } = create()
  const answer = await send({ 'content-encoding': 'gzip' }, gzipSync('x\n'.repeat(100_000)))
  expect(answer.statusCode).toBe(400)
  expect(answer.json().error.match(/line \d+:/g)).toHaveLength(10)
  expect(answer.json().error).toMatch(/dropped=100000$/)
})
