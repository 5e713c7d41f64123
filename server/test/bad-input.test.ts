import { randomUUID } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type Endpoint, splitKey } from '@patchbay/contract/api/endpoint'
import { contract } from '@patchbay/contract/contract'
import { isSid } from '@patchbay/contract/shared/sids'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { runsAllCases } from '@patchbay/testkit/test-tier'
import { type AccountThings, createWorld, type World } from '@patchbay/testkit/test-world'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { isTestedEndpoint } from './call-data.ts'
import {
  isPaged,
  parentQuery,
  storeCall,
  storeCapturedCall,
  storeRecordedCall,
  storeTrace,
  storeTracedCall,
} from './fixtures.ts'

let api: TestApi
let world: World
/** Ids of a call of account A2, and of a call of provider Q. */
let trace_ids: { account: string; provider: string }
let sip_callids: { account: string; provider: string }
let call_sid: string
let webhook_sid: string
const recorded_sid = randomUUID()
let recording: string

const makeWorld = async () => {
  world = await createWorld(api)
  const { A2, P, B, Q } = world.sid
  const account = { account_sid: A2, service_provider_sid: P }
  const provider = { account_sid: B, service_provider_sid: Q }
  call_sid = await storeCall(api, { ...account, trace_id: await storeTrace(api) })
  webhook_sid = member(await api.admin.post('/Webhooks', { url: 'https://hooks.example.org' }), 'sid')
  trace_ids = { account: await storeTracedCall(api, account), provider: await storeTracedCall(api, provider) }
  sip_callids = { account: await storeCapturedCall(api, account), provider: await storeCapturedCall(api, provider) }
  recording = await storeRecordedCall(api, account, recorded_sid)
  await storeRecordedCall(api, provider, recorded_sid)
}

beforeAll(async () => {
  api = await createTestApi({ PRIVATE_NETWORKS: loopbackNetwork })
  await makeWorld()
})
afterAll(() => api.close())

const send = (options: InjectOptions): Promise<LightMyRequestResponse> =>
  api.app.inject({ ...options, headers: { authorization: `Bearer ${api.admin.token}`, ...options.headers } })

const json = 'application/json'
const internalTerms =
  /\bSELECT\b|\bINSERT\b|\bUPDATE\b|\bDELETE FROM\b|sqlite|kysely|mysql|ER_[A-Z]|SQLITE_|ZodError|\bat \/|node_modules/

/** Returns the problem with a response to invalid input, or undefined if it is a proper error response. */
const findProblem = ({ statusCode, body, headers }: LightMyRequestResponse): string | undefined => {
  if (statusCode >= 500) return `${statusCode} ${body}`
  if (statusCode < 400) return undefined
  if (!String(headers['content-type']).startsWith(json)) return `${statusCode} as ${String(headers['content-type'])}`
  const parsed: unknown = JSON.parse(body)
  const msg: unknown = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, 'msg') : undefined
  if (typeof msg !== 'string' || msg === '') return `${statusCode} without a msg: ${body}`
  return internalTerms.test(body) ? `tells of the inside: ${body}` : undefined
}

// The contract's keys and endpoints without their literal types.
const allEndpoints = Object.entries<Endpoint>(contract)
const endpoints = allEndpoints.filter(([key]) => isTestedEndpoint(key))

/** Expected statuses for existing resources if they differ from 200. */
const expectedStatuses: Readonly<Record<string, number>> = {
  'GET /AppEnv': 204,
  // An administrator must name the owner.
  'GET /patchbay/alert-acknowledgments': 400,
  // The caller has requested no bulk change.
  'GET /patchbay/bulk-changes/:bulk_change_sid': 404,
  // Without Redis, there are no calls in progress.
  'GET /Accounts/:account_sid/Calls/:call_sid': 404,
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/logs': 400,
  // The token of a caller is not that of a link.
  'GET /patchbay/shared-call': 404,
  'GET /patchbay/shared-call/recording': 404,
  'GET /patchbay/shared-report': 404,
  'GET /patchbay/shared-report/report.html': 404,
  'GET /patchbay/shared-report/call.pcap': 404,
  // The account has no call with this Call-ID.
  'GET /patchbay/accounts/:account_sid/call-report.html': 404,
  'GET /patchbay/accounts/:account_sid/call-report.pcap': 404,
  // Billing is disabled.
  'GET /Prices': 404,
  'GET /StripeCustomerId': 404,
  'GET /Invoices': 404,
  'GET /Subscriptions': 404,
}

