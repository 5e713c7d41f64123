import { randomUUID } from 'node:crypto'
import { maxProviderCalls } from '@patchbay/contract/live-calls'
import { purgeLiveCalls } from '@patchbay/server/adapters/live-calls/purge'
import { connectRedis } from '@patchbay/server/adapters/redis'
import { type FeatureServer, startFeatureServer } from '@patchbay/testkit/peers/feature-server'
import { freePort } from '@patchbay/testkit/servers/ports'
import { type RedisServer, startRedis } from '@patchbay/testkit/servers/redis'
import { type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import Fastify from 'fastify'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { getMessage, getRow, getRows, type Row, statusAndMessage } from './fixtures.ts'

/** Tests with Debian's redis-server and calls in the format of jambonz's feature servers. */

let server: RedisServer
let redis: Redis
let featureServer: FeatureServer
let api: TestApi
let account: string
let beside: string
let providerSid: string
/** User of the account. */
let user: Caller
/** User of its provider. */
let provider: Caller

beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.port)
  featureServer = await startFeatureServer(server.port)
  api = await createTestApi(server.settings)
  const service_provider_sid = await api.provider()
  providerSid = service_provider_sid
  account = await api.account(service_provider_sid)
  beside = await api.account(service_provider_sid)
  user = (await api.apiKey({ account_sid: account })).caller
  provider = (await api.apiKey({ service_provider_sid })).caller
})
beforeEach(() => featureServer.join())
afterEach(async () => {
  featureServer.answer = undefined
  featureServer.heard.length = 0
  const keys = await redis.keys('*')
  // Keeps the sessions.
  const ofCalls = keys.filter((key) => !/^(?:jwt|patchbay):/.test(key))
  if (ofCalls.length > 0) await redis.del(...ofCalls)
})
afterAll(async () => {
  await api.close()
  redis.disconnect()
  await featureServer.close()
  await server.stop()
})

const calls = (sid = account) => `/Accounts/${sid}/Calls`
const sidsIn = (rows: readonly Row[]) => rows.map(({ call_sid }) => call_sid)
const speech = {
  speech_synthesis_vendor: 'google',
  speech_synthesis_language: 'en-US',
  speech_synthesis_voice: 'en-US-Standard-C',
  speech_recognizer_vendor: 'google',
  speech_recognizer_language: 'en-US',
}
const to = { type: 'phone', number: '16172375080' }
const plain = { from: '15083728299', to, call_hook: 'https://example.org/call', ...speech }

