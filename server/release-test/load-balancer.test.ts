import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { enter } from '@patchbay/testkit/crash/crash-rounds'
import {
  answered,
  callApi,
  findLostWrites,
  getBody,
  getText,
  isDone,
  keepWriting,
  openLedger,
  seeded,
  sendAgain,
  type Target,
} from '@patchbay/testkit/crash/durability-ledger'
import { startWebhookApp } from '@patchbay/testkit/fakes/webhook-app'
import { type BalancedProcesses, startBalancedProcesses } from '@patchbay/testkit/servers/balanced-processes'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { type RedisServer, startRedis } from '@patchbay/testkit/servers/redis'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'

/** Three processes behind HAProxy, on MariaDB and Redis, behave like one server that does not fail. */

let redis: RedisServer
let balanced: BalancedProcesses
/** The load balancer, with a session and an API key of the administrator. */
let target: Target

beforeAll(async () => {
  redis = await startRedis()
  balanced = await startBalancedProcesses({
    ...redis.settings,
    DATABASE_URL: await mariaDbClient(inject('mariadb')).createDatabase(),
    JWT_SECRET: 'a secret of all processes',
    ENCRYPTION_SECRET: 'another secret of all processes',
    PRIVATE_NETWORKS: loopbackNetwork,
  })
  const [first] = balanced.processes
  if (first === undefined) throw new Error('no process')
  const { url, intakePort, otlpPort } = balanced
  target = { ...(await enter(first)), url, intakePort, otlpPort }
})
afterAll(async () => {
  await balanced.stop()
  await redis.stop()
})

const create = async (path: string, body: object, token = target.apiKey): Promise<string> =>
  getText(getBody(await callApi(target, token, 'POST', path, body)), 'sid')

test('terminates TLS, tells Patchbay so, and gives every request an ID', async () => {
  const { port, ca } = balanced.tls
  const outgoing = request({ host: '127.0.0.1', port, ca, path: '/api/v1/Accounts' }).end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  response.resume()
  expect(response.headers['strict-transport-security']).toMatch(/^max-age=\d+/)
  expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
})

test('a session of one process is valid on all, until it ends on one', async () => {
  const name = `user ${randomUUID()}`
  const password = 'Right-password-1'
  const user = { name, email: `${randomUUID()}@example.org`, initial_password: password, force_change: false }
  getBody(await callApi(target, target.apiKey, 'POST', '/Users', user))
  const [first, second] = balanced.processes
  if (!first || !second) throw new Error('no processes')
  const signedIn = await callApi(first, '', 'POST', '/login', { username: name, password })
  const session = getText(getBody(signedIn), 'token')
  const readStatuses = () =>
    Promise.all(balanced.processes.map(async (each) => (await callApi(each, session, 'GET', '/Users/me')).status))
  expect(await readStatuses()).toEqual([200, 200, 200])
  expect((await callApi(second, session, 'POST', '/logout')).status).toBe(204)
  expect(await readStatuses()).toEqual([401, 401, 401])
})

test('wrong passwords through the load balancer lock the name on every process', async () => {
  const username = `user ${randomUUID()}`
  const signIn = (at: { url: string }) => callApi(at, '', 'POST', '/login', { username, password: 'wrong' })
  for (let attempt = 1; attempt <= 5; attempt += 1)
    expect((await signIn(target)).body).toMatchObject({ msg: 'Forbidden' })
  for (const process of balanced.processes)
    expect(JSON.stringify((await signIn(process)).body)).toContain('Maximum login attempts reached')
})

test('changes of one tenant succeed during 300 concurrent changes of another tenant', async () => {
  const createTenant = async (name: string) => {
    const service_provider_sid = await create('/ServiceProviders', { name })
    const created = await callApi(target, target.apiKey, 'POST', '/ApiKeys', { service_provider_sid })
    return {
      key: getText(getBody(created), 'token'),
      account_sid: await create('/Accounts', { name, service_provider_sid }),
    }
  }
  const [busy, other] = [await createTenant('busy'), await createTenant('other')]
  const change = ({ key, account_sid }: typeof busy, ratio: number) =>
    callApi(target, key, 'PUT', `/Accounts/${account_sid}`, { device_to_call_ratio: ratio })
  const flood = Promise.all(Array.from({ length: 300 }, (_, ratio) => change(busy, ratio)))
  const others: number[] = []
  for (let ratio = 1; ratio <= 20; ratio += 1) others.push((await change(other, ratio)).status)
  expect(others).toEqual(Array.from({ length: 20 }, () => 204))
  const statuses = new Set((await flood).map(({ status }) => status))
  expect([...statuses].filter((status) => ![204, 429].includes(status))).toEqual([])
})

