import { createHmac, randomUUID } from 'node:crypto'
import type { AuditEntry } from '@patchbay/contract/audit-trail'
import type { WebhookReport } from '@patchbay/contract/webhook-test'
import { createOutgoing } from '@patchbay/server/adapters/outbound-http/outgoing'
import { tryWebhook } from '@patchbay/server/resources/applications/webhook-test'
import { maxWebhookTestsPerMinute } from '@patchbay/server/resources/applications/webhook-test-routes'
import { startWebhookApp, type WebhookApp } from '@patchbay/testkit/fakes/webhook-app'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { type Answer, type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { getRow, type Row, statusAndMessage } from './fixtures.ts'

/** Webhook tests, with an application written with jambonz's SDK. */

let api: TestApi
let app: WebhookApp
/** A webhook that does not verify signatures. */
let plain: WebhookApp
let service_provider_sid: string
let account_sid: string
let secret: string

beforeAll(async () => {
  api = await createTestApi({ PRIVATE_NETWORKS: loopbackNetwork })
  service_provider_sid = await api.provider()
  account_sid = await api.account(service_provider_sid)
  secret = member(await api.admin.get(`/Accounts/${account_sid}/WebhookSecret`), 'webhook_secret')
  app = await startWebhookApp(secret)
  plain = await startWebhookApp()
})
afterAll(async () => {
  await api.close()
  app.close()
  plain.close()
})
afterEach(() => {
  app.heard.length = 0
  app.answer = undefined
  plain.answer = undefined
})

const makeApplication = async (more: object = {}, account = account_sid): Promise<string> => {
  const hook = { url: `${app.origin}/call` }
  const body = { name: randomUUID(), account_sid: account, call_hook: hook, call_status_hook: hook, ...more }
  return member(await api.admin.post('/Applications', body), 'sid')
}

const numbers = { from: '+12125550123', to: '12125550199' }

const trial = (sid: string, more: object = {}, caller: Caller = api.admin): Promise<Answer> =>
  caller.post(`/patchbay/applications/${sid}/webhook-test`, { hook: 'call_hook', ...numbers, ...more })

const getReport = (answer: Answer): WebhookReport => {
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  return answer.body as WebhookReport
}

const tried = async (sid: string, more: object = {}): Promise<WebhookReport> => getReport(await trial(sid, more))

const answers = (
  content: unknown,
  { status = 200, type = 'application/json' }: { status?: number; type?: string } = {},
) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  app.answer = (response) => response.writeHead(status, { 'content-type': type }).end(text)
}

const getReceivedBody = (index = 0): Row => app.heard[index]?.body as Row