/** Endpoints with their accepted input, and paths to existing resources. */
const getPath = (key: string): string => {
  const side = key.includes(':service_provider_sid') ? 'provider' : 'account'
  return (
    splitKey(key)
      .path.replace(':account_sid', world.sid.A2)
      // Credentials of account A2 belong to its own provider.
      .replace(':service_provider_sid/SpeechCredentials', `${world.sid.P}/SpeechCredentials`)
      .replace(':service_provider_sid', world.sid.Q)
      .replace(':user_sid', world.users['user of B'].user_sid)
      .replace(':api_key_sid', world.keys['key of B'].api_key_sid)
      .replace(':alert_hook_sid', ':alert_destination_sid')
      .replace(/:(\w+)/g, (param, name: string) => world.things.A2[name as keyof AccountThings] ?? param)
      // The response repeats the name from the request, so the name must be the same in uppercase.
      .replace(':webhook_sid', webhook_sid)
      .replace(':client', '-')
      .replace(':trace_id', trace_ids[side])
      .replace('/RecentCalls/:call_sid/record/:year/:month/:day/:format', recording)
      .replace(':call_sid', call_sid)
      .replace(':sip_callid/:method', `${sip_callids[side]}/invite`)
      .replace(':sip_callid', sip_callids[side])
  )
}

const request = (key: string, payload: string, contentType = json): Promise<LightMyRequestResponse> =>
  send({ method: splitKey(key).method, url: `/v1${getPath(key)}`, payload, headers: { 'content-type': contentType } })

const isAlive = async () => {
  expect((await api.app.inject({ url: '/health' })).body).toBe('OK')
  expect((await api.admin.get('/Users/me')).status).toBe(200)
}

/** Values that are invalid for most fields. */
const oddValues: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['true', true],
  ['zero', 0],
  ['a negative number', -1],
  ['a fraction', 0.5],
  ['a huge number', 1e308],
  ['an unsafe integer', 2 ** 53 + 1],
  ['an empty text', ''],
  ['blanks', ' \t\n '],
  ['a long text', 'x'.repeat(5000)],
  ['a very long text', 'ü'.repeat(40_000)],
  ['an emoji text', '😀'.repeat(64)],
  ['right-to-left and zero-width', '\u202e\u200b\ufeff'],
  ['half a surrogate pair', '\ud800'],
  ['control characters', '\u0000\u0001\u001f'],
  ['a text with a quote', `'; DROP TABLE accounts; --`],
  ['a text with wildcards', '%_\\'],
  ['an empty list', []],
  ['a list', [1, 'two', null]],
  ['a list of lists', [[[[]]]]],
  ['an empty object', {}],
  ['an object', { a: { b: { c: 1 } } }],
  ['an operator object', { $ne: null }],
  ['an object with its own toString', { toString: 'x', valueOf: 'y', length: 3 }],
  ['a date', '2026-01-01T00:00:00Z'],
  ['an impossible date', '2026-02-31T25:61:61Z'],
  ['a date far away', '+275760-09-13T00:00:00.001Z'],
  ['a sid', '00000000-0000-4000-8000-000000000000'],
]