describe('calls in progress', () => {
  test('are those of the account, newest first, as stored by jambonz, with names in snake case', async () => {
    const first = await featureServer.call(account, { from: '1' }, Date.parse('2026-05-01T10:00:00Z'))
    const second = await featureServer.call(account, { parentCallSid: first, sipStatus: '100', duration: 'x' })
    await featureServer.call(beside)
    const rows = getRows(await user.get(calls()))
    expect(sidsIn(rows)).toEqual([second, first])
    expect(rows[1]).toMatchObject({
      account_sid: account,
      call_sid: first,
      direction: 'inbound',
      from: '1',
      to: '15083084809',
      call_status: 'in-progress',
      sip_status: 200,
      originating_sip_trunk_name: 'a trunk',
      sbc_callid: expect.any(String),
      service_url: featureServer.url,
      started_at: '2026-05-01T10:00:00.000Z',
    })
    expect(rows[0]).toMatchObject({ parent_call_sid: first, sip_status: 100 })
    expect(rows[0]).not.toHaveProperty('duration')
    expect(getRow(await user.get(`${calls()}/${first}`))).toEqual(rows[1])
    expect(sidsIn(getRows(await provider.get(calls(beside))))).toHaveLength(1)
  })

  test('are filtered by exact values', async () => {
    const one = await featureServer.call(account, { from: '1', to: '2', direction: 'outbound', callStatus: 'ringing' })
    await featureServer.call(account, { from: '11', to: '22' })
    for (const query of [
      'direction=outbound',
      'from=1',
      'to=2',
      'callStatus=ringing',
      'from=1&to=2&direction=outbound',
    ])
      expect([query, sidsIn(getRows(await user.get(`${calls()}?${query}`)))]).toEqual([query, [one]])
    expect(getRows(await user.get(`${calls()}?from=1&to=22`))).toEqual([])
  })

  test('do not include a call with an expired record, which is purged when it is old but never if it is new', async () => {
    const old = await featureServer.call(account, {}, Date.now() - 120_000)
    const young = await featureServer.call(account)
    const there = await featureServer.call(account, {}, Date.now() - 120_000)
    await redis.del(`call:${account}:${old}`, `call:${account}:${young}`)
    expect(sidsIn(getRows(await user.get(calls())))).toEqual([there])
    expect((await user.get(`${calls()}/${old}`)).status).toBe(404)
    const connection = await connectRedis({ at: { host: '127.0.0.1', port: server.port } }, Fastify().log)
    await redis.set('purge-calls-lock', 'locked')
    expect(await purgeLiveCalls(connection)).toBe(0)
    await redis.del('purge-calls-lock')
    expect(await purgeLiveCalls(connection)).toBe(1)
    expect(await redis.zcard('active-call-sids')).toBe(2)
    expect(await redis.exists('purge-calls-lock')).toBe(0)
    await connection.close()
  })

  test('tolerate other data under the key of a call', async () => {
    const key = `call:${account}:${randomUUID()}`
    await featureServer.write(['SET', key, 'no hash'], ['ZADD', 'active-call-sids', '1e300', key])
    const odd = await featureServer.call(account, {}, 1e17)
    const rows = getRows(await user.get(calls()))
    expect(sidsIn(rows)).toEqual([odd])
    expect(rows[0]).not.toHaveProperty('started_at')
    expect((await user.get(`${calls()}/${key.slice(-36)}`)).status).toBe(404)
  })

  test('are listed for an account with ten thousand calls, and concurrently for another account', async () => {
    await featureServer.calls(account, 10_000)
    const one = await featureServer.call(beside)
    const rows = getRows(await user.get(calls()))
    expect(new Set(sidsIn(rows)).size).toBe(10_000)
    expect(rows[0]).toMatchObject({ from: '15080' })
    expect(sidsIn(getRows(await provider.get(calls(beside))))).toEqual([one])
    const answers = await Promise.all(Array.from({ length: 300 }, () => provider.get(calls(beside))))
    // Requests of one account wait for each other, but not requests of other accounts.
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]))
  })

  test('are listed for all accounts of a service provider and no others, newest first, up to a maximum', async () => {
    const ofProvider = `/patchbay/service-providers/${providerSid}/live-calls`
    const read = async () => {
      const { data, is_cut } = getRow(await provider.get(ofProvider))
      return { data: data as Row[], is_cut }
    }
    expect(await read()).toEqual({ data: [], is_cut: false })
    const foreign = await api.account(await api.provider())
    const first = await featureServer.call(account, {}, Date.parse('2026-05-01T10:00:00Z'))
    const second = await featureServer.call(beside, { callStatus: 'completed' }, Date.parse('2026-05-01T11:00:00Z'))
    const expired = await featureServer.call(account)
    await redis.del(`call:${account}:${expired}`)
    await featureServer.call(foreign)
    const { data, is_cut } = await read()
    expect(data).toMatchObject([
      { account_sid: beside, call_sid: second, call_status: 'completed' },
      { account_sid: account, call_sid: first, started_at: '2026-05-01T10:00:00.000Z' },
    ])
    expect(is_cut).toBe(false)
    expect((await user.get(ofProvider)).status).toBe(403)

    await featureServer.calls(account, maxProviderCalls)
    const cut = await read()
    expect([cut.data.length, cut.is_cut]).toEqual([maxProviderCalls, true])
    expect(sidsIn(cut.data)).not.toContain(first)
  })

  test('are counted by the SBCs, and missing counts are 0', async () => {
    expect((await user.get(`/Accounts/${account}/CallCount`)).body).toEqual({ inbound: 0, outbound: 0 })
    await featureServer.write(
      ['SET', `incalls:account:${account}`, '3'],
      ['SET', `outcalls:account:${account}`, '2'],
      ['SET', `incalls:account:${beside}`, '9'],
    )
    expect((await user.get(`/Accounts/${account}/CallCount`)).body).toEqual({ inbound: 3, outbound: 2 })
  })

  test('include queues with their lengths, filtered by a pattern, and conferences by name', async () => {
    const waiting = (at: number) => `${at}:http://10.0.0.1:3000`
    await featureServer.write(
      ['ZADD', `queue:${account}:support`, '999', waiting(1)],
      ['ZADD', `queue:${account}:support`, '999', waiting(2)],
      ['ZADD', `queue:${account}:sales`, '999', waiting(3)],
      ['SET', `queue:${account}:none`, 'of another kind'],
      ['ZADD', `queue:${beside}:support`, '999', waiting(4)],
      ['HSET', `conf:${account}:weekly`, 'sipAddress', '10.0.0.1'],
      ['HSET', `conf:${beside}:daily`, 'sipAddress', '10.0.0.1'],
    )
    const queues = async (search = '') => (await user.get(`/Accounts/${account}/Queues${search}`)).body
    const [sales, support] = [
      { name: 'sales', length: 1 },
      { name: 'support', length: 2 },
    ]
    expect(await queues()).toEqual([sales, support])
    expect(await queues('?search=s*p?rt')).toEqual([support])
    expect(await queues('?search=*al*')).toEqual([sales])
    expect(await queues('?search=s')).toEqual([])
    // This pattern would keep Redis itself busy for years.
    expect(await queues(`?search=${'*a'.repeat(60)}`)).toEqual([])
    expect((await user.get(`/Accounts/${account}/Conferences`)).body).toEqual(['weekly'])
  })
})

