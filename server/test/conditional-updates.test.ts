import type { Answer, Caller } from '@patchbay/testkit/test-api'
import { openTestWorld, signedIn } from '@patchbay/testkit/test-world'
import { expect, test } from 'vitest'
import { getRow, snapshot, statusAndMessage } from './fixtures.ts'

/** Updates with If-Match, compared with the stored record. record-updates.test.ts tests each endpoint. */

const { api, world } = await openTestWorld()
const { A, B } = world.things
const ofA = await signedIn(api, world.users['user of A'])
const ofB = await signedIn(api, world.users['user of B'])

const getVersion = ({ headers }: Answer): string => String(headers['record-version'])
const readVersion = async (path: string, caller: Caller = api.admin): Promise<string> =>
  getVersion(await caller.get(path))

const application = `/Applications/${A.application_sid}`
const rename = (name: string, version: string, caller: Caller = ofA): Promise<Answer> =>
  caller.put(application, { name }, { 'if-match': version })

test('an update returns the version that it has written', async () => {
  const written = await rename('first', await readVersion(application))
  expect(written.status).toBe(204)
  expect(getVersion(written)).toBe(await readVersion(application))
  expect((await rename('second', getVersion(written))).status).toBe(204)
})

test('an update with an earlier version changes nothing, and returns the record with its version', async () => {
  const version = await readVersion(application)
  expect((await api.admin.put(application, { name: 'of another user' })).status).toBe(204)
  const before = await snapshot(api)
  const rejected = await rename('lost', version)
  expect(rejected.status).toBe(412)
  expect(getRow(rejected)).toMatchObject({ code: 'record_changed', record: { name: 'of another user' } })
  expect(await snapshot(api)).toEqual(before)
  expect((await rename('merged', getVersion(rejected))).status).toBe(204)
})

test('only one of many concurrent updates with the same version succeeds', async () => {
  const version = await readVersion(application)
  const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => rename(`writer ${at}`, version)))
  const [winner] = answers.flatMap(({ status }, at) => (status === 204 ? [`writer ${at}`] : []))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    204,
    ...Array.from({ length: 19 }, () => 412),
  ])
  expect(getRow(await ofA.get(application))['name']).toBe(winner)
})

const route = (regex: string) => ({
  regex,
  priority: 0,
  lcr_carrier_set_entries: [{ voip_carrier_sid: A.voip_carrier_sid, workload: 1, priority: 0 }],
})

/** Saves of a whole record, whose body contains parts that the record itself does not. */
const wholeUpdates: [path: string, body: (name: string) => object, changePart: () => Promise<Answer>][] = [
  [
    `/patchbay/carriers/${A.voip_carrier_sid}`,
    (name) => ({ carrier: { name }, sip_gateways: [{ ipv4: '10.4.4.4', port: 5061 }] }),
    () => api.admin.put(`/SipGateways/${A.sip_gateway_sid}`, { port: 5062 }),
  ],
  [
    `/patchbay/lcrs/${A.lcr_sid}`,
    (name) => ({
      name,
      routes: [{ regex: '^1', lcr_carrier_set_entries: [{ voip_carrier_sid: A.voip_carrier_sid }] }],
      default_voip_carrier_sid: A.voip_carrier_sid,
    }),
    () => api.admin.put(`/Lcrs/${A.lcr_sid}/Routes`, [route('^48')]),
  ],
]

test.each(wholeUpdates)('%s: only one of many concurrent saves with the same version succeeds', async (path, body) => {
  const version = await readVersion(path)
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, at) => ofA.put(path, body(`writer ${at}`), { 'if-match': version })),
  )
  const winners = answers.filter(({ status }) => status < 300)
  expect(winners).toHaveLength(1)
  const current = await ofA.get(path)
  expect(winners.map(getVersion)).toEqual([getVersion(current)])
  for (const lost of answers.filter(({ status }) => status !== winners[0]?.status))
    expect([lost.status, lost.body]).toEqual([412, expect.objectContaining({ record: current.body })])
})

