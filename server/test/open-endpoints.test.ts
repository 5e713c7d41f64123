import { randomUUID } from 'node:crypto'
import { member } from '@patchbay/testkit/test-api'
import { openTestWorld, signedIn } from '@patchbay/testkit/test-world'
import { beforeAll, describe, expect, test } from 'vitest'
import { getRow, statusAndMessage } from './fixtures.ts'

/** Endpoints that jambonz leaves open to everybody, and webhooks without an owner. */

const { api, world } = await openTestWorld()
const { P } = world.sid
const away = '203.0.113.9'

interface From {
  token?: string
  address?: string
  forwardedFor?: string
}

const send = async (method: 'GET' | 'POST', url: string, { token, address = '127.0.0.1', forwardedFor }: From = {}) => {
  const response = await api.app.inject({
    method,
    url: `/v1${url}`,
    remoteAddress: address,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }),
    },
    ...(method === 'POST' ? { payload: { from: '1', to: '2', text: 'Hello' } } : {}),
  })
  return { status: response.statusCode, body: response.json<Record<string, unknown>>(), text: response.body }
}

const endpoints = [
  ['GET', `/AccountTest/${P}`, 200],
  ['POST', '/messaging/twilio', 404],
  ['POST', '/outboundSMS', 422],
] as const

describe.each(endpoints)('%s %s', (method, path, answers) => {
  test('answers without a token to loopback and to the stored private networks only', async () => {
    expect((await send(method, path)).status).toBe(answers)
    expect((await send(method, path, { address: '::1' })).status).toBe(answers)
    expect((await send(method, path, { address: away })).status).toBe(401)
    expect((await send(method, path, { address: '10.1.2.3' })).status).toBe(401)
    await api.admin.post('/SystemInformation', { private_network_cidr: '10.0.0.0/8,192.168.0.1' })
    for (const address of ['10.1.2.3', '192.168.0.1', '127.0.0.1'])
      expect((await send(method, path, { address })).status).toBe(answers)
    expect((await send(method, path, { address: '192.168.0.2' })).status).toBe(401)
    await api.admin.post('/SystemInformation', { private_network_cidr: null })
  })

  test('does not trust a proxy that is not configured', async () => {
    expect((await send(method, path, { forwardedFor: away })).status).toBe(401)
  })

  test('answers elsewhere to a token with access to the tenant', async () => {
    const as = async (name: 'user of A' | 'user of P' | 'admin' | 'user of P who must change the password') =>
      send(method, path, { address: away, token: (await signedIn(api, world.users[name])).token })
    for (const name of ['user of A', 'user of P', 'admin'] as const) expect((await as(name)).status).toBe(answers)
    expect((await as('user of P who must change the password')).status).toBe(403)
    expect((await send(method, path, { address: away, token: 'nonsense' })).status).toBe(401)
  })
})

describe('GET /AccountTest/:service_provider_sid', () => {
  const application_sid = randomUUID()
  const number = randomUUID()

  beforeAll(async () => {
    const { db } = api.test.database
    const webhook_sid = randomUUID()
    const hook = { webhook_sid, url: 'https://user:url-secret@hooks.example.org', username: 'hook-user' }
    await db
      .insertInto('webhooks')
      .values({ ...hook, password: 'hook-secret' })
      .execute()
    await db
      .insertInto('applications')
      .values({
        application_sid,
        service_provider_sid: P,
        name: 'Test',
        call_hook_sid: webhook_sid,
        env_vars: api.services.encryption.encrypt(JSON.stringify({ greeting: 'variable-secret' })),
      })
      .execute()
    await db
      .insertInto('phone_numbers')
      .values({ phone_number_sid: randomUUID(), number, service_provider_sid: P })
      .execute()
  })

  test('lists the test numbers and test applications without credentials', async () => {
    const { body, text } = await send('GET', `/AccountTest/${P}`)
    expect(body).toMatchObject({
      phonenumbers: [number],
      applications: [
        { application_sid, call_hook: { username: null, password: null }, call_status_hook: null, env_vars: null },
      ],
    })
    expect(text).not.toMatch(/secret|hook-user/)
  })

  test('denies tokens of another provider, and is 404 for an unknown provider', async () => {
    for (const name of ['user of Q', 'user of B'] as const) {
      const { token } = await signedIn(api, world.users[name])
      for (const sid of [P, randomUUID()])
        expect(await send('GET', `/AccountTest/${sid}`, { address: away, token })).toMatchObject({
          status: 403,
          body: { msg: 'insufficient permissions' },
        })
    }
    expect((await send('GET', `/AccountTest/${randomUUID()}`)).status).toBe(404)
    expect((await send('GET', '/AccountTest/nonsense')).status).toBe(404)
  })
})

test('POST /outboundSMS names a provider that is not configured', async () => {
  expect(statusAndMessage(await api.nobody.post('/outboundSMS', { provider: 'twilio', text: 'x' }))).toEqual([
    422,
    'rejecting outgoingSms request for unknown or badly configured provider twilio',
  ])
})

describe('webhooks', () => {
  const hook = { url: 'https://hooks.example.org/a', method: 'GET', username: 'u', password: 'a-hook-secret' }

  test('are created by every caller, and read by administrators only', async () => {
    const ofA = await signedIn(api, world.users['user of A'])
    const sid = member(await ofA.post('/Webhooks', hook), 'sid')
    expect(getRow(await api.admin.get(`/Webhooks/${sid}`))).toEqual({ webhook_sid: sid, ...hook })
    const viewOnly = await signedIn(api, world.users['view-only admin'])
    expect((await viewOnly.get(`/Webhooks/${sid}`)).text).not.toContain('a-hook-secret')
    const denied = [403, 'insufficient privileges']
    for (const unknown of [sid, randomUUID()])
      expect(statusAndMessage(await ofA.get(`/Webhooks/${unknown}`))).toEqual(denied)
    expect((await api.admin.get(`/Webhooks/${randomUUID()}`)).status).toBe(404)
    expect((await api.admin.get('/Webhooks/nonsense')).status).toBe(400)
  })

  test.each([
    [{}, 'missing field url'],
    [{ url: 'ftp://x' }, 'url must be an http, https, ws or wss address'],
    [{ url: '' }, 'url must be an http, https, ws or wss address'],
    [{ ...hook, method: 'PUT' }, 'method must be GET or POST'],
    [{ ...hook, account_sid: world.sid.B }, 'unknown field account_sid'],
  ])('%j is rejected', async (body, msg) => {
    expect(statusAndMessage(await api.admin.post('/Webhooks', body))).toEqual([400, msg])
  })

  test('an application cannot use a webhook of the pool', async () => {
    const sid = member(await api.admin.post('/Webhooks', hook), 'sid')
    const ofA = await signedIn(api, world.users['user of A'])
    const path = `/Applications/${world.things.A.application_sid}`
    const change = { call_hook: { webhook_sid: sid, url: 'https://mine.example.org' } }
    expect((await ofA.put(path, change)).status).toBe(400)
    expect(getRow(await api.admin.get(`/Webhooks/${sid}`))).toMatchObject(hook)
  })
})

test('GET /swagger returns the OpenAPI document', async () => {
  const response = await api.app.inject('/swagger')
  expect(response.headers['content-type']).toContain('application/json')
  expect(response.json()).toMatchObject({ openapi: '3.1.0', info: { title: 'Patchbay API' } })
})
