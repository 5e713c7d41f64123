import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as forward, type Server } from 'node:http'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { getPort } from '@patchbay/testkit/servers/ports'
import { type RedisServer, startRedis } from '@patchbay/testkit/servers/redis'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'

/** Two processes with one database and one Redis, individually and behind a round-robin load balancer. */

const settings = {
  JWT_SECRET: 'a secret that both processes share',
  DISABLE_RATE_LIMITS: '',
  RATE_LIMIT_MAX_PER_WINDOW: '200',
}
const adminPassword = 'Shared-by-two-1'

/** Starts a round-robin load balancer. */
const balance = async (urls: readonly string[]): Promise<{ url: string; server: Server }> => {
  let turn = 0
  const server = createServer((incoming, answer) => {
    const target = urls[turn++ % urls.length] ?? ''
    const { method, headers } = incoming
    const outgoing = forward(`${target}${incoming.url}`, { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    outgoing.once('error', () => answer.writeHead(502).end())
    incoming.pipe(outgoing)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${getPort(server)}`, server }
}

interface Answer {
  status: number
  body: unknown
  headers: Headers
}

const call = async (url: string, method: string, path: string, token = '', body?: object): Promise<Answer> => {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json') ?? false
  return { status: answer.status, body: isJson ? JSON.parse(text) : text, headers: answer.headers }
}

const member = ({ status, body }: Answer, name: string): string => {
  const value: unknown = Reflect.get(Object(body), name)
  if (typeof value !== 'string') throw new Error(`no ${name} in ${status} ${JSON.stringify(body)}`)
  return value
}

let redis: RedisServer
let one: RunningServer
let two: RunningServer
let balancer: { url: string; server: Server }

beforeAll(async () => {
  const database = mariaDbClient(inject('mariadb'))
  redis = await startRedis()
  const shared = { ...settings, ...redis.settings, DATABASE_URL: await database.createDatabase() }
  one = await startServer(shared)
  two = await startServer(shared)
  balancer = await balance([one.url, two.url])
  const first = await call(one.url, 'POST', '/v1/login', '', { username: 'admin', password: one.firstPassword })
  const change = { old_password: one.firstPassword, new_password: adminPassword }
  const path = `/v1/Users/${member(first, 'user_sid')}`
  await call(two.url, 'PUT', path, member(first, 'token'), change)
})
afterAll(async () => {
  balancer.server.close()
  await one.stop()
  await two.stop()
  await redis.stop()
})

const signIn = (url: string, username = 'admin', password = adminPassword) =>
  call(url, 'POST', '/v1/login', '', { username, password })
const tokenFrom = async (url: string) => member(await signIn(url), 'token')
const me = (url: string, token: string) => call(url, 'GET', '/v1/Users/me', token)
const getStatuses = async (token: string) => [(await me(one.url, token)).status, (await me(two.url, token)).status]

const userWith = async (token: string, password: string) => {
  const name = `user ${randomUUID()}`
  const body = { name, email: `${randomUUID()}@example.org`, initial_password: password, force_change: false }
  expect((await call(one.url, 'POST', '/v1/Users', token, body)).status).toBe(201)
  return name
}

describe('two processes', () => {
  test('a session is valid on both, and a sign-out on one ends it on the other with the next request', async () => {
    const token = await tokenFrom(one.url)
    const other = await tokenFrom(two.url)
    expect(await getStatuses(token)).toEqual([200, 200])
    expect((await call(two.url, 'POST', '/v1/logout', token)).status).toBe(204)
    expect((await me(one.url, token)).status).toBe(401)
    expect(await getStatuses(other)).toEqual([401, 401])
  })

  test('a renewed session is valid on both, and the previous token on neither', async () => {
    const token = await tokenFrom(one.url)
    const renewed = member(await call(two.url, 'POST', '/v1/patchbay/session', token), 'token')
    expect(await getStatuses(renewed)).toEqual([200, 200])
    expect(await getStatuses(token)).toEqual([401, 401])
  })

  test('writes on one are immediately visible on the other', async () => {
    const token = await tokenFrom(one.url)
    for (const [writer, reader] of [
      [one.url, two.url],
      [two.url, one.url],
    ] as const) {
      const name = `written ${randomUUID()}`
      const sid = member(await call(writer, 'POST', '/v1/ServiceProviders', token, { name }), 'sid')
      expect((await call(reader, 'GET', `/v1/ServiceProviders/${sid}`, token)).body).toMatchObject({ name })
      expect((await call(reader, 'DELETE', `/v1/ServiceProviders/${sid}`, token)).status).toBe(204)
      expect((await call(writer, 'GET', `/v1/ServiceProviders/${sid}`, token)).status).toBe(404)
    }
  })

  test('share the count of failed sign-ins: six attempts on alternating processes lock the name on both', async () => {
    const password = 'Right-password-1'
    const name = await userWith(await tokenFrom(one.url), password)
    const says = async (url: string, typed: string) => {
      const { status, body } = await signIn(url, name, typed)
      return `${status} ${String(Reflect.get(Object(body), 'msg'))}`
    }
    const tries: string[] = []
    for (let attempt = 0; attempt < 6; attempt++) tries.push(await says(attempt % 2 ? two.url : one.url, 'wrong'))
    expect(tries.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => '403 Forbidden'))
    expect(tries[5]).toContain('Maximum login attempts reached')
    for (const { url } of [one, two]) expect(await says(url, password)).toContain('Maximum login attempts reached')
  })

  test('share one rate limit for both processes and both prefixes', async () => {
    const key = await call(one.url, 'POST', '/v1/ApiKeys', await tokenFrom(one.url), {})
    const caller = member(key, 'token')
    const remaining: unknown[] = []
    for (const { url } of [one, two])
      for (const prefix of ['/v1', '/api/v1'])
        remaining.push((await call(url, 'GET', `${prefix}/Users/me`, caller)).headers.get('ratelimit-remaining'))
    expect(remaining).toEqual(['199', '198', '197', '196'])
    const rest = await Promise.all(
      Array.from({ length: 200 }, (_, index) => call(index % 2 ? one.url : two.url, 'GET', '/v1/Users/me', caller)),
    )
    const counted = (expectedStatus: number) => rest.filter(({ status }) => status === expectedStatus).length
    expect([counted(403), counted(429)]).toEqual([196, 4])
  })

  test('behave like one server behind a round-robin load balancer', async () => {
    const { url } = balancer
    const token = await tokenFrom(url)
    const name = `balanced ${randomUUID()}`
    const sid = member(await call(url, 'POST', '/v1/ServiceProviders', token, { name }), 'sid')
    for (let turn = 1; turn <= 4; turn++)
      expect((await call(url, 'GET', `/v1/ServiceProviders/${sid}`, token)).body).toMatchObject({ name })
    expect((await call(url, 'POST', '/v1/logout', token)).status).toBe(204)
    for (let turn = 1; turn <= 4; turn++) expect((await me(url, token)).status).toBe(401)
  })

  test('without Redis, both respond with 503 but report as healthy; with Redis, both recover without a restart', async () => {
    const token = await tokenFrom(one.url)
    await redis.kill()
    expect(await getStatuses(token)).toEqual([503, 503])
    for (const { url } of [one, two]) {
      expect((await signIn(url)).status).toBe(503)
      expect((await call(url, 'GET', '/health')).status).toBe(200)
    }
    await redis.restart()
    for (const { url } of [one, two]) await expect.poll(async () => (await signIn(url)).status).toBe(200)
    expect(await getStatuses(await tokenFrom(two.url))).toEqual([200, 200])
  })
})
