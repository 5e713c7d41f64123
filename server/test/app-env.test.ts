import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { createOutgoing } from '@patchbay/server/adapters/outbound-http/outgoing'
import { createAppEnvFetcher, maxAppEnvFetchesPerMinute } from '@patchbay/server/resources/applications/app-env'
import { getPort, loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { getRow, statusAndMessage } from './fixtures.ts'

/**
 * GET /AppEnv and the validation of env_vars (docs/reference/platform-api/applications.md#environment-variables), with
 * a webhook whose response each test sets.
 */

let api: TestApi
let hook: Server
let origin: string
let requests: string[] = []
let answer: (response: ServerResponse) => unknown
let account_sid: string

const respondWith = (content: unknown, status = 200) => {
  answer = (response) => response.writeHead(status).end(typeof content === 'string' ? content : JSON.stringify(content))
}

beforeAll(async () => {
  hook = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.accept}`)
    answer(response)
  })
  hook.listen(0, '127.0.0.1')
  await once(hook, 'listening')
  origin = `http://127.0.0.1:${getPort(hook)}`
  api = await createTestApi({ PRIVATE_NETWORKS: loopbackNetwork })
  account_sid = await api.account(await api.provider())
})
afterAll(async () => {
  await api.close()
  hook.closeAllConnections()
  hook.close()
})
afterEach(() => {
  requests = []
})

const look = (url: string, caller: Caller = api.admin) => caller.get(`/AppEnv?url=${encodeURIComponent(url)}`)

const variables = {
  GREETING: { type: 'string', description: 'What is said first', required: true },
  VOICE: { type: 'string', description: 'Which voice', enum: ['alto', 'bass'] },
  RETRIES: { type: 'number', description: 'How often', default: 3 },
  SECRET: { type: 'string', description: 'A key', obscure: true, uiHint: 'textarea', prefix: 'sk-' },
  LOUD: { type: 'boolean', description: 'Shouted' },
}

