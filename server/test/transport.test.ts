import { connect } from 'node:net'
import { createApp } from '@patchbay/server/app/app'
import { createTestApi } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { version } from '../../package.json' with { type: 'json' }

const api = await openTestApi({ DISABLE_RATE_LIMITS: '0', RATE_LIMIT_MAX_PER_WINDOW: '5', JAMBONES_TRUST_PROXY: '1' })
const key = (await api.apiKey()).caller.token
const otherKey = (await api.apiKey()).caller.token

const ask = (url: string, headers: Record<string, string>) => api.app.inject({ url, headers })

describe('the rate limit', () => {
  test('counts per caller: excess requests are rejected with JSON, and other callers are not affected', async () => {
    const noisy = { authorization: `Bearer ${key}`, origin: 'https://elsewhere.example' }
    const statuses = []
    // All notations of a token count as the same caller.
    const ways = [noisy, { authorization: `bearer ${key}` }, { authorization: `BEARER  ${key}`.replace('  ', ' ') }]
    for (const way of [...ways, noisy]) statuses.push((await ask('/v1/Accounts', way)).statusCode)
    statuses.push((await ask(`/v1/Accounts?access_token=${key}`, {})).statusCode)
    statuses.push((await ask('/api/v1/NoSuchThing', noisy)).statusCode)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    const refused = await ask('/v1/Accounts', noisy)
    expect(refused.json()).toMatchObject({ msg: 'Too many requests, please try again later.' })
    expect(refused.headers['retry-after']).toBeDefined()
    // Without this header, a browser on another origin would see a network error.
    expect(refused.headers['access-control-allow-origin']).toBe('*')
    expect((await ask('/v1/Accounts', { authorization: `Bearer ${otherKey}` })).statusCode).toBe(200)
  })

  test('counts per address for unknown paths, invalid tokens, and all addresses of a /64 network', async () => {
    const from = (last: number, url: string, token: string) =>
      api.app.inject({ url, headers: { authorization: `Bearer ${token}` }, remoteAddress: `2001:db8:1:2::${last}` })
    const statuses: number[] = []
    for (let count = 1; count <= 21; count += 1) {
      const url = count % 2 === 0 ? '/v1/NoSuchThing' : '/api/v1/Accounts'
      statuses.push((await from(count, url, `made up ${count}`.replaceAll(' ', '-'))).statusCode)
    }
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), 429])
    const another = await api.app.inject({ url: '/v1/Accounts', remoteAddress: '2001:db8:1:3::1' })
    expect(another.statusCode).toBe(401)
  })
})

test('behind a trusted proxy, the address is the one from the proxy, regardless of earlier entries', async () => {
  const from = (forwarded: string) => ask('/v1/Accounts', { 'x-forwarded-for': forwarded })
  const statuses: number[] = []
  for (let count = 1; count <= 21; count += 1) statuses.push((await from(`10.0.0.${count}, 203.0.113.9`)).statusCode)
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), 429])
  expect((await from('203.0.113.9, 203.0.113.10')).statusCode).toBe(401)
})

test('too many connections from one address are closed immediately and delay no others', async () => {
  const open = await createTestApi({ DISABLE_RATE_LIMITS: '0', JAMBONES_TRUST_PROXY: '1' })
  const { app } = open
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const address = (text: string) => ({ 'x-forwarded-for': `10.0.0.1, ${text}` })
  const askFrom = (text: string) => fetch(`http://127.0.0.1:${port}/v1/Accounts`, { headers: address(text) })
  const requestHead = 'POST /v1/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n'
  let arrived = 0
  let closedCount = 0
  app.server.on('request', (_request, response) => {
    arrived += 1
    response.once('close', () => (closedCount += 1))
  })
  // The requests are in progress until their bodies are complete.
  const crowd = Array.from({ length: 100 }, () => connect(Number(port), '127.0.0.1'))
  try {
    for (const socket of crowd) socket.write(`${requestHead}X-Forwarded-For: 203.0.113.1\r\n\r\n{`)
    await expect.poll(() => arrived).toBe(100)
    const turnedAway = await askFrom('203.0.113.1')
    expect(turnedAway.headers.get('x-request-id')).toMatch(/./)
    expect(turnedAway.status).toBe(429)
    expect(await turnedAway.json()).toMatchObject({ code: 'too_many_concurrent_requests' })
    for (const [name, value] of [
      ['retry-after', '1'],
      ['access-control-allow-origin', '*'],
      ['access-control-expose-headers', 'x-request-id'],
    ] as const)
      expect(turnedAway.headers.get(name)).toBe(value)
    expect((await askFrom('203.0.113.2')).status).toBe(401)
    for (const socket of crowd) socket.destroy()
    await expect.poll(() => closedCount).toBeGreaterThanOrEqual(100)
    expect((await askFrom('203.0.113.1')).status).toBe(401)
  } finally {
    for (const socket of crowd) socket.destroy()
    await open.close()
  }
})