test('a list that is refreshed on one process shows at once what another process has stored', async () => {
  const [first, second] = balanced.processes
  if (!first || !second) throw new Error('no processes')
  const service_provider_sid = await create('/ServiceProviders', { name: `refreshed ${randomUUID()}` })
  const account_sid = await create('/Accounts', { name: 'refreshed', service_provider_sid })
  const readOnFirst = async (path: string, etag = '') => {
    const headers = { authorization: `Bearer ${target.apiKey}`, 'if-none-match': etag }
    const response = await fetch(`${first.url}/v1${path}`, { headers })
    return { status: response.status, etag: response.headers.get('etag') ?? '', text: await response.text() }
  }
  /** Lists that the console refreshes, and writes to them on the second process that contain a text. */
  const lists: [string, (text: string) => Promise<number>][] = [
    [
      `/ServiceProviders/${service_provider_sid}/Accounts`,
      async (name) =>
        (await callApi(second, target.apiKey, 'POST', '/Accounts', { name, service_provider_sid })).status,
    ],
    [
      `/Accounts/${account_sid}/RecentCalls?page=1&count=25&days=1`,
      async (from) => {
        const tags = `account_sid=${account_sid},service_provider_sid=${service_provider_sid},answered=true`
        const body = `cdrs,${tags},direction=inbound call_sid="${randomUUID()}",duration=1,from="${from}",to="2" ${BigInt(Date.now()) * 1_000_000n}`
        return (await fetch(`http://127.0.0.1:${second.intakePort}/write?db=cdrs`, { method: 'POST', body })).status
      },
    ],
  ]
  for (const [path, write] of lists) {
    const before = await readOnFirst(path)
    expect(before).toMatchObject({ status: 200, etag: expect.stringContaining('"') })
    expect(await readOnFirst(path, before.etag)).toMatchObject({ status: 304, text: '' })
    const text = randomUUID()
    expect([201, 204]).toContain(await write(text))
    const after = await readOnFirst(path, before.etag)
    expect(after).toMatchObject({ status: 200, text: expect.stringContaining(text) })
    expect(before.text).not.toContain(text)
    expect(await readOnFirst(path, after.etag)).toMatchObject({ status: 304, text: '' })
  }
})

test('three processes send each alert once', async () => {
  const webhookApp = await startWebhookApp()
  try {
    webhookApp.answer = (response) => response.writeHead(204).end()
    const service_provider_sid = await create('/ServiceProviders', { name: 'alerts' })
    const account_sid = await create('/Accounts', { name: 'alerts', service_provider_sid })
    const body = { name: 'receiver', kind: 'webhook', target: webhookApp.origin, account_sid }
    const sid = await create('/patchbay/alert-destinations', body)
    const readStates = async () => {
      const path = `/patchbay/alert-destinations/${sid}/deliveries?page=1&count=25`
      const { data } = getBody(await callApi(target, target.apiKey, 'GET', path)) as { data: { state: string }[] }
      return data.map(({ state }) => state)
    }
    // Few enough that none is delayed to be sent together with others.
    const messages = Array.from({ length: 5 }, (_, position) => `alert ${position}`)
    for (const message of messages) {
      const line = `alerts,account_sid=${account_sid},service_provider_sid=${service_provider_sid},alert_type=no-tts message="${message}"`
      const url = `http://127.0.0.1:${balanced.intakePort}/write?db=alerts`
      expect((await fetch(url, { method: 'POST', body: line })).status).toBe(204)
    }
    const readReceived = () =>
      webhookApp.heard.map((message) => (message.body as { alert: { message: string } }).alert.message).toSorted()
    await expect.poll(readReceived).toEqual(messages)
    // Each process had the opportunity to send them when these deliveries are recorded.
    await expect.poll(readStates).toEqual(messages.map(() => 'delivered'))
    expect(readReceived()).toEqual(messages)
  } finally {
    webhookApp.close()
  }
})

test('a kill of one process under load loses no acknowledged change and fails only requests in progress', async () => {
  const ledger = await openLedger(target)
  const writing = keepWriting(target, ledger, seeded(2))
  try {
    await answered(ledger, isDone)
    await balanced.processes[2]?.kill()
    await answered(ledger, isDone)
  } finally {
    await writing.stop()
  }
  const failed = ledger.answers.filter((answer) => !isDone(answer))
  // Seven writers send one request each at a time, so at most seven are in progress.
  expect(failed.slice(7)).toEqual([])
  await sendAgain(target, ledger)
  expect(ledger.openBatches.length + ledger.openTraces.length).toBe(0)
  expect(await findLostWrites(target, ledger)).toEqual([])
  await balanced.restart(2)
})

test('processes are restarted one after another under load, and no request fails', async () => {
  const ledger = await openLedger(target)
  const writing = keepWriting(target, ledger, seeded(3))
  try {
    await answered(ledger, isDone)
    for (const position of balanced.processes.keys()) {
      expect(await balanced.terminate(position)).toBe(0)
      await answered(ledger, isDone)
      await balanced.restart(position)
    }
    await answered(ledger, isDone)
  } finally {
    await writing.stop()
  }
  expect(ledger.answers.filter((answer) => !isDone(answer))).toEqual([])
  expect(await findLostWrites(target, ledger)).toEqual([])
})