describe('descriptions of a webhook', () => {
  const schemes = ['http', 'ws']

  test.each(schemes)('API-038 are requested with OPTIONS and returned unchanged: %s', async (scheme) => {
    respondWith(variables)
    const { status, body } = await look(`${origin.replace('http', scheme)}/hook?a=1&b=2`)
    expect([status, body]).toEqual([200, variables])
    expect(requests).toEqual(['OPTIONS /hook?a=1&b=2 application/json'])
  })

  test.each<[string, unknown, number]>([
    ['an error', { msg: 'no' }, 404],
    ['a redirect', variables, 302],
    ['no JSON', '<html>It works!</html>', 200],
    ['nothing', '', 200],
    ['null', null, 200],
    ['false', false, 200],
    ['an endless page', 'x'.repeat(2 ** 18 + 1), 200],
  ])('%s returns 204', async (_, content, status) => {
    respondWith(content, status)
    expect((await look(origin)).status).toBe(204)
    expect(requests).toHaveLength(1)
  })

  const described = { type: 'string', description: 'd' }
  test.each<[string, unknown]>([
    ['none', {}],
    ['a list', [described]],
    ['a text', '"text"'],
    ['a name with a dash', { 'A-B': described }],
    ['a name that objects have', '{"__proto__":{"type":"string","description":"d"}}'],
    ['no type', { A: { description: 'd' } }],
    ['another type', { A: { ...described, type: 'object' } }],
    ['no description', { A: { type: 'string' } }],
    ['a wrong requirement', { A: { ...described, required: 'yes' } }],
    ['a wrong default', { A: { ...described, default: [] } }],
    ['a wrong enumeration', { A: { ...described, enum: 'a' } }],
    ['a wrong obscurity', { A: { ...described, obscure: 1 } }],
    [
      'more than can be written out',
      `{"A":{"type":"string","description":"d","x":${'['.repeat(9000)}${']'.repeat(9000)}}}`,
    ],
  ])('%s is not a description: 400', async (_, content) => {
    respondWith(content)
    expect(statusAndMessage(await look(origin))).toEqual([400, 'Invalid appenv schema'])
  })

  test('an unreachable host returns 204, and an invalid URL is rejected', async () => {
    expect((await look('http://127.0.0.1:1')).status).toBe(204)
    for (const [url, msg] of [
      ['', 'url URL is invalid'],
      ['hook', 'url URL is invalid'],
      ['ftp://a.example', 'url URL has missing or invalid protocol ftp:'],
    ] as const)
      expect([url, statusAndMessage(await look(url))]).toEqual([url, [400, msg]])
    expect((await api.admin.get('/AppEnv')).status).toBe(400)
  })

  test('a slow webhook takes at most the time limit', async () => {
    const ask = createAppEnvFetcher(createOutgoing({ privateNetworks: [loopbackNetwork], vendorAddresses: {} }), 500)
    const neverAborted = new AbortController().signal
    answer = () => {}
    expect(await ask(origin, neverAborted)).toBeUndefined()
    answer = (response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{')
    }
    expect(await ask(origin, neverAborted)).toBeUndefined()
    expect(requests).toHaveLength(2)
  })

  test('webhooks in private networks are not requested unless the operator allows it', async () => {
    const guarded = await createTestApi()
    try {
      for (const url of [origin, origin.replace('127.0.0.1', 'localhost')])
        expect(statusAndMessage(await look(url, guarded.admin))).toEqual([
          400,
          expect.stringMatching(/is in a private network\. Use a public address$/),
        ])
      expect(requests).toEqual([])
    } finally {
      await guarded.close()
    }
  })

  test('limits the requests of an account per minute and guarantees other accounts their share', async () => {
    respondWith(variables)
    const { account, provider: max } = maxAppEnvFetchesPerMinute
    const limited = await api.provider()
    const user = async (service_provider_sid: string) =>
      (await api.user({ service_provider_sid, account_sid: await api.account(service_provider_sid) })).caller
    for (let turn = 0; turn < max / account; turn += 1) {
      const caller = await user(limited)
      for (let count = 0; count < account; count += 1) expect((await look(origin, caller)).status).toBe(200)
      expect((await look(origin, caller)).status).toBe(429)
    }
    expect((await look(origin, await user(limited))).status).toBe(200)
    expect((await look(origin, await user(await api.provider()))).status).toBe(200)
  })
})

describe('variables of an application', () => {
  const application = (env_vars: object, path = '/hook') => ({
    name: randomUUID(),
    account_sid,
    call_hook: { url: `${origin}${path}` },
    call_status_hook: { url: `${origin}/status` },
    env_vars,
  })
  const add = (env_vars: object) => api.admin.post('/Applications', application(env_vars))
  const readStored = async (sid: string) => getRow(await api.admin.get(`/Applications/${sid}`))['env_vars']

  test.each<[object, string]>([
    [{}, 'Missing required value env_vars.GREETING'],
    [{ GREETING: 1 }, 'Invalid value/type for env_vars.GREETING'],
    [{ GREETING: 'hi', VOICE: 'tenor' }, 'Invalid value/type for env_vars.VOICE'],
    [{ GREETING: 'hi', RETRIES: '3' }, 'Invalid value/type for env_vars.RETRIES'],
    [{ GREETING: null }, 'Invalid value/type for env_vars.GREETING'],
    [{ RETRIES: '3', LOUD: 'yes' }, 'Invalid value/type for env_vars.LOUD'],
  ])('%j are rejected: %s, the last problem found', async (env_vars, msg) => {
    respondWith(variables)
    const refused = await add(env_vars)
    expect(statusAndMessage(refused)).toEqual([400, msg])
    expect(getRow(refused)['field']).toBe(msg.split(' ').at(-1))
    expect(requests).toEqual(['OPTIONS /hook application/json'])
  })

  test('are validated against the webhook of the change, or else the stored one', async () => {
    respondWith(variables)
    const sid = member(await add({ GREETING: 'hi', LOUD: false, OTHER: 'kept' }), 'sid')
    expect(await readStored(sid)).toEqual({ GREETING: 'hi', LOUD: false, OTHER: 'kept' })
    const put = async (body: object) => statusAndMessage(await api.admin.put(`/Applications/${sid}`, body))
    requests = []
    const missing = [400, 'Missing required value env_vars.GREETING']
    expect(await put({ env_vars: { OTHER: 'x' } })).toEqual(missing)
    expect(await put({ env_vars: { OTHER: 'x' }, call_hook: { url: `${origin}/new` } })).toEqual(missing)
    expect(requests).toEqual(['OPTIONS /hook application/json', 'OPTIONS /new application/json'])
    expect(await readStored(sid)).toEqual({ GREETING: 'hi', LOUD: false, OTHER: 'kept' })
    // A change without variables, or one that clears them, sends no request.
    requests = []
    expect(await put({ name: randomUUID() })).toEqual([204, undefined])
    expect(await put({ env_vars: null })).toEqual([204, undefined])
    expect([requests, await readStored(sid)]).toEqual([[], null])
  })

  test.each<[string, unknown, number]>([
    ['an error', 'no', 500],
    ['no description', {}, 200],
    ['nothing', '', 200],
  ])('are not validated if the webhook responds with %s', async (_, content, status) => {
    respondWith(content, status)
    const sid = member(await add({ ANY: 'thing' }), 'sid')
    expect(await readStored(sid)).toEqual({ ANY: 'thing' })
  })

  test('are not validated if the webhook may not be requested, because of its address or the rate limit', async () => {
    const guarded = await createTestApi()
    try {
      const own = await guarded.account(await guarded.provider())
      const response = await guarded.admin.post('/Applications', { ...application({ ANY: 'thing' }), account_sid: own })
      expect([response.status, requests]).toEqual([201, []])
    } finally {
      await guarded.close()
    }
    respondWith(variables)
    const service_provider_sid = await api.provider()
    const { caller } = await api.user({ service_provider_sid, account_sid: await api.account(service_provider_sid) })
    for (let count = 0; count < maxAppEnvFetchesPerMinute.account; count += 1) await look(origin, caller)
    requests = []
    expect((await caller.post('/Applications', application({}))).status).toBe(201)
    expect(requests).toEqual([])
  })

  test('a caller without permission to change it does not cause a request to the webhook', async () => {
    respondWith(variables)
    const sid = member(await add({ GREETING: 'hi' }), 'sid')
    requests = []
    const service_provider_sid = await api.provider()
    const { caller } = await api.user({ service_provider_sid, account_sid: await api.account(service_provider_sid) })
    expect((await caller.put(`/Applications/${sid}`, { env_vars: { GREETING: 'x' } })).status).toBe(403)
    expect(requests).toEqual([])
  })
})