describe('a new call', () => {
  const create = (body: object, caller = user, sid = account) => caller.post(calls(sid), body)

  test('is sent to the feature servers in rotation with the account of the path, and returns the sid of the new call', async () => {
    const other = await startFeatureServer(server.port)
    await other.join()
    const answers = [await create({ ...plain, account_sid: beside, tag: { a: 1 } }), await create(plain)]
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect([featureServer.heard.length, other.heard.length]).toEqual([1, 1])
    const heard = [...featureServer.heard, ...other.heard].find(({ body }) => body['tag'])
    expect(heard).toEqual({
      path: '/v1/createCall',
      body: {
        ...plain,
        call_hook: { url: 'https://example.org/call', method: 'POST' },
        account_sid: account,
        tag: { a: 1 },
      },
    })
    const rows = getRows(await user.get(`${calls()}?direction=outbound`))
    expect(new Set(sidsIn(rows))).toEqual(new Set(answers.map((answer) => member(answer, 'sid'))))
    expect(member(answers[0] as never, 'callId')).not.toBe('')
    // A server that no longer listens is skipped, and no request is sent twice.
    await other.close()
    expect([(await create(plain)).status, (await create(plain)).status]).toEqual([201, 201])
    expect(featureServer.heard).toHaveLength(3)
  })

  test('gets webhooks, verbs, and speech settings from an application of the account', async () => {
    const hook = { url: 'https://example.org/hook', method: 'GET', username: 'name', password: 'pass' }
    const body = {
      name: randomUUID(),
      call_hook: hook,
      call_status_hook: { url: 'https://example.org/status' },
      app_json: '[{"verb":"hangup"}]',
      ...speech,
    }
    const application_sid = member(await api.admin.post('/Applications', { ...body, account_sid: account }), 'sid')
    expect((await create({ from: '1', to, application_sid, call_hook: 'nonsense' })).status).toBe(201)
    expect(featureServer.heard[0]?.body).toMatchObject({
      application_sid,
      account_sid: account,
      call_hook: { ...hook, webhook_sid: expect.any(String) },
      call_status_hook: { url: 'https://example.org/status', method: 'POST' },
      app_json: body.app_json,
      ...speech,
    })
    const foreign = member(await api.admin.post('/Applications', { ...body, account_sid: beside }), 'sid')
    for (const sid of [foreign, randomUUID()])
      expect(statusAndMessage(await create({ from: '1', to, application_sid: sid }))).toEqual([
        400,
        `application_sid not found ${sid}`,
      ])
    expect(featureServer.heard).toHaveLength(1)
  })

  const voiceless = { ...plain, speech_synthesis_voice: undefined }
  test.each([
    [{ ...plain, from: undefined }, 'missing from parameter'],
    [{ ...plain, to: undefined }, 'missing or invalid to property:'],
    [{ ...plain, to: { type: 'phone' } }, 'missing or invalid to property: {"type":"phone"}'],
    [{ ...plain, to: { type: 'user', number: '1' } }, 'missing or invalid to property: {"type":"user","number":"1"}'],
    [{ ...plain, to: '1617' }, 'missing or invalid to property: "1617"'],
    [voiceless, `either application_sid or set of ${Object.keys(speech).join(', ')} required`],
    [{ ...plain, call_hook: undefined }, 'either call_hook or application_sid required'],
    [{ ...plain, call_hook: {} }, 'call_hook must be string or an object containing a url property'],
    [{ ...plain, call_hook: '/here' }, 'call_hook url be an absolute url'],
    [{ ...plain, call_hook: { url: 'ftp://example.org' } }, 'call_hook url be an absolute url'],
    [{ ...plain, call_status_hook: 7 }, 'call_status_hook must be string or an object containing a url property'],
    [{ from: '1', to, application_sid: 'none' }, 'application_sid not found none'],
  ])('%j is rejected: %s', async (body, msg) => {
    expect(statusAndMessage(await create(body))).toEqual([400, msg])
    expect(featureServer.heard).toEqual([])
  })

  test('is rejected for providers and for accounts of other tenants', async () => {
    const msg = `unauthorized createCall request for account ${account}`
    expect(statusAndMessage(await create(plain, provider))).toEqual([400, msg])
    expect(statusAndMessage(await create(plain, user, beside))).toEqual([403, 'insufficient permissions'])
    expect((await create(plain, api.admin)).status).toBe(201)
  })

  test("results in 480 without a feature server, in 503 if none is reachable, or in the feature server's error", async () => {
    await featureServer.leave()
    expect(statusAndMessage(await create(plain))).toEqual([480, 'no available feature servers at this time'])
    await redis.sadd('default:fs-service-url', `http://127.0.0.1:${await freePort()}`, 'data:,x', 'nonsense')
    expect((await create(plain)).status).toBe(503)
    await redis.del('default:fs-service-url')
    await featureServer.join()
    featureServer.answer = (response) => response.writeHead(403).end(JSON.stringify({ msg: 'too many calls' }))
    expect(statusAndMessage(await create(plain))).toEqual([403, 'too many calls'])
    featureServer.answer = (response) => response.writeHead(401).end('<html>')
    expect(statusAndMessage(await create(plain))).toEqual([422, 'The feature server rejected the command'])
    for (const answer of [200, 302, 500, 503]) {
      featureServer.answer = (response) =>
        response.writeHead(answer, { location: 'http://127.0.0.1:1' }).end('nonsense')
      expect([answer, (await create(plain)).status]).toEqual([answer, 500])
    }
    featureServer.answer = (response) => response.writeHead(201).end('[1]')
    expect((await create(plain)).status).toBe(500)
    featureServer.answer = (response) => response.destroy()
    expect(getMessage(await create(plain))).toContain('may have been executed')
  })

  test('is sent without members that are null, also if they are from the application', async () => {
    const hook = { url: 'https://example.org/hook' }
    const body = { name: randomUUID(), call_hook: hook, call_status_hook: hook, account_sid: account }
    const application_sid = member(await api.admin.post('/Applications', body), 'sid')
    expect((await create({ from: '1', to, application_sid, tag: null })).status).toBe(201)
    expect(Object.values(featureServer.heard[0]?.body ?? {})).not.toContain(null)
    expect((await create({ ...plain, call_status_hook: null, timeLimit: null })).status).toBe(201)
  })

  test.each([
    [{ nonsense: 1 }, 'rest:dial: unknown property nonsense'],
    [{ to: { ...to, nonsense: 1 } }, 'target: unknown property nonsense'],
    [{ timeout: 'x', tag: 'y' }, 'Invalid tag, Invalid timeout'],
    [{ timeout: '7' }, 'rest:dial: property timeout has invalid data type'],
    [{ amd: {} }, 'amd: missing value for actionHook'],
  ])('with %j gets the error message of the feature server', async (members, msg) => {
    expect(statusAndMessage(await create({ ...plain, ...members }))).toEqual([400, msg])
  })

  test('is rejected if it is nested too deeply', async () => {
    const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) as unknown[]
    expect((await create({ ...plain, tag: deep })).status).toBe(400)
  })
})