const members = (schema: z.ZodType | undefined): string[] => {
  const inner =
    schema && 'unwrap' in schema && typeof schema.unwrap === 'function' ? (schema.unwrap() as z.ZodType) : schema
  if (inner instanceof z.ZodDiscriminatedUnion)
    return [...new Set(inner.options.flatMap((option) => members(option as z.ZodType)))]
  // For a list, these are the fields of its items.
  if (inner instanceof z.ZodArray) return members(inner.element as z.ZodType)
  return inner instanceof z.ZodObject
    ? Object.keys(inner.shape)
    : inner
      ? members(inner === schema ? undefined : inner)
      : []
}

const bodyEndpoints = endpoints.filter(([, { body, signedBy }]) => body !== undefined && signedBy === undefined)
/** Signed bodies are not parsed before their signature is verified. */
const writing = endpoints.filter(([key, { signedBy }]) => !key.startsWith('GET ') && signedBy === undefined)

/** Yields bodies with one unusual value in every field, or one unusual field among valid ones. */
const oddBodies = (fields: readonly string[]): [string, string][] => [
  ...oddValues.map(([name, value]): [string, string] => [`the body ${name}`, JSON.stringify(value)]),
  ...oddValues.map(([name, value]): [string, string] => [
    `all fields ${name}`,
    JSON.stringify(Object.fromEntries(fields.map((field) => [field, value]))),
  ]),
  ...fields.flatMap((field) =>
    oddValues.map(([name, value]): [string, string] => [
      `${field}: ${name}`,
      JSON.stringify({ name: randomUUID(), [field]: value }),
    ]),
  ),
  ['__proto__', '{"__proto__": {"scope": "admin", "is_view_only": 0}, "name": "x"}'],
  ['constructor.prototype', '{"constructor": {"prototype": {"scope": "admin"}}}'],
  ['__proto__ inside', '{"registration_hook": {"__proto__": {"url": "https://x.example.org"}}}'],
  ['hasOwnProperty', '{"hasOwnProperty": 1, "toString": 2}'],
  ['a member twice', '{"name": "a", "name": {"b": 1}}'],
  ['deep nesting', `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`],
  ['deep lists', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
]

/** `npm test` sends one of this many bodies to each endpoint, and other ones to the next endpoint. */
const sampling = 12

const sample = <Value>(values: readonly Value[], key: string): readonly Value[] => {
  const offset = endpoints.findIndex(([name]) => name === key)
  return runsAllCases ? values : values.filter((_, at) => (at + offset) % sampling === 0)
}

describe('unusual bodies never cause a 5xx or reveal internals', () => {
  test('the test knows the fields of every endpoint with a body', () => {
    // A list of names has no fields, a deletion accepts none, and a provider of text messages determines its own.
    const without = [
      'POST /Accounts/:account_sid/RegisteredSipUsers',
      'DELETE /Accounts/:account_sid',
      'POST /messaging/:provider',
    ]
    const testable = bodyEndpoints.filter(([key, { body }]) => without.includes(key) || members(body).length > 0)
    expect(testable.map(([key]) => key)).toEqual(bodyEndpoints.map(([key]) => key))
    expect(bodyEndpoints.length).toBeGreaterThan(5)
  })

  test.each(bodyEndpoints)('%s', async (key, { body }) => {
    // A new target for each request would hide the effect of one unusual change on the next.
    await makeWorld()
    const faults: string[] = []
    const isList = body instanceof z.ZodArray
    for (const [name, payload] of sample(oddBodies(members(body)), key)) {
      for (const requestBody of isList ? [payload, `[${payload}]`] : [payload]) {
        const fault = findProblem(await request(key, requestBody))
        if (fault) faults.push(`${name}: ${fault}`)
      }
    }
    expect(faults).toEqual([])
    await isAlive()
    expect(Object.hasOwn(Object.prototype, 'scope')).toBe(false)
  })

  test('resources are readable after the changes by unusual bodies', async () => {
    for (const path of ['/Accounts', '/ServiceProviders', `/ServiceProviders/${world.sid.P}/Accounts`])
      expect((await api.admin.get(path)).status).toBe(200)
  })
})

const queryEndpoints = endpoints.filter(([, { query }]) => query !== undefined)

describe('unusual queries never cause a 5xx', () => {
  test.each(queryEndpoints)('%s', async (key, { query }) => {
    const queryValues = oddValues.map(
      ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
    )
    const faults: string[] = []
    const ask = async (name: string, search: string) => {
      const fault = findProblem(await send({ method: splitKey(key).method, url: `/v1${getPath(key)}?${search}` }))
      if (fault) faults.push(`${name}: ${fault}`)
    }
    for (const field of members(query)) {
      for (const [name, text] of sample(queryValues, key)) {
        const rest: Record<string, string> = isPaged(key) ? { page: '1', count: '1' } : {}
        await ask(`${field}: ${name}`, String(new URLSearchParams({ ...rest, [field]: text.slice(0, 3000) })))
      }
      await ask(`${field} twice`, `${field}=1&${field}=2`)
      await ask(`${field} as list`, `${field}[]=1&${field}[a]=2`)
      await ask(`${field} badly encoded`, `${field}=%E0%A4%A`)
    }
    await ask('__proto__', '__proto__=x&constructor=y')
    expect(faults).toEqual([])
    await isAlive()
  })
})

const pathEndpoints = endpoints.filter(([key]) => key.includes(':'))

test.each(pathEndpoints)('%s rejects unusual sids in the path', async (key) => {
  const odd = ['%00', "'", '..%2f..%2fetc%2fpasswd', 'null', 'undefined', '1 OR 1=1', '%F0%9F%98%80', 'x'.repeat(290)]
  for (const sid of odd) {
    const { method, path } = splitKey(key)
    const url = `/v1${path.replace(/:\w+/, encodeURI(sid).replaceAll('%25', '%'))}`
    const answer = await send({ method, url, ...(method === 'GET' ? {} : { payload: {} }) })
    expect([sid.slice(0, 40), findProblem(answer)]).toEqual([sid.slice(0, 40), undefined])
    expect(answer.statusCode).toBeGreaterThanOrEqual(400)
  }
  await isAlive()
})

test.each(['%E0%A4%A', '%', 'x'.repeat(400)])(
  'a path that cannot be read is refused like any other: %s',
  async (sid) => {
    const answer = await send({ url: `/v1/Accounts/${sid}` })
    expect(findProblem(answer)).toBeUndefined()
  },
)

const freshName = () => `by ${randomUUID()}`

describe('bodies that are not valid', () => {
  test.each(writing)('%s: JSON that does not parse is 400', async (key) => {
    for (const payload of ['{', '{"name": }', 'nonsense', '{"a": 1}}', "{'name': 'x'}", '\u0000', '"open']) {
      const answer = await request(key, payload)
      expect([payload, answer.statusCode, JSON.parse(answer.body)]).toEqual([
        payload,
        400,
        { msg: 'The body is not valid JSON', code: 'malformed_json' },
      ])
    }
    await isAlive()
  })

  test.each(writing)(
    '%s: a body over 100 kB, or what the endpoint itself says, is 413',
    async (key, { bodyLimit = 100 * 1024 }) => {
      const payload = JSON.stringify({ name: 'x'.repeat(bodyLimit + 1024) })
      for (const contentType of [json, 'application/x-www-form-urlencoded', 'text/plain']) {
        const answer = await request(key, payload, contentType)
        expect([contentType, answer.statusCode]).toEqual([contentType, 413])
        expect(JSON.parse(answer.body)).toMatchObject({ msg: 'request entity too large' })
      }
    },
  )

  test('a body of almost 100 kB is accepted', async () => {
    const answer = await request(
      'POST /ServiceProviders',
      JSON.stringify({ name: freshName(), description: 'x'.repeat(99 * 1024) }),
    )
    expect(JSON.parse(answer.body)).toMatchObject({ field: 'description' })
  })

  test('a body with another content type counts as empty', async () => {
    for (const contentType of [
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
    ]) {
      const answer = await request('POST /ServiceProviders', JSON.stringify({ name: freshName() }), contentType)
      expect([contentType, answer.statusCode, findProblem(answer)]).toEqual([contentType, 400, undefined])
    }
    const unreadable = await request('POST /ServiceProviders', '{}', 'nonsense')
    expect([unreadable.statusCode, findProblem(unreadable)]).toEqual([415, undefined])
    const none = await send({ method: 'POST', url: '/v1/ServiceProviders' })
    expect([none.statusCode, JSON.parse(none.body)]).toEqual([
      400,
      expect.objectContaining({ msg: 'missing field name' }),
    ])
  })

  test('an empty body with a JSON content type counts as empty, so that DELETE works with the usual headers', async () => {
    const { sid } = await api.apiKey()
    const answer = await send({ method: 'DELETE', url: `/v1/ApiKeys/${sid}`, headers: { 'content-type': json } })
    expect(answer.statusCode).toBe(204)
  })

  test('forms are accepted like JSON', async () => {
    const form = new URLSearchParams({ name: freshName(), ms_teams_fqdn: 'teams.example.org' })
    const answer = await request('POST /ServiceProviders', String(form), 'application/x-www-form-urlencoded')
    expect(answer.statusCode).toBe(201)
  })

  test('JSON with another notation of the charset is accepted', async () => {
    const answer = await request(
      'POST /ServiceProviders',
      JSON.stringify({ name: 'Zürich 😀' }),
      'application/json; charset=UTF-8',
    )
    expect(answer.statusCode).toBe(201)
    expect((await api.admin.get('/ServiceProviders')).text).toContain('Zürich 😀')
  })

  test('an invalid token with an invalid body gets 401 without further details', async () => {
    const answer = await api.app.inject({
      method: 'POST',
      url: '/v1/Accounts',
      payload: '{}',
      headers: { authorization: 'Bearer x', 'content-type': json },
    })
    expect([answer.statusCode, JSON.parse(answer.body)]).toEqual([401, { msg: 'Unauthorized', code: 'unauthorized' }])
  })
})

describe('unusual tokens', () => {
  test.each([
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Basic YTpi',
    'bearer',
    '',
    'Bearer \u00fc',
    `Bearer ${'x'.repeat(5000)}`,
    "Bearer ' OR 1=1 --",
  ])('Authorization: %j is rejected', async (authorization) => {
    const answer = await api.app.inject({ url: '/v1/Accounts', headers: { authorization } })
    expect([400, 401]).toContain(answer.statusCode)
    expect(findProblem(answer)).toBeUndefined()
  })

  test('the scheme is case-insensitive', async () => {
    const answer = await api.app.inject({
      url: '/v1/Accounts',
      headers: { authorization: `bEARER ${api.admin.token}` },
    })
    expect(answer.statusCode).toBe(200)
  })

  test('a token without a signature is rejected', async () => {
    const [, claims = ''] = api.admin.token.split('.')
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
    for (const token of [`${none}.${claims}.`, `${none}.${claims}`, `${api.admin.token}.x`])
      expect((await api.as(token).get('/Accounts')).status).toBe(401)
  })
})

describe('paths', () => {
  test('all endpoints exist under /v1 and under /api/v1', async () => {
    for (const base of ['/v1', '/api/v1']) {
      const answer = await send({ url: `${base}/Users/me` })
      expect(answer.statusCode).toBe(200)
      expect(answer.body).toContain('"name":"admin"')
      const login = { username: world.users['user of B'].name, password: 'wrong' }
      expect((await api.app.inject({ method: 'POST', url: `${base}/login`, payload: login })).statusCode).toBe(403)
    }
    expect((await send({ url: '/v2/Users/me' })).statusCode).toBe(404)
    expect((await send({ url: '/Users/me' })).statusCode).toBe(404)
  })

  test.each(endpoints.filter(([key]) => key.startsWith('GET ')))(
    '%s is found in any case and with a trailing slash',
    async (key) => {
      // Denied requests of other callers are written to the audit trail with a delay.
      await api.services.trail.flush()
      const query = isPaged(key) ? '?page=1&count=1' : parentQuery(key, world.things.A2)
      const plain = await send({ url: `/v1${getPath(key)}${query}` })
      expect(plain.statusCode).toBe(expectedStatuses[key] ?? 200)
      // Sids remain unchanged.
      const written = (as: (part: string) => string) =>
        getPath(key).replaceAll(/[^/]+/g, (part) => (isSid(part) ? part : as(part)))
      for (const path of [
        `/V1${written((part) => part.toLowerCase())}`,
        `/v1${written((part) => part.toUpperCase())}`,
        `/v1${getPath(key)}/`,
      ]) {
        const answer = await send({ url: `${path}${query}` })
        expect([path, answer.statusCode, answer.body]).toEqual([path, plain.statusCode, plain.body])
      }
    },
  )

  test('access does not depend on the notation of the path', async () => {
    const outsider = api.as(world.keys['key of B'].token)
    for (const path of [
      `/accounts/${world.sid.A}`,
      `/ACCOUNTS/${world.sid.A}/`,
      `/Accounts/${world.sid.A.toUpperCase()}`,
    ])
      expect((await outsider.get(path)).status).toBe(403)
    for (const path of ['/ACCOUNTS', '/accounts/', '/Login/../Accounts', '//Accounts', '/login//../Accounts'])
      expect([path, [401, 404].includes((await api.nobody.get(path)).status)]).toEqual([path, true])
  })

  test('a method that a path does not support is rejected', async () => {
    for (const method of ['PATCH', 'PUT', 'DELETE'] as const) {
      const answer = await send({ method, url: '/v1/Accounts', payload: {} })
      expect([method, answer.statusCode, findProblem(answer)]).toEqual([method, 404, undefined])
    }
  })
})

describe('large answers', () => {
  beforeAll(async () => {
    for (let account = 0; account < 10; account += 1) await api.account(world.sid.P)
  })

  test.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
  ])('Accept-Encoding %s returns %s', async (accepted, encoding, open) => {
    const plain = await send({ url: '/v1/Accounts' })
    expect(plain.headers['content-encoding']).toBeUndefined()
    const answer = await send({ url: '/v1/Accounts', headers: { 'accept-encoding': accepted } })
    expect(answer.headers['content-encoding']).toBe(encoding)
    expect(answer.headers['vary']).toMatch(/accept-encoding/i)
    expect(answer.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2)
    expect(open(answer.rawPayload).toString()).toBe(plain.body)
  })

  test('small responses are not compressed', async () => {
    const answer = await send({ url: '/v1/PasswordSettings', headers: { 'accept-encoding': 'br, gzip' } })
    expect(answer.headers['content-encoding']).toBeUndefined()
  })
})

test('the OpenAPI document at /api/docs/json lists exactly the endpoints of the contract', async () => {
  const answer = await api.app.inject({ url: '/api/docs/json' })
  expect(answer.statusCode).toBe(200)
  const { openapi, paths } = z
    .object({
      openapi: z.string(),
      paths: z.record(z.string(), z.record(z.string(), z.object({ responses: z.record(z.string(), z.unknown()) }))),
    })
    .parse(JSON.parse(answer.body))
  expect(openapi).toMatch(/^3\.1\./)
  const listed = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { responses }]) => [
      `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      Object.keys(responses).filter((status) => status !== 'default'),
    ]),
  )
  // Reads of JSON are also answered with 304, and updates of records with 412, whatever the endpoint is.
  const isConditional = (key: string, { bytes }: Endpoint) => key.startsWith('GET ') && bytes === undefined
  const expected = allEndpoints.map(([key, endpoint]) => [
    key,
    [
      ...Object.keys(endpoint.responses),
      ...(isConditional(key, endpoint) ? ['304'] : []),
      ...(endpoint.updates ? ['412'] : []),
    ].toSorted(),
  ])
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(expected))
})