test.each(wholeUpdates)('%s: a change of a part rejects a save of the whole', async (path, body, changePart) => {
  const version = await readVersion(path)
  expect((await changePart()).status).toBe(204)
  const before = await snapshot(api)
  const rejected = await ofA.put(path, body('lost'), { 'if-match': version })
  expect(rejected.status).toBe(412)
  expect(await snapshot(api)).toEqual(before)
  expect((await ofA.put(path, body('merged'), { 'if-match': getVersion(rejected) })).status).toBeLessThan(300)
})

test('an update that changes nothing is rejected with an earlier version, too', async () => {
  const version = await readVersion(application)
  expect((await rename('changed again', version)).status).toBe(204)
  expect((await ofA.put(application, {}, { 'if-match': version })).status).toBe(412)
})

test('the version covers webhooks, gateways, routes, and secrets', async () => {
  const carrier = `/VoipCarriers/${A.voip_carrier_sid}`
  const client = `/Clients/${A.client_sid}`
  const lcr = `/Lcrs/${A.lcr_sid}`
  const changes: [record: string, change: () => Promise<Answer>][] = [
    [application, () => ofA.put(application, { call_hook: { url: 'https://new.example.org', method: 'POST' } })],
    [carrier, () => api.admin.put(`/SipGateways/${A.sip_gateway_sid}`, { port: 5070 })],
    [carrier, () => api.admin.delete(`/SmppGateways/${A.smpp_gateway_sid}`)],
    // The responses mask both passwords alike.
    [client, () => ofA.put(client, { password: 'first-secret' })],
    [client, () => ofA.put(client, { password: 'first-secreT' })],
    [lcr, () => api.admin.put(`${lcr}/Routes`, [route('^49')])],
  ]
  for (const [record, change] of changes) {
    const before = await readVersion(record)
    expect(statusAndMessage(await change())).toEqual([204, undefined])
    expect([record, await readVersion(record)]).not.toEqual([record, before])
  }
})

test('the version of a speech credential covers its custom voices', async () => {
  const collection = `/Accounts/${world.sid.A}/SpeechCredentials`
  const service_key = JSON.stringify({ private_key: 'a key', client_email: 'a@example.org' })
  const created = await ofA.post(collection, { vendor: 'google', label: 'voices', use_for_tts: true, service_key })
  const speech_credential_sid = String(getRow(created)['sid'])
  const path = `${collection}/${speech_credential_sid}`
  const voice = { speech_credential_sid, name: 'first', model: 'projects/p/locations/l/models/m' }
  const versions = [await readVersion(path)]
  const voicePath = `/GoogleCustomVoices/${String(getRow(await ofA.post('/GoogleCustomVoices', voice))['sid'])}`
  versions.push(await readVersion(path))
  expect((await ofA.put(voicePath, { name: 'renamed' })).status).toBe(204)
  versions.push(await readVersion(path))
  expect((await ofA.delete(voicePath)).status).toBe(204)
  // The credential is then what it was before.
  expect(await readVersion(path)).toBe(versions[0])
  expect(new Set(versions).size).toBe(3)
  expect((await ofA.put(path, { use_for_stt: false }, { 'if-match': String(versions[1]) })).status).toBe(412)
})

test('settings are compared with those of the provider or the account in the path', async () => {
  const ofProvider = `/patchbay/ServiceProviders/${world.sid.P}`
  const changes: [path: string, first: object, second: object][] = [
    [`${ofProvider}/MaskingRules`, { card_numbers: 1 }, { card_numbers: 0 }],
    [`${ofProvider}/ReviewSettings`, { random_percent: 7 }, { random_percent: 8 }],
    [`${ofProvider}/ReviewModel`, { daily_limit: 7 }, { daily_limit: 8 }],
    [`/patchbay/service-providers/${world.sid.P}/conversation-limits`, { minutes: 30 }, { minutes: 31 }],
    [`/patchbay/accounts/${world.sid.A}/conversation-limits`, { minutes: 30 }, { minutes: 31 }],
    [`/patchbay/Accounts/${world.sid.A}/TranscriptSettings`, { access: 'everyone' }, { access: 'off' }],
  ]
  for (const [path, first, second] of changes) {
    const version = await readVersion(path)
    const put = async (body: object) => (await api.admin.put(path, body, { 'if-match': version })).status
    expect([path, await put(first), await put(second)]).toEqual([path, 204, 412])
    expect(getRow(await api.admin.get(path))).toMatchObject(first)
  }
})