describe('the request', () => {
  test('POST: has the format of jambonz for an inbound call with a signature that its SDK accepts, whose verbs are valid', async () => {
    const env_vars = { GREETING: 'Grüß Gott', API_TOKEN: 'abcdefghij', RETRIES: 3 }
    const call_hook = { url: `${app.origin}/call?a=1#rc=2`, username: 'ada', password: 'l0velace' }
    const sid = await makeApplication({ env_vars, call_hook, speech_synthesis_label: 'main' })
    const { request, answer, verbs, faults, failure, milliseconds } = await tried(sid)
    expect([failure, faults, verbs]).toEqual([null, [], ['pause', 'say', 'hangup']])
    expect(answer).toMatchObject({ status: 200, status_text: 'OK', headers: { 'content-type': 'application/json' } })
    expect(JSON.parse(answer?.text ?? '')).toMatchObject([{ verb: 'pause' }, { verb: 'say', text: 'Good morning' }, {}])
    expect(milliseconds).toBeLessThan(10_000)

    const [heard] = app.heard
    expect([heard?.method, heard?.path]).toEqual(['POST', '/call?a=1'])
    expect(heard?.headers).toMatchObject({
      authorization: `Basic ${btoa('ada:l0velace')}`,
      'content-type': 'application/json',
      'jambonz-signature': request.headers['Jambonz-Signature'],
    })
    expect(getReceivedBody()).toMatchObject({
      direction: 'inbound',
      account_sid,
      service_provider_sid,
      application_sid: sid,
      ...numbers,
      sip_status: 100,
      sip_reason: 'Trying',
      call_status: 'trying',
      sip: { method: 'INVITE', headers: { 'X-Account-Sid': account_sid } },
      defaults: {
        synthesizer: { vendor: 'google', label: 'main', language: 'en-US' },
        recognizer: { vendor: 'google', language: 'en-US' },
      },
      env_vars,
    })

    // The report contains the request with masked secrets.
    expect([request.method, request.url]).toEqual(['POST', `${app.origin}/call?a=1`])
    expect(request.headers['Authorization']).toBe('Basic ********')
    const expectedBody = { ...getReceivedBody(), env_vars: { ...env_vars, API_TOKEN: 'abcdefXXXX' } }
    expect(JSON.parse(request.body ?? '')).toEqual(expectedBody)
    expect(JSON.stringify(request)).not.toMatch(/l0velace|abcdefghij/)
  })

  test('has a signature that depends on account, content, and time, and the SDK rejects all others', async () => {
    const other = await api.account(service_provider_sid)
    const refused = await tried(await makeApplication({}, other))
    expect([refused.answer?.status, refused.faults]).toEqual([
      401,
      [{ message: 'The platform accepts only 200, 202, and 204, not 401 Unauthorized', line: null, column: null }],
    ])
    await tried(await makeApplication())
    const [, heard] = app.heard
    const send = async (headers: object, body: object) =>
      (
        await fetch(`${app.origin}/call`, {
          method: 'POST',
          headers: headers as Record<string, string>,
          body: JSON.stringify(body),
        })
      ).status
    const signature = String(heard?.headers['jambonz-signature'])
    expect(await send({ 'jambonz-signature': signature }, getReceivedBody(1))).toBe(200)
    expect(await send({ 'jambonz-signature': signature }, { ...getReceivedBody(1), to: '1' })).toBe(401)
    expect(await send({ 'jambonz-signature': signature.replace(/.$/, 'x') }, getReceivedBody(1))).toBe(401)
    expect(await send({}, getReceivedBody(1))).toBe(401)
    expect(signature).toMatch(/^t=\d{10},v1=[\da-f]{64}$/)
  })

  test('GET: has the documented query parameters in addition to those of the URL, without its user information', async () => {
    const url = `${plain.origin.replace('//', '//ada:secret@')}/call?from=here`
    const sid = await makeApplication({ call_hook: { url, method: 'GET', username: 'only a name' } })
    const { request, verbs } = await tried(sid, { from: 'anna&b=1' })
    const [heard] = plain.heard
    expect([heard?.method, heard?.body, heard?.headers.authorization]).toEqual(['GET', undefined, undefined])
    const { searchParams } = new URL(heard?.path ?? '', plain.origin)
    expect(Object.fromEntries([...searchParams].slice(1))).toEqual({
      call_sid: expect.stringMatching(/^[\da-f-]{36}$/),
      application_sid: sid,
      account_sid,
      direction: 'inbound',
      from: 'anna&b=1',
      to: numbers.to,
      caller_name: '',
      call_status: 'trying',
      sip_status: '100',
    })
    expect([...searchParams][0]).toEqual(['from', 'here'])
    expect([request.body, request.url, verbs]).toEqual([
      null,
      `${plain.origin}${heard?.path}`,
      ['pause', 'say', 'hangup'],
    ])
    expect(heard?.headers['jambonz-signature']).toMatch(/^t=\d+,v1=[\da-f]{64}$/)

    // The SDK verifies bodies only.
    const verifying = await makeApplication({ call_hook: { url: app.origin, method: 'GET' } })
    expect((await tried(verifying)).answer?.status).toBe(401)
  })

  test.each<[string, object, Row]>([
    ['nothing said', {}, { call_status: 'completed', sip_status: 200, duration: 42, call_termination_by: 'caller' }],
    ['trying', { call_status: 'trying' }, { call_status: 'trying', sip_status: 100, sip_reason: 'Trying' }],
    ['no-answer', { call_status: 'no-answer' }, { call_status: 'no-answer', sip_status: 487 }],
  ])(
    'a call status webhook receives the status of a call, and its response has no content: %s',
    async (_, more, expected) => {
      app.answer = (response) => response.writeHead(204).end()
      const sid = await makeApplication({ env_vars: { A: 'b' }, call_status_hook: { url: `${app.origin}/status` } })
      const { answer, verbs, faults } = await tried(sid, { hook: 'call_status_hook', ...more })
      expect([answer?.status, answer?.bytes, verbs, faults]).toEqual([204, 0, [], []])
      expect(app.heard[0]?.path).toBe('/status')
      expect(getReceivedBody()).toMatchObject({
        ...numbers,
        account_sid,
        application_sid: sid,
        direction: 'inbound',
        ...expected,
      })
      expect(Object.keys(getReceivedBody())).not.toContain('env_vars')
    },
  )

  test('each test simulates a different call', async () => {
    const sid = await makeApplication()
    await tried(sid)
    await tried(sid)
    expect(new Set(app.heard.map((_, index) => getReceivedBody(index)['call_sid'])).size).toBe(2)
  })
})