describe('a change of a call', () => {
  const change = (call_sid: string, body: object, caller = user, sid = account) =>
    caller.put(`${calls(sid)}/${call_sid}`, body)

  test('is sent unchanged to the feature server of the call, also for providers', async () => {
    const call_sid = await featureServer.call(account)
    await featureServer.leave()
    expect(await change(call_sid, { mute_status: 'mute' })).toMatchObject({ status: 202, text: '' })
    const hook = { call_hook: 'https://example.org/next', child_call_hook: 'https://example.org/child' }
    expect((await provider.post(`${calls()}/${call_sid}`, hook)).status).toBe(202)
    const sip_request = { method: 'INFO', content_type: 'text/plain', content: 'hello' }
    expect(await change(call_sid, { sip_request })).toMatchObject({ status: 200, body: { status: 200, reason: 'OK' } })
    const path = `/v1/updateCall/${call_sid}`
    expect(featureServer.heard).toEqual([
      { path, body: { mute_status: 'mute' } },
      { path, body: hook },
      { path, body: { sip_request } },
    ])
    expect((await change(call_sid, { call_status: 'completed' })).status).toBe(202)
    expect(getRow(await user.get(`${calls()}/${call_sid}`))).toMatchObject({ call_status: 'completed', duration: 7 })
    expect(statusAndMessage(await change(call_sid, { mute_status: 'mute' }))).toEqual([
      422,
      `call session is gone for call_sid ${call_sid}`,
    ])
  })

  test.each([
    [{}, 'no valid options supplied to updateCall'],
    [{ call_hook: '', nonsense: 1 }, 'no valid options supplied to updateCall'],
    [{ mute_status: 'mute', dtmf: { digit: '1' } }, 'multiple options are not allowed in updateCall'],
    [{ call_status: 'busy' }, 'invalid call_status'],
    [{ listen_status: 'stop' }, 'invalid listen_status'],
    [
      { agent_update: { type: 'generate_reply' }, room_say: { text: 'x' } },
      'multiple options are not allowed in updateCall',
    ],
    [{ noise_isolation_level: 50, conference: 'sales' }, 'no valid options supplied to updateCall'],
    [{ mute_status: 'mute ' }, 'invalid mute_status'],
    [{ conf_mute_status: true }, 'invalid conf_mute_status'],
    [{ conf_hold_status: 'on' }, 'invalid conf_hold_status'],
    [{ media_path: ['no-media'] }, 'invalid media_path'],
    [{ sip_request: { method: 'INFO' } }, 'sip_request requires method, content_type and content properties'],
    [{ record: {} }, 'record requires action property'],
    [{ record: { action: 'x' } }, 'record requires siprecServerURL property when starting recording'],
    [{ dtmf: '1' }, 'invalid dtmf'],
    [{ tag: [1] }, 'invalid tag data'],
    [{ conferenceParticipantAction: { action: 'x' } }, 'conferenceParticipantAction invalid action property x'],
    [
      { conferenceParticipantAction: { action: 'coach' } },
      "conferenceParticipantAction requires tag property when action is 'coach'",
    ],
  ])('%j is rejected: %s', async (body, msg) => {
    const call_sid = await featureServer.call(account)
    expect(statusAndMessage(await change(call_sid, body))).toEqual([400, msg])
    expect(featureServer.heard).toEqual([])
  })

  test.each([
    { dub: { action: 'addTrack', track: 'a' } },
    { agent_update: { type: 'inject_context', messages: [{ role: 'system', content: 'VIP' }] } },
    { transfer: { mode: 'blind', target: [{ type: 'phone', number: '15551234567' }] } },
    {
      noise_isolation_status: 'enable',
      noise_isolation_vendor: 'krisp',
      noise_isolation_level: 50,
      noise_isolation_model: 'm',
    },
    { llm_status: 'move-to-conference', conference: 'sales' },
    { stream_status: 'pause' },
    { room_say: { text: 'hello', replace: true } },
    { room_play: { url: 'https://example.org/a.mp3', id: 'a' } },
    { call_hook: 'https://example.org', child_call_hook: 'https://example.org' },
    { conf_hold_status: 'hold', waitHook: '/wait', tag: {} },
    { whisper: [{ verb: 'say', text: 'hello' }] },
    { whisper: {}, mute_status: 'mute' },
    { record: { action: 'startCallRecording', type: 'cloud' } },
    { conferenceParticipantAction: { action: 'tag', tag: 'x' } },
  ])('%j is sent unchanged', async (body) => {
    const call_sid = await featureServer.call(account)
    expect((await change(call_sid, body)).status).toBe(202)
    expect(featureServer.heard).toEqual([{ path: `/v1/updateCall/${call_sid}`, body }])
  })

  test.each([
    [{}, { call_status: 'no-answer' }, 422, /^current call state is incompatible/],
    [{ callStatus: 'ringing' }, { call_status: 'completed' }, 422, /^current call state is incompatible/],
    [
      {},
      { call_status_hook: 'https://example.org', mute_status: 'mute' },
      400,
      /^call_status_hook can be updated only/,
    ],
  ])(
    'of a call %j to %j that does not fit gets the error of the feature server',
    async (members, body, status, msg) => {
      const answer = await change(await featureServer.call(account, members), body)
      expect([answer.status, getMessage(answer)]).toEqual([status, expect.stringMatching(msg)])
    },
  )

  test('is not found for calls of another tenant, without a request to the feature server', async () => {
    const foreign = await featureServer.call(beside)
    const body = { call_status: 'completed' }
    for (const sid of [foreign, randomUUID()]) {
      expect(statusAndMessage(await change(sid, body))).toEqual([404, 'Not Found'])
      expect(statusAndMessage(await user.get(`${calls()}/${sid}`))).toEqual([404, 'Not Found'])
      expect(statusAndMessage(await user.delete(`${calls()}/${sid}`))).toEqual([404, 'Not Found'])
      expect((await change(sid, body, user, beside)).status).toBe(403)
    }
    expect(featureServer.heard).toEqual([])
    expect(await redis.exists(`call:${beside}:${foreign}`)).toBe(1)
  })

  test('fails with an error if the call has no feature server or its server is unreachable', async () => {
    const homeless = await featureServer.call(account, { serviceUrl: '' })
    expect((await change(homeless, { mute_status: 'mute' })).status).toBe(480)
    const away = await featureServer.call(account, { serviceUrl: `http://127.0.0.1:${await freePort()}` })
    expect(statusAndMessage(await change(away, { mute_status: 'mute' }))).toEqual([
      503,
      'The feature server cannot be reached. The command was not executed.',
    ])
  })

  test('deletes only the record', async () => {
    const call_sid = await featureServer.call(account)
    expect((await user.delete(`${calls()}/${call_sid}`)).status).toBe(204)
    expect((await user.get(`${calls()}/${call_sid}`)).status).toBe(404)
    expect(await redis.zcard('active-call-sids')).toBe(0)
    expect(featureServer.heard).toEqual([])
  })

  test('is recorded in the audit trail without values that may be secret', async () => {
    const call_sid = await featureServer.call(account, { from: '1508', to: '1617' })
    await change(call_sid, { agent_update: { type: 'update_instructions', instructions: 'topsecret' } })
    await change(call_sid, { dtmf: { digit: '4711#' } })
    await change(call_sid, { call_status: 'completed' })
    await user.post(calls(), { ...plain, to: { ...to, auth: { username: 'u', password: 'geheim' } } })
    const trail = await api.admin.get(`/patchbay/audit-trail?page=1&count=10&kind=live_call&account_sid=${account}`)
    const entries = getRow(trail)['data'] as Row[]
    expect(entries.slice(0, 3).map(({ action, name }) => [action, name])).toEqual([
      ['create', null],
      ['update', '1508 to 1617'],
      ['update', '1508 to 1617'],
    ])
    expect(trail.text).not.toMatch(/4711#|geheim|topsecret/)
    expect(JSON.stringify(entries[1])).toContain('completed')
  })
})

describe('text messages', () => {
  const send = (body: object, caller = user) => caller.post(`/Accounts/${account}/Messages`, body)

  test('are sent to the feature servers, from users and keys of the account only', async () => {
    const answer = await send({ from: '1', to: '2', text: 'hello', account_sid: beside })
    expect(answer.status).toBe(201)
    expect(featureServer.heard).toEqual([
      {
        path: `/v1/createMessage/${account}`,
        body: { message_sid: getRow(answer)['sid'], from: '1', to: '2', text: 'hello', account_sid: account },
      },
    ])
    const msg = `unauthorized createMessage request for account ${account}`
    for (const caller of [provider, api.admin])
      expect(statusAndMessage(await send({ from: '1', to: '2', text: 'hello' }, caller))).toEqual([400, msg])
    expect(statusAndMessage(await send({ to: '2', text: 'x' }))).toEqual([400, 'missing from property'])
    expect(statusAndMessage(await send({ from: '2', text: 'x' }))).toEqual([400, 'missing to property'])
    expect(statusAndMessage(await send({ from: '1', to: '2' }))).toEqual([
      400,
      'either text or media required in outbound message',
    ])
    await featureServer.leave()
    expect((await send({ from: '1', to: '2', text: 'hello' })).status).toBe(480)
  })
})

test('without Redis, there are no calls and no feature servers; with Kubernetes, its single address is used', async () => {
  const standalone = await createTestApi()
  const own = await standalone.account(await standalone.provider())
  const read = async (path: string) => (await standalone.admin.get(`/Accounts/${own}/${path}`)).body
  expect([await read('Calls'), await read('Queues'), await read('Conferences')]).toEqual([[], [], []])
  expect(await read('CallCount')).toEqual({ inbound: 0, outbound: 0 })
  const one = `${calls(own)}/${randomUUID()}`
  expect((await standalone.admin.get(one)).status).toBe(404)
  expect((await standalone.admin.put(one, { call_status: 'completed' })).status).toBe(404)
  expect((await standalone.admin.delete(one)).status).toBe(404)
  expect((await standalone.admin.post(calls(own), plain)).status).toBe(480)
  await standalone.close()
  const { hostname, port } = new URL(featureServer.url)
  const service = { K8S_FEATURE_SERVER_SERVICE_NAME: hostname, K8S_FEATURE_SERVER_SERVICE_PORT: port }
  const cluster = await createTestApi({ K8S: '1', ...service })
  const there = await cluster.account(await cluster.provider())
  expect((await cluster.admin.post(calls(there), plain)).status).toBe(201)
  await cluster.close()
})

test('while Redis is unavailable, all requests about calls are rejected quickly with 503', async () => {
  const own = await startRedis()
  const away = await createTestApi({}, undefined, {
    liveCalls: (await import('@patchbay/server/adapters/live-calls/redis-live-calls')).createRedisLiveCalls(
      await connectRedis({ at: { host: '127.0.0.1', port: own.port } }, Fastify().log),
      'default',
    ),
  })
  const there = await away.account(await away.provider())
  await own.pause()
  for (const path of ['Calls', `Calls/${randomUUID()}`, 'Queues', 'Conferences', 'CallCount'])
    expect([path, (await away.admin.get(`/Accounts/${there}/${path}`)).status]).toEqual([path, 503])
  expect((await away.admin.post(calls(there), plain)).status).toBe(503)
  own.resume()
  await away.close()
  await own.stop()
})
