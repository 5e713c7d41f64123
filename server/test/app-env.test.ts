import { createOutgoing } from '@patchbay/server/adapters/outbound-http/outgoing'
import { createAppEnvFetcher, maxAppEnvFetchesPerMinute } from '@patchbay/server/resources/applications/app-env'
import { getPort } from '@patchbay/testkit/ports'
import { loopbackNetwork } from '@patchbay/testkit/fake-object-storage'
import { type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { statusAndMessage, getRow } from './fixtures.ts'

/** GET /AppEnv and the check of env_vars (api/1-identity.md §11.7, §12), against a webhook that says what a test wants. */

let api: TestApi
let hook: Server
let origin: string
let asked: string[] = []
let answer: (response: ServerResponse) => unknown
let account_sid: string

const says = (said: unknown, status = 200) => {
  answer = (response) => response.writeHead(status).end(typeof said === 'string' ? said : JSON.stringify(said))
}

beforeAll(async () => {
  hook = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.accept}`)
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
  asked = []
})

const look = (url: string, caller: Caller = api.admin) => caller.get(`/AppEnv?url=${encodeURIComponent(url)}`)

const variables = {
  GREETING: { type: 'string', description: 'What is said first', required: true },
  VOICE: { type: 'string', description: 'Which voice', enum: ['alto', 'bass'] },
  RETRIES: { type: 'number', description: 'How often', default: 3 },
  SECRET: { type: 'string', description: 'A key', obscure: true, uiHint: 'textarea', prefix: 'sk-' },
  LOUD: { type: 'boolean', description: 'Shouted' },
}

describe('what a webhook says', () => {
  const schemes = ['http', 'ws']

  test.each(schemes)('API-038 is asked for by OPTIONS, and answered as it is, whole: %s', async (scheme) => {
    says(variables)
    const { status, body } = await look(`${origin.replace('http', scheme)}/hook?a=1&b=2`)
    expect([status, body]).toEqual([200, variables])
    expect(asked).toEqual(['OPTIONS /hook?a=1&b=2 application/json'])
  })

  test.each<[string, unknown, number]>([
    ['an error', { msg: 'no' }, 404],
    ['a redirect', variables, 302],
    ['no JSON', '<html>It works!</html>', 200],
    ['nothing', '', 200],
    ['null', null, 200],
    ['false', false, 200],
    ['an endless page', 'x'.repeat(2 ** 18 + 1), 200],
  ])('%s says nothing: 204', async (_, said, status) => {
    says(said, status)
    expect((await look(origin)).status).toBe(204)
    expect(asked).toHaveLength(1)
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
  ])('%s is no description: 400', async (_, said) => {
    says(said)
    expect(statusAndMessage(await look(origin))).toEqual([400, 'Invalid appenv schema'])
  })

  test('a host that is not there says nothing; an address that is none is refused', async () => {
    expect((await look('http://127.0.0.1:1')).status).toBe(204)
    for (const [url, msg] of [
      ['', 'url URL is invalid'],
      ['hook', 'url URL is invalid'],
      ['ftp://a.example', 'url URL has missing or invalid protocol ftp:'],
    ] as const)
      expect([url, statusAndMessage(await look(url))]).toEqual([url, [400, msg]])
    expect((await api.admin.get('/AppEnv')).status).toBe(400)
  })

  test('one that is slow, or drips, costs at most the time there is', async () => {
    const ask = createAppEnvFetcher(createOutgoing({ privateNetworks: [loopbackNetwork], vendorAddresses: {} }), 50)
    const nobody = new AbortController().signal
    answer = () => {}
    expect(await ask(origin, nobody)).toBeUndefined()
    answer = (response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{')
    }
    expect(await ask(origin, nobody)).toBeUndefined()
    expect(asked).toHaveLength(2)
  })

  test('in a private network none is asked, unless the operator allows it', async () => {
    const guarded = await createTestApi()
    try {
      for (const url of [origin, origin.replace('127.0.0.1', 'localhost')])
        expect(statusAndMessage(await look(url, guarded.admin))).toEqual([
          400,
          expect.stringMatching(/is in a private network\. Use a public address$/),
        ])
      expect(asked).toEqual([])
    } finally {
      await guarded.close()
    }
  })

  test('limits how often an account may ask in a minute, and leaves other accounts their share', async () => {
    says(variables)
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
  const storedOf = async (sid: string) => getRow(await api.admin.get(`/Applications/${sid}`))['env_vars']

  test.each<[object, string]>([
    [{}, 'Missing required value env_vars.GREETING'],
    [{ GREETING: 1 }, 'Invalid value/type for env_vars.GREETING'],
    [{ GREETING: 'hi', VOICE: 'tenor' }, 'Invalid value/type for env_vars.VOICE'],
    [{ GREETING: 'hi', RETRIES: '3' }, 'Invalid value/type for env_vars.RETRIES'],
    [{ GREETING: null }, 'Invalid value/type for env_vars.GREETING'],
    [{ RETRIES: '3', LOUD: 'yes' }, 'Invalid value/type for env_vars.LOUD'],
  ])('%j are refused: %s, the last problem that is found', async (env_vars, msg) => {
    says(variables)
    const refused = await add(env_vars)
    expect(statusAndMessage(refused)).toEqual([400, msg])
    expect(getRow(refused)['field']).toBe(msg.split(' ').at(-1))
    expect(asked).toEqual(['OPTIONS /hook application/json'])
  })

  test('a change is held against the webhook that it brings, or else the stored one', async () => {
    says(variables)
    const sid = member(await add({ GREETING: 'hi', LOUD: false, OTHER: 'kept' }), 'sid')
    expect(await storedOf(sid)).toEqual({ GREETING: 'hi', LOUD: false, OTHER: 'kept' })
    const put = async (body: object) => statusAndMessage(await api.admin.put(`/Applications/${sid}`, body))
    asked = []
    const missing = [400, 'Missing required value env_vars.GREETING']
    expect(await put({ env_vars: { OTHER: 'x' } })).toEqual(missing)
    expect(await put({ env_vars: { OTHER: 'x' }, call_hook: { url: `${origin}/new` } })).toEqual(missing)
    expect(asked).toEqual(['OPTIONS /hook application/json', 'OPTIONS /new application/json'])
    expect(await storedOf(sid)).toEqual({ GREETING: 'hi', LOUD: false, OTHER: 'kept' })
    // What brings none, or clears them, asks nobody.
    asked = []
    expect(await put({ name: randomUUID() })).toEqual([204, undefined])
    expect(await put({ env_vars: null })).toEqual([204, undefined])
    expect([asked, await storedOf(sid)]).toEqual([[], null])
  })

  test.each<[string, unknown, number]>([
    ['an error', 'no', 500],
    ['no description', {}, 200],
    ['nothing', '', 200],
  ])('where the webhook answers %s nothing is checked', async (_, said, status) => {
    says(said, status)
    const sid = member(await add({ ANY: 'thing' }), 'sid')
    expect(await storedOf(sid)).toEqual({ ANY: 'thing' })
  })

  test('nor where it may not be asked, for where it is or for how often', async () => {
    const guarded = await createTestApi()
    try {
      const own = await guarded.account(await guarded.provider())
      const made = await guarded.admin.post('/Applications', { ...application({ ANY: 'thing' }), account_sid: own })
      expect([made.status, asked]).toEqual([201, []])
    } finally {
      await guarded.close()
    }
    says(variables)
    const service_provider_sid = await api.provider()
    const { caller } = await api.user({ service_provider_sid, account_sid: await api.account(service_provider_sid) })
    for (let count = 0; count < maxAppEnvFetchesPerMinute.account; count += 1) await look(origin, caller)
    asked = []
    expect((await caller.post('/Applications', application({}))).status).toBe(201)
    expect(asked).toEqual([])
  })

  test('who may not change it does not make the server ask its webhook', async () => {
    says(variables)
    const sid = member(await add({ GREETING: 'hi' }), 'sid')
    asked = []
    const service_provider_sid = await api.provider()
    const { caller } = await api.user({ service_provider_sid, account_sid: await api.account(service_provider_sid) })
    expect((await caller.put(`/Applications/${sid}`, { env_vars: { GREETING: 'x' } })).status).toBe(403)
    expect(asked).toEqual([])
  })
})