describe('the response', () => {
  let sid: string
  beforeAll(async () => {
    sid = await makeApplication()
  })

  test('with invalid verbs is reported with lines that refer to the displayed text', async () => {
    answers([{ verb: 'say', text: 'hi', loop: true }, { verb: 'sing' }, { play: {} }])
    const { answer, verbs, faults, faults_total } = await tried(sid)
    expect([verbs, faults_total]).toEqual([[], 3])
    const lines = answer?.text.split('\n') ?? []
    expect(
      faults.map(({ message, line, column }) => [message, lines[(line ?? 0) - 1]?.slice((column ?? 0) - 1)]),
    ).toEqual([
      ['say: property loop has invalid data type, must be one of number,string', '"loop": true'],
      ['invalid instruction: sing', '{'],
      ['play: missing value for url', '"play": {}'],
    ])
  })

  test('with an unknown property is valid, with a warning at its line', async () => {
    answers([{ verb: 'say', text: 'hi', colour: 'red' }])
    const { answer, verbs, faults, warnings } = await tried(sid)
    expect([verbs, faults]).toEqual([['say'], []])
    expect(warnings[0]).toMatchObject({
      message: 'say: unknown property colour. Platforms that do not know it reject the verbs',
      line: 5,
    })
    expect(answer?.text.split('\n')[4]).toContain('colour')
  })

  test.each<[string, unknown, object, string, number | null]>([
    ['no JSON', '<!DOCTYPE html>', {}, 'Not JSON: unexpected "<"', 1],
    ['JSON that breaks off', '[\n  {"verb": "say",\n', {}, 'Not JSON: unexpected end', 3],
    ['a comma too many', '[\n  {"verb": "hangup"},\n]', {}, 'Not JSON: unexpected "]"', 3],
    ['an object', { verb: 'hangup' }, {}, 'malformed jambonz payload: must be array', 1],
    ['null', null, {}, 'malformed jambonz payload: must be array', 1],
    ['no verbs', [], {}, 'The response contains no verbs, and a call needs at least one', null],
    ['nothing', '', {}, 'The response is empty: it contains no verbs', null],
    [
      'another type',
      [{ verb: 'hangup' }],
      { type: 'text/plain' },
      'The platform accepts only application/json, not text/plain',
      null,
    ],
    [
      'another status',
      [{ verb: 'hangup' }],
      { status: 201 },
      'The platform accepts only 200, 202, and 204, not 201 Created',
      null,
    ],
  ])('%s is not a valid response to a new call', async (_, content, more, message, line) => {
    answers(content, more)
    const { faults, verbs, failure } = await tried(sid)
    expect([faults.map((fault) => [fault.message, fault.line]), verbs, failure]).toEqual([[[message, line]], [], null])
  })

  test('names what the account lacks for its verbs, until the account has it', async () => {
    const sp = await api.provider()
    const account = await api.account(sp)
    const otherTenant = await api.account(await api.provider())
    const callee = { type: 'phone', number: '+12125550199' }
    const content = [
      { verb: 'say', text: 'hi' },
      { verb: 'gather', input: ['speech'], recognizer: { vendor: 'deepgram', label: 'main' } },
      { verb: 'config', record: { action: 'startCallRecording', type: 'cloud' } },
      { verb: 'dial', target: [callee, { ...callee, trunk: 'North' }] },
    ]
    plain.answer = (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(content))
    const call_hook = { url: `${plain.origin}/call` }
    const application = await makeApplication({ call_hook, call_status_hook: call_hook }, account)
    // Services of another tenant do not count.
    const addServices = async (owner: string, gateway: object) => {
      const speech = `/Accounts/${owner}/SpeechCredentials`
      const service_key = JSON.stringify({ private_key: 'a', client_email: 'a@example.org' })
      const deepgram = { vendor: 'deepgram', label: 'main', api_key: 'x', use_for_stt: 1 }
      expect((await api.admin.post(speech, { vendor: 'google', service_key, use_for_tts: 1 })).status).toBe(201)
      expect((await api.admin.post(speech, deepgram)).status).toBe(201)
      const carrier = await api.admin.post(`/Accounts/${owner}/VoipCarriers`, { name: 'North' })
      const voip_carrier_sid = member(carrier, 'sid')
      const ip = { voip_carrier_sid, ipv4: '192.0.2.1', netmask: 32, inbound: 1, outbound: 1, ...gateway }
      const sip_gateway = await api.admin.post('/SipGateways', ip)
      const bucket_credential = { vendor: 'aws_s3', region: 'us-east-1', name: 'r' }
      const keys = { access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: 'a-secret' }
      const storage = { bucket_credential: { ...bucket_credential, ...keys } }
      expect((await api.admin.put(`/Accounts/${owner}`, storage)).status).toBe(204)
      return member(sip_gateway, 'sid')
    }
    await addServices(otherTenant, {})
    const { answer, faults, verbs, warnings } = await tried(application)
    expect([faults, verbs]).toEqual([[], ['say', 'gather', 'config', 'dial']])
    const lines = answer?.text.split('\n') ?? []
    expect(warnings.map(({ message, line }) => [message, lines[(line ?? 0) - 1]?.trim()])).toEqual([
      ['The account has no speech service of Google for text-to-speech', '{'],
      ['The account has no speech service of Deepgram with the label “main” for speech-to-text', '{'],
      ['The account has no storage for recordings', '"record": {'],
      ['The account has no active carrier with an outbound gateway, so no call reaches a phone number', '{'],
      ['The account has no active carrier “North” with an outbound gateway', '{'],
    ])
    const gateway = await addServices(account, { outbound: 0 })
    expect((await tried(application)).warnings).toHaveLength(2)
    await api.admin.put(`/SipGateways/${gateway}`, { outbound: 1 })
    expect((await tried(application)).warnings).toEqual([])
  })

  test('with a redirect is not followed', async () => {
    app.answer = (response) => response.writeHead(302, { location: '/elsewhere' }).end()
    const { faults, answer } = await tried(sid)
    expect(faults).toMatchObject([{ message: 'The platform does not follow redirects: 302 Found to /elsewhere' }])
    expect([answer?.headers['location'], app.heard.length]).toEqual(['/elsewhere', 1])
  })

  test('that is missing, incomplete, or too large is reported as a failure', async () => {
    const deaf = await tried(await makeApplication({ call_hook: { url: 'http://127.0.0.1:1' } }))
    const refused = 'The host of the webhook refused the connection'
    expect([deaf.answer, deaf.failure, deaf.faults]).toMatchObject([null, refused, [{ message: refused }]])
    app.answer = (response) => response.destroy()
    expect(await tried(sid)).toMatchObject({
      answer: null,
      failure: 'The host of the webhook closed the connection',
    })
    answers('x'.repeat(2 ** 18 + 1), { status: 200, type: 'text/html' })
    expect(await tried(sid)).toMatchObject({
      answer: { status: 200, text: '' },
      failure: 'The response is larger than 262144 bytes',
    })
  })

  test('cuts off the body of an error after 64 KiB', async () => {
    answers('x'.repeat(2 ** 18 + 1), { status: 404, type: 'text/html' })
    const { answer, failure } = await tried(sid)
    expect([answer?.status, answer?.bytes, failure]).toEqual([404, 65_536, null])
  })

  test('that is slow takes at most the time limit', async () => {
    const outgoing = createOutgoing({ privateNetworks: [loopbackNetwork], vendorAddresses: {} })
    const request = { method: 'GET' as const, url: plain.origin, headers: {}, body: undefined }
    const neverAborted = new AbortController().signal
    const late = 'The webhook did not answer in time'
    const slowly = () => tryWebhook(outgoing, 'call_hook', request, neverAborted, { milliseconds: 400, bytes: 100 })
    plain.answer = () => {}
    expect(await slowly()).toMatchObject({ answer: null, failure: late })
    plain.answer = (response) => response.writeHead(200, { 'content-length': '99' }).write('[')
    expect(await slowly()).toMatchObject({ answer: { status: 200 }, failure: late, faults: [{ message: late }] })
  })

  test('is shown unchanged if formatting would make it too long, and at most fifty of a thousand errors are listed', async () => {
    answers(`${'['.repeat(9000)}${']'.repeat(9000)}`)
    const deep = await tried(sid)
    expect([deep.answer?.text.length, deep.faults.map(({ line }) => line)]).toEqual([18_000, [1]])
    answers(Array.from({ length: 1000 }, () => ({ verb: 'sing' })))
    const { faults, faults_total } = await tried(sid)
    expect([faults.length, faults_total, faults.at(-1)?.line]).toEqual([50, 1000, 149])
  })
})