test('the health check returns OK to platform clients, and the version to clients that accept JSON', async () => {
  const plain = await ask('/health', {})
  expect([plain.headers['content-type'], plain.body]).toEqual(['text/plain; charset=utf-8', 'OK'])
  const json = await ask('/health', { accept: 'application/json' })
  expect(json.json()).toEqual({ status: 'OK', version })
})

describe('headers', () => {
  test('HSTS is sent only behind TLS', async () => {
    const secure = await ask('/health', { 'x-forwarded-proto': 'https' })
    expect(secure.headers['strict-transport-security']).toMatch(/max-age=\d+/)
    expect((await ask('/health', {})).headers['strict-transport-security']).toBeUndefined()
  })

  test('API responses are not cached', async () => {
    const answer = await ask('/api/v1/Accounts', { authorization: 'Bearer reader' })
    expect(answer.headers['cache-control']).toContain('no-store')
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
  })
})

describe('the request id', () => {
  const getRequestId = async (url: string, headers: Record<string, string> = {}, { app } = api) =>
    String((await app.inject({ url, headers })).headers['x-request-id'] ?? '')

  test('is unique in every response and readable for browsers on any origin', async () => {
    const urls = ['/v1/Accounts', '/v1/NoSuchThing', '/v1/%E0%A4%A', '/health', '/api/docs', '/nowhere']
    const ids = await Promise.all([...urls, ...urls].map((url) => getRequestId(url)))
    expect(ids).not.toContain('')
    expect(new Set(ids).size).toBe(ids.length)
    const { headers } = await ask('/v1/Accounts', { origin: 'https://elsewhere.example' })
    expect(headers['access-control-expose-headers']).toBe('x-request-id, server-timing, etag, record-version')
  })

  test('is the one from a trusted proxy if it is short and contains only safe characters', async () => {
    const sendId = (id: string) => getRequestId('/health', { 'x-request-id': id })
    for (const id of ['a', '7f.3_B-9', 'x'.repeat(64)]) expect(await sendId(id)).toBe(id)
    for (const id of ['', 'x'.repeat(65), 'a b', 'a\tb', '<a>', 'a,b', 'é']) {
      const returnedId = await sendId(id)
      expect([id, returnedId]).not.toEqual([id, id])
      expect(returnedId).toMatch(/^[\w-]{36}$/)
    }
  })

  test('is never chosen by the client without a trusted proxy', async () => {
    const open = await createTestApi()
    expect(await getRequestId('/health', { 'x-request-id': 'mine' }, open)).toMatch(/^[\w-]{36}$/)
    await open.close()
  })

  test('is contained in the log line of an error', async () => {
    const lines: string[] = []
    const { configuration, database } = api.services
    const app = await createApp({ configuration, database, log: { write: (line) => void lines.push(line) } })
    app.get('/fails', () => {
      throw new Error('of ours')
    })
    const answer = await app.inject({ url: '/fails', headers: { 'x-request-id': 'the-one-of-the-proxy' } })
    await app.close()
    expect([answer.statusCode, answer.headers['x-request-id']]).toEqual([500, 'the-one-of-the-proxy'])
    const failed = lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50)
    expect(failed).toMatchObject([{ reqId: 'the-one-of-the-proxy', err: { message: 'of ours' } }])
  })
})