test('settings of the platform have versions, also before the first change', async () => {
  const version = await readVersion('/SystemInformation')
  const post = (domain_name: string, expected: string) =>
    api.admin.post('/SystemInformation', { domain_name }, { 'if-match': expected })
  const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => post(`host-${at}.example.org`, version)))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    201,
    ...Array.from({ length: 9 }, () => 412),
  ])
  const winner = answers.findIndex(({ status }) => status === 201)
  const { body } = await api.admin.get('/SystemInformation')
  expect(body).toMatchObject({ domain_name: `host-${winner}.example.org` })
  const rejected = await post('another.example.org', version)
  expect([rejected.status, rejected.body]).toMatchObject([412, { record: body }])
  const policy = { min_password_length: 9 }
  const ofPolicy = await readVersion('/PasswordSettings')
  expect((await api.admin.post('/PasswordSettings', policy, { 'if-match': ofPolicy })).status).toBe(201)
  expect((await api.admin.post('/PasswordSettings', policy, { 'if-match': ofPolicy })).status).toBe(412)
})

test('a read is not answered with 304 if only the version has changed', async () => {
  const client = `/Clients/${A.client_sid}`
  const before = await ofA.get(client)
  expect((await ofA.put(client, { password: 'first-secrEt' })).status).toBe(204)
  const after = await api.app.inject({
    url: `/v1${client}`,
    headers: { authorization: `Bearer ${ofA.token}`, 'if-none-match': String(before.headers.etag) },
  })
  expect([after.statusCode, after.json()]).toEqual([200, before.body])
})

test('the version does not cover what changes on its own', async () => {
  const { db } = api.test.database
  const carrier = `/VoipCarriers/${A.voip_carrier_sid}`
  const speech = `/Accounts/${world.sid.A}/SpeechCredentials/${A.speech_credential_sid}`
  const before = [await readVersion(carrier), await readVersion(speech)]
  const status = { register_status: JSON.stringify({ status: 'ok', timestamp: 1 }) }
  await db.updateTable('voip_carriers').set(status).where('voip_carrier_sid', '=', A.voip_carrier_sid).execute()
  const tested = { tts_tested_ok: 1, last_used: '2026-11-02 10:00:00' } as const
  await db
    .updateTable('speech_credentials')
    .set(tested)
    .where('speech_credential_sid', '=', A.speech_credential_sid)
    .execute()
  expect([await readVersion(carrier), await readVersion(speech)]).toEqual(before)
})

test('the version of a record tells nothing to callers without access', async () => {
  const version = await readVersion(application)
  const [denied, hidden] = [await rename('theirs', version, ofB), await rename('theirs', '"another"', ofB)]
  expect([denied.status, denied.text, denied.headers['record-version']]).toEqual([
    hidden.status,
    hidden.text,
    undefined,
  ])
  expect(denied.status).toBe(403)
  expect((await ofB.get(application)).headers['record-version']).toBeUndefined()
})

test.each([
  ['*', 204],
  ['"another", VERSION', 204],
  ['W/VERSION', 412],
  ['"another"', 412],
  ['VERSION', 204],
  ['another', 400],
  ['', 400],
  ['"a" "b"', 400],
])('If-Match: %s gives %s', async (header, status) => {
  const version = await readVersion(application)
  expect((await rename('a name', header.replace('VERSION', version))).status).toBe(status)
})

test('a write without versions is rejected if it has a condition', async () => {
  const before = await snapshot(api)
  const answer = await ofB.put(
    `/Accounts/${world.sid.B}/Limits`,
    { category: 'device', quantity: 1 },
    { 'if-match': '*' },
  )
  expect([404, 400]).toContain(answer.status)
  const created = await api.app.inject({
    method: 'POST',
    url: '/v1/Applications',
    headers: { authorization: `Bearer ${ofB.token}`, 'if-match': '*' },
    payload: { name: 'new', account_sid: world.sid.B, call_hook: { url: B.application_sid } },
  })
  expect([created.statusCode, created.json()]).toMatchObject([400, { code: 'no_versions' }])
  expect(await snapshot(api)).toEqual(before)
})