describe('access to webhook tests', () => {
  test('an account can test its own applications, others look unknown, and view-only users cannot test', async () => {
    const sid = await makeApplication()
    const other = await makeApplication({}, await api.account(await api.provider()))
    const own = (await api.user({ service_provider_sid, account_sid })).caller
    const looking = (await api.user({ service_provider_sid, account_sid, is_view_only: true })).caller
    expect((await trial(sid, {}, own)).status).toBe(200)
    for (const unknown of [other, randomUUID()])
      expect(statusAndMessage(await trial(unknown, {}, own))).toEqual([404, 'Not Found'])
    expect(statusAndMessage(await trial(sid, {}, looking))).toEqual([403, 'User has view-only access'])
    expect(app.heard).toHaveLength(1)
  })

  test.each<[object, string]>([
    [{ hook: 'messaging_hook' }, 'hook must be one of call_hook, call_status_hook'],
    [{ from: '' }, 'from must be a phone number or a user name without spaces'],
    [{ to: '1 2' }, 'to must be a phone number or a user name without spaces'],
    [{ to: 'x'.repeat(129) }, 'to must be at most 128 characters long'],
    [{ call_status: 'busy' }, 'call_status must be one of trying, early-media, in-progress, completed, no-answer'],
    [{ url: 'http://127.0.0.1' }, 'unknown field url'],
  ])('400 for %j', async (more, msg) => {
    expect(statusAndMessage(await trial(await makeApplication(), more))).toEqual([400, msg])
    expect(app.heard).toEqual([])
  })

  test('a missing webhook or a WebSocket cannot be tested', async () => {
    const sid = await makeApplication({ call_hook: { url: 'wss://app.example.org' } })
    const refused = getRow(await trial(sid))
    expect([refused['msg'], refused['field']]).toEqual([
      'call_hook is a WebSocket; only http and https can be tested',
      'hook',
    ])
    await api.test.database.db
      .updateTable('applications')
      .set({ call_status_hook_sid: null })
      .where('application_sid', '=', sid)
      .execute()
    const hook = 'call_status_hook'
    expect(statusAndMessage(await trial(sid, { hook }))).toEqual([400, 'the application has no call_status_hook'])
    await api.test.database.db
      .updateTable('applications')
      .set({ account_sid: null, service_provider_sid })
      .where('application_sid', '=', sid)
      .execute()
    const own = await makeApplication()
    await api.test.database.db
      .updateTable('applications')
      .set({ account_sid: null, service_provider_sid })
      .where('application_sid', '=', own)
      .execute()
    expect(statusAndMessage(await trial(own))).toEqual([
      400,
      'the application has no account whose secret could sign the request',
    ])
    expect(app.heard).toEqual([])
  })

  test('webhooks in private networks are not requested unless the operator allows it', async () => {
    const guarded = await createTestApi()
    try {
      const account = await guarded.account(await guarded.provider())
      for (const url of [app.origin, app.origin.replace('127.0.0.1', 'localhost')]) {
        const body = { name: randomUUID(), account_sid: account, call_hook: { url }, call_status_hook: { url } }
        const sid = member(await guarded.admin.post('/Applications', body), 'sid')
        const refused = await trial(sid, {}, guarded.admin)
        expect(statusAndMessage(refused)).toEqual([
          400,
          expect.stringMatching(/is in a private network\. Use a public address$/),
        ])
        expect(getRow(refused)['field']).toBe('hook')
      }
      expect(app.heard).toEqual([])
    } finally {
      await guarded.close()
    }
  })

  test('limits the tests of an account per minute and guarantees other accounts their share', async () => {
    const { account, provider: max } = maxWebhookTestsPerMinute
    const limited = await api.provider()
    for (let turn = 0; turn < max / account; turn += 1) {
      const sid = await makeApplication({}, await api.account(limited))
      for (let count = 0; count < account; count += 1) await tried(sid)
      expect((await trial(sid)).status).toBe(429)
    }
    expect((await trial(await makeApplication({}, await api.account(limited)))).status).toBe(200)
    expect((await trial(await makeApplication({}, await api.account(await api.provider())))).status).toBe(200)
    expect(app.heard).toHaveLength(max + 2)
  })

  test('the audit trail contains the actor, the test, and its result, but no change of the application', async () => {
    const url = `${app.origin.replace('//', '//ada:secret@')}/call`
    const sid = await makeApplication({ name: 'Reception', call_hook: { url } })
    const { caller, name } = await api.user({ service_provider_sid, account_sid })
    await trial(sid, {}, caller)
    const { body } = await api.admin.get(`/patchbay/audit-trail?page=1&count=25&sid=${sid}`)
    const [entry, created] = (body as { data: AuditEntry[] }).data
    expect([created?.action, created?.kind]).toEqual(['create', 'application'])
    expect(entry).toMatchObject({
      action: 'try',
      kind: 'webhook',
      name: 'Reception',
      actor_name: name,
      account_sid,
      service_provider_sid,
      changes: [
        { field: 'hook', after: 'call_hook' },
        { field: 'url', after: url.replace('ada:secret', '********') },
        { field: 'from', after: numbers.from },
        { field: 'to', after: numbers.to },
        { field: 'outcome', after: 200 },
      ],
    })
  })
})

test('the signature is HMAC-SHA256 of time, dot, and content, with the secret of the account', async () => {
  app.answer = (response) => response.writeHead(204).end()
  await tried(await makeApplication(), { hook: 'call_status_hook' })
  const [, seconds, signature] = /^t=(\d+),v1=(.+)$/.exec(String(app.heard[0]?.headers['jambonz-signature'])) ?? []
  const content = `${seconds}.${JSON.stringify(getReceivedBody())}`
  expect(signature).toBe(createHmac('sha256', secret).update(content).digest('hex'))
  expect(Math.abs(Date.now() / 1000 - Number(seconds))).toBeLessThan(60)
})
