import { randomUUID } from 'node:crypto'
import type { SpeechTest } from '@patchbay/contract/speech-credentials'
import { type FakeVendorServer, startFakeVendorServer } from '@patchbay/testkit/fakes/speech/fake-vendor-server'
import { type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { getRow } from './fixtures.ts'

/**
 * Speech credentials (docs/reference/platform-api/speech.md#speech-credentials) in the complete app, with the fake
 * vendors of the test kit.
 */

let api: TestApi
let vendorServer: FakeVendorServer
let sp: string
let account: string
let path: string
let ofProvider: string
let user: Caller

beforeAll(async () => {
  vendorServer = await startFakeVendorServer()
  api = await createTestApi(vendorServer.environment)
})
afterAll(async () => {
  await api.close()
  await vendorServer.stop()
})
beforeEach(async () => {
  sp = await api.provider()
  account = await api.account(sp)
  path = `/Accounts/${account}/SpeechCredentials`
  ofProvider = `/ServiceProviders/${sp}/SpeechCredentials`
  user = (await api.user({ service_provider_sid: sp, account_sid: account })).caller
})
afterEach(() => vendorServer.behave('ok'))

const deepgram = { vendor: 'deepgram', api_key: 'deepgram-key-of-the-tests', use_for_tts: 1, use_for_stt: 1 }

const add = async (body: object, to = path, caller = api.admin): Promise<string> => {
  const answer = await caller.post(to, body)
  expect(answer.text).toContain('sid')
  expect(answer.status).toBe(201)
  return member(answer, 'sid')
}

const readRow = async (sid: string) =>
  api.test.database.db
    .selectFrom('speech_credentials')
    .selectAll()
    .where('speech_credential_sid', '=', sid)
    .executeTakeFirstOrThrow()

const storedIn = async (sid: string): Promise<unknown> =>
  JSON.parse(api.services.encryption.decrypt((await readRow(sid)).credential) ?? '')

describe('replacing keys', () => {
  const replace = (sid: string, keys: object, caller = user) =>
    caller.put(`/patchbay/speech-credentials/${sid}/keys`, { keys })

  test('replaces the named keys, keeps the rest, and clears the results of the last test', async () => {
    const sid = await add({ ...deepgram, model_id: 'nova-3' })
    expect((await user.get(`${path}/${sid}/test`)).status).toBe(200)
    expect(await readRow(sid)).toMatchObject({ tts_tested_ok: 1, stt_tested_ok: 1 })
    expect((await replace(sid, { api_key: ' another-deepgram-key ' })).status).toBe(204)
    expect(await storedIn(sid)).toEqual({ api_key: 'another-deepgram-key', model_id: 'nova-3' })
    const untested = { last_tested: null, tts_tested_ok: null, stt_tested_ok: null }
    expect(await readRow(sid)).toMatchObject({ ...untested, use_for_tts: 1, use_for_stt: 1 })
    const trail = await api.admin.get(`/patchbay/audit-trail?page=1&count=25&kind=speech_credential&sid=${sid}`)
    expect(trail.text).toContain('{"field":"replaced_keys","before":null,"after":["api_key"]}')
    expect(trail.text).not.toContain('another-deepgram-key')
  })

  test('replaces one of two keys, and the file of Google with all its members', async () => {
    const aws = { access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: 'an-aws-secret', aws_region: 'us-east-1' }
    const sid = await add({ vendor: 'aws', use_for_tts: 1, ...aws })
    expect((await replace(sid, { secret_access_key: 'a-new-aws-secret' })).status).toBe(204)
    expect(await storedIn(sid)).toMatchObject({ ...aws, secret_access_key: 'a-new-aws-secret' })
    const file = { private_key: 'a key', client_email: 'a@example.org', project_id: 'old' }
    const google = await add({ vendor: 'google', use_for_tts: 1, service_key: JSON.stringify(file) })
    const newFile = { private_key: 'another key', client_email: 'b@example.org' }
    expect((await replace(google, { service_key: JSON.stringify(newFile) })).status).toBe(204)
    expect(await storedIn(google)).toEqual(newFile)
  })

  test.each([
    [{}, 'keys'],
    [{ api_key: '' }, 'keys.api_key'],
    [{ api_key: '   ' }, 'keys.api_key'],
    [{ api_key: 5 }, 'keys.api_key'],
    [{ api_key: 'deepgrXXXXXXXXXXXXXXXXXXX' }, 'api_key'],
    [{ model_id: 'nova-2' }, 'model_id'],
    [{ use_for_tts: '0' }, 'use_for_tts'],
    [{ api_key: 'a good key', secret_access_key: 'x' }, 'secret_access_key'],
  ])('rejects %j, names the member, and changes nothing', async (keys, field) => {
    const sid = await add(deepgram)
    const before = await readRow(sid)
    const answer = await replace(sid, keys)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
    expect(getRow(answer)['field']).toBe(field)
    expect(await readRow(sid)).toEqual(before)
  })

  test('rejects a file without the members of a key', async () => {
    const service_key = JSON.stringify({ private_key: 'a key', client_email: 'a@example.org' })
    const sid = await add({ vendor: 'google', use_for_tts: 1, service_key })
    const answer = await replace(sid, { service_key: '{"private_key":"a key"}' })
    expect([answer.status, getRow(answer)['field']]).toEqual([422, 'service_key'])
  })

  test('accepts no caller of another account, and no account user for the keys of the provider', async () => {
    const sid = await add(deepgram)
    const shared = await add(deepgram, ofProvider)
    const other = (await api.user({ account_sid: await api.account(sp), service_provider_sid: sp })).caller
    const before = [await readRow(sid), await readRow(shared)]
    expect((await replace(sid, { api_key: 'x' }, other)).status).toBe(404)
    expect((await replace(shared, { api_key: 'x' })).status).toBe(403)
    expect([await readRow(sid), await readRow(shared)]).toEqual(before)
  })

  test('parallel replacements leave one of the new keys', async () => {
    const sid = await add(deepgram)
    const keys = Array.from({ length: 20 }, (_, at) => `deepgram-key-${at}`)
    const answers = await Promise.all(keys.map((api_key) => replace(sid, { api_key })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]))
    expect(keys).toContain(Object(await storedIn(sid)).api_key)
  })
})

test('SPEECH-55 SPEECH-67 API-083 API-084 API-091 a credential is stored encrypted, returned masked, changed, and deleted', async () => {
  const sid = await add({ ...deepgram, label: 'main', model_id: 'nova-3', region: 'of nobody' })
  expect((await readRow(sid)).credential).not.toContain('deepgram-key')
  expect(await storedIn(sid)).toEqual({ api_key: deepgram.api_key, model_id: 'nova-3' })
  const { body } = await user.get(`${path}/${sid}`)
  expect(body).toEqual({
    speech_credential_sid: sid,
    service_provider_sid: sp,
    account_sid: account,
    vendor: 'deepgram',
    label: 'main',
    use_for_tts: 1,
    use_for_stt: 1,
    last_used: null,
    last_tested: null,
    tts_tested_ok: null,
    stt_tested_ok: null,
    created_at: expect.any(String) as string,
    api_key: 'deepgrXXXXXXXXXXXXXXXXXXX',
    model_id: 'nova-3',
  })
  const changed = {
    use_for_tts: 0,
    use_for_stt: true,
    api_key: 'another',
    deepgram_stt_uri: 'api.eu.deepgram.com',
    vendor: 'aws',
    label: 'x',
  }
  expect((await user.put(`${path}/${sid}`, changed)).status).toBe(204)
  expect(await storedIn(sid)).toEqual({
    api_key: deepgram.api_key,
    model_id: 'nova-3',
    deepgram_stt_uri: 'api.eu.deepgram.com',
  })
  expect(await readRow(sid)).toMatchObject({ use_for_tts: 0, use_for_stt: 1, vendor: 'deepgram', label: 'main' })
  // Absent uses are cleared, and other absent fields remain.
  await user.put(`${path}/${sid}`, { use_for_tts: 0, use_for_stt: 0 })
  expect(await storedIn(sid)).toEqual({ api_key: deepgram.api_key, model_id: 'nova-3' })
  expect((await user.delete(`${path}/${sid}`)).status).toBe(204)
  expect((await api.admin.get(`${path}/${sid}`)).status).toBe(404)
})

const container = 'https://speech.example.org/v1'
const serviceKey = { private_key: '-----BEGIN PRIVATE KEY-----\nabcdefghijkl', client_email: 'speech@example.org' }

/**
 * The fields of each vendor: those that can be changed, those that choose the vendor's host and therefore can be changed
 * only together with the secrets, those that are fixed, and the masks of secrets.
 */
const fieldsOfVendors: [string, { editable?: object; hosts?: object; fixed?: object; masked?: object }][] = [
  [
    'aws',
    {
      hosts: { aws_region: 'eu-west-1' },
      fixed: { access_key_id: 'AKIAIOSFODNN7', secret_access_key: 'abcdefghij' },
      masked: { secret_access_key: 'abcdefXXXX' },
    },
  ],
  ['aws', { editable: { aws_region: 'eu-west-1' }, fixed: { role_arn: 'arn:aws:iam::123456789012:role/speech' } }],
  [
    'google',
    {
      fixed: { service_key: JSON.stringify(serviceKey) },
      masked: {
        service_key: JSON.stringify({ ...serviceKey, private_key: '-----BEGIN PRIVATE KEY-----\nabcdefXXXXXX' }),
      },
    },
  ],
  [
    'microsoft',
    {
      editable: {
        use_custom_tts: 1,
        custom_tts_endpoint: 'a voice',
        use_custom_stt: 1,
        custom_stt_endpoint: 'a model',
      },
      hosts: { region: 'westus' },
      fixed: { api_key: 'abcdefghij' },
      masked: { api_key: 'abcdefXXXX' },
    },
  ],
  [
    'microsoft',
    {
      editable: {
        use_custom_tts: 1,
        custom_tts_endpoint_url: container,
        use_custom_stt: 1,
        custom_stt_endpoint_url: `${container}/listen`,
      },
    },
  ],
  [
    'deepgram',
    {
      editable: {
        deepgram_stt_uri: 'speech.example.org:8080',
        deepgram_stt_use_tls: 1,
        deepgram_tts_uri: container,
        model_id: 'nova-3',
      },
    },
  ],
  [
    'ibm',
    {
      hosts: { tts_region: 'us-east', stt_region: 'eu-de' },
      fixed: { tts_api_key: 'abcdefghij', stt_api_key: 'klmnopqrst', instance_id: 'an instance' },
      masked: { tts_api_key: 'abcdefXXXX', stt_api_key: 'klmnopXXXX' },
    },
  ],
  ['nuance', { fixed: { client_id: 'a client', secret: 'abcdefghij' }, masked: { secret: 'abcdefXXXX' } }],
  ['nuance', { editable: { nuance_tts_uri: 'tts.example.org:1', nuance_stt_uri: 'stt.example.org:2' } }],
  ['nvidia', { editable: { riva_server_uri: 'riva.example.org:50051' } }],
  ['cobalt', { editable: { cobalt_server_uri: 'cobalt.example.org:2727' } }],
  [
    'speechmatics',
    {
      hosts: { speechmatics_stt_uri: 'eu2.rt.speechmatics.com' },
      fixed: { api_key: 'abcdefghij' },
      masked: { api_key: 'abcdefXXXX' },
    },
  ],
  [
    'custom:acme',
    {
      editable: {
        custom_stt_url: 'wss://speech.example.org/stt',
        custom_tts_url: container,
        custom_tts_streaming_url: 'wss://speech.example.org/tts',
      },
      fixed: { auth_token: 'abcdefghij' },
      masked: { auth_token: 'abcdefXXXX' },
    },
  ],
  [
    'playht',
    {
      editable: { voice_engine: 'Play3.0', playht_tts_uri: container, options: '{"speed":1}' },
      fixed: { user_id: 'a user', api_key: 'abcdefghij' },
      masked: { api_key: 'abcdefXXXX' },
    },
  ],
  [
    'verbio',
    {
      editable: { engine_version: 'V2' },
      fixed: { client_id: 'a client', client_secret: 'abcdefghij' },
      masked: { client_secret: 'abcdefXXXX' },
    },
  ],
  [
    'cartesia',
    {
      editable: { model_id: 'sonic', stt_model_id: 'ink', options: '{"speed":1}' },
      fixed: { api_key: 'abcdefghij' },
      masked: { api_key: 'abcdefXXXX' },
    },
  ],
]

test.each(fieldsOfVendors)(
  'SPEECH-55 SPEECH-67 %s with %j stores every field, returns it with masked secrets, and changes it unless it is fixed',
  async (vendor, { editable = {}, hosts = {}, fixed = {}, masked = {} }) => {
    const common = { use_for_tts: 1, use_for_stt: 1, ...editable, ...hosts }
    const sid = await add({ vendor, label: 'main', ...common, ...fixed }, path, user)
    const answer = async () => (await user.get(`${path}/${sid}`)).body
    expect(await answer()).toMatchObject({ vendor, label: 'main', ...common, ...fixed, ...masked })
    const secrets = Object.keys(masked).map((name) => String(Object(fixed)[name]).slice(-5))
    for (const secret of secrets) expect(JSON.stringify(await answer())).not.toContain(secret)
    for (const [name, value] of Object.entries(editable)) {
      const changed = typeof value === 'number' ? 0 : String(value).replace(/.$/, '9')
      expect([name, (await user.put(`${path}/${sid}`, { ...common, [name]: changed })).status]).toEqual([name, 204])
      expect(await answer()).toMatchObject({ [name]: changed })
    }
    const other = Object.fromEntries(Object.keys(fixed).map((name) => [name, 'something else']))
    expect((await user.put(`${path}/${sid}`, { ...common, ...other })).status).toBe(204)
    expect(await answer()).toMatchObject({ ...common, ...fixed, ...masked })
    for (const name of Object.keys(hosts))
      expect([name, (await user.put(`${path}/${sid}`, { ...common, [name]: 'elsewhere' })).status]).toEqual([name, 422])
  },
)

describe('a vendor that Patchbay does not know', () => {
  const fish = {
    vendor: 'fishaudio',
    label: 'main',
    use_for_tts: 1,
    use_for_stt: 0,
    api_key: 'fish-secret-key',
    endpoint: 'https://fish.example/v1',
    pin: 471147,
    use_streaming: true,
  }
  const masked = { api_key: '********', endpoint: '********', pin: '********', use_streaming: true }
  const stored = { api_key: fish.api_key, endpoint: fish.endpoint, pin: fish.pin, use_streaming: true }
  const secrets = /fish-secret|fish\.example|471147/

  test('is stored with all of its fields, which are masked everywhere, whatever they mean', async () => {
    const sid = await add(fish, path, user)
    expect(await storedIn(sid)).toEqual(stored)
    for (const each of [`${path}/${sid}`, path]) {
      const answer = await user.get(each)
      const row = getRow(Array.isArray(answer.body) ? { ...answer, body: (answer.body as unknown[])[0] } : answer)
      expect(row).toMatchObject({ vendor: 'fishaudio', label: 'main', use_for_tts: 1, ...masked })
      expect(answer.text).not.toMatch(secrets)
    }
    const trail = await api.admin.get(`/patchbay/audit-trail?page=1&count=25&kind=speech_credential&sid=${sid}`)
    expect(trail.text).toContain('fishaudio')
    expect(trail.text).not.toMatch(secrets)
    expect((await user.get(`${path}/${sid}/test`)).body).toEqual({
      tts: { status: 'not tested' },
      stt: { status: 'not tested' },
    })
    expect((await user.post(path, { ...fish, api_key: 'other' })).status).toBe(422)
  })

  test('is kept with members that only a newer platform could write, when its record is sent back', async () => {
    const written = { apiKey: 'fish-secret-key', nested: { token: 'fish-secret' }, list: ['fish-secret'], '@odd': 1 }
    const sid = randomUUID()
    await api.test.database.db
      .insertInto('speech_credentials')
      .values({
        speech_credential_sid: sid,
        account_sid: account,
        service_provider_sid: sp,
        vendor: 'Newest.Vendor',
        use_for_tts: 1,
        credential: api.services.encryption.encrypt(JSON.stringify(written)),
      })
      .execute()
    const read = await user.get(`${path}/${sid}`)
    expect(read.status).toBe(200)
    expect(read.text).not.toMatch(secrets)
    expect(((await user.get(path)).body as { vendor: string }[]).map(({ vendor }) => vendor)).toContain('Newest.Vendor')
    const back = { ...getRow(read), use_for_tts: 0, use_for_stt: 1, apiKey: 'changed', added: 'x' }
    expect((await user.put(`${path}/${sid}`, back)).status).toBe(204)
    expect((await user.put(`${path}/${sid}`, { use_for_stt: 1 })).status).toBe(204)
    expect(await storedIn(sid)).toEqual(written)
    expect(await readRow(sid)).toMatchObject({ use_for_tts: 0, use_for_stt: 1 })
  })

  test('replaces its fields only all at once, because each of them may be the address of the others', async () => {
    const sid = await add(fish)
    const replace = (keys: object) => user.put(`/patchbay/speech-credentials/${sid}/keys`, { keys })
    for (const keys of [
      { endpoint: 'https://evil.example' },
      { endpoint: 'https://evil.example', api_key: '********' },
    ])
      expect((await replace({ pin: '1', ...keys })).status).toBe(422)
    expect((await replace({ other: 'x', endpoint: 'https://b.example', api_key: 'new' })).status).toBe(422)
    expect(await storedIn(sid)).toEqual(stored)
    expect((await replace({ endpoint: 'https://b.example', api_key: 'new-secret', pin: '1' })).status).toBe(204)
    expect(await storedIn(sid)).toEqual({ ...stored, endpoint: 'https://b.example', api_key: 'new-secret', pin: '1' })
  })

  test('has no fields for callers who cannot change it', async () => {
    await add({ ...fish, label: null }, ofProvider)
    const answer = await user.get(path)
    const [row] = answer.body as object[]
    expect(row).toMatchObject({ vendor: 'fishaudio', account_sid: null })
    expect(Object.keys(row ?? {})).not.toContain('api_key')
    expect(answer.text).not.toMatch(secrets)
  })
})

describe('rejected requests change nothing', () => {
  test('SPEECH-17 SPEECH-18 a vendor is required, a label is not', async () => {
    expect((await api.admin.post(path, { api_key: 'k' })).status).toBe(400)
    await add(deepgram)
    await add({ ...deepgram, label: 'another' })
    const labels = ((await api.admin.get(path)).body as { label: string | null }[]).map(({ label }) => label)
    expect(new Set(labels)).toEqual(new Set(['another', null]))
  })

  test.each<[string, object, number, string]>([
    ['no vendor', { vendor: undefined }, 400, 'vendor'],
    ['a vendor whose name is none', { vendor: 'Acme!' }, 422, 'invalid or missing vendor: Acme!'],
    ['a custom vendor without its prefix', { vendor: 'custom' }, 422, 'invalid or missing vendor: custom'],
    ['an unknown vendor without a field', { vendor: 'acme', api_key: '' }, 422, 'a field is required'],
    ['an object for a field of an unknown vendor', { vendor: 'acme', area: { a: 1 } }, 422, 'area must be text'],
    ['a field of an unknown vendor that is no name', { vendor: 'acme', 'a b': 'x' }, 422, 'a b is invalid'],
    ['a long field of an unknown vendor', { vendor: 'acme', speed: 'x'.repeat(4001) }, 422, 'at most 4000'],
    ['a custom vendor without a name', { vendor: 'custom:' }, 422, 'invalid or missing vendor: custom:'],
    ['a vendor too long', { vendor: `custom:${'x'.repeat(26)}` }, 400, 'at most 32'],
    ['no key', { api_key: null }, 422, 'invalid deepgram speech credential: api_key is required'],
    ['an object for a key', { api_key: {} }, 400, 'api_key'],
    ['a key too long', { api_key: 'x'.repeat(4001) }, 400, 'at most 4000'],
    ['more than the column holds', { api_key: 'x'.repeat(4000), model_id: 'y'.repeat(200) }, 422, 'too long'],
    ['an account of nobody', { account_sid: randomUUID() }, 400, 'unknown account_sid'],
    ['a flag that is none', { use_for_tts: 'perhaps' }, 400, 'use_for_tts'],
  ])('%s', async (_, more, status, text) => {
    const answer = await api.admin.post(path, { ...deepgram, ...more })
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)])
    expect((await api.admin.get(path)).body).toEqual([])
  })

  test('a change without either use, or without a field that the API requires', async () => {
    const sid = await add({ vendor: 'whisper', api_key: 'k', model_id: 'tts-1', use_for_tts: 1 })
    const refused = await api.admin.put(`${path}/${sid}`, { model_id: 'tts-1-hd' })
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining('use_for_tts and use_for_stt are the only updateable fields'),
    ])
    const emptied = await api.admin.put(`${path}/${sid}`, { use_for_tts: 0, model_id: null })
    expect(emptied.text).toContain('invalid whisper speech credential: model_id is required')
    expect(await readRow(sid)).toMatchObject({ use_for_tts: 1 })
    expect(await storedIn(sid)).toEqual({ api_key: 'k', model_id: 'tts-1' })
  })
})

test('a label is unique per vendor among the credentials that its owner can use', async () => {
  const labelled = { ...deepgram, label: 'main' }
  const other = await api.account(sp)
  await add(labelled)
  const again = await api.admin.post(path, labelled)
  expect([again.status, again.text]).toEqual([
    422,
    expect.stringContaining('Label main is already in use for another speech credential'),
  ])
  // Credentials of other accounts, of other vendors, and without a label do not count.
  await add(labelled, `/Accounts/${other}/SpeechCredentials`)
  await add({ ...labelled, vendor: 'soniox' })
  await add({ ...labelled, label: '' })
  await add({ ...labelled, label: null })
  await add({ ...labelled, label: 'of all' }, ofProvider)
  expect((await user.post(path, { ...labelled, label: 'of all' })).status).toBe(422)
  const many = await Promise.all(Array.from({ length: 20 }, () => user.post(path, { ...labelled, label: 'raced' })))
  expect(many.filter(({ status }) => status === 201)).toHaveLength(1)
})

test('API-080 API-081 API-082 shared credentials are visible in every account, with secrets for the provider only', async () => {
  const own = await add(deepgram, path, user)
  const ofAll = await add({ ...deepgram, label: 'all' }, ofProvider)
  const elsewhere = await api.account(sp)
  await add({ ...deepgram, label: 'theirs' }, `/Accounts/${elsewhere}/SpeechCredentials`)
  const sids = (body: unknown) => (body as { speech_credential_sid: string }[]).map((row) => row.speech_credential_sid)
  for (const from of [path, ofProvider])
    expect(sids((await user.get(from)).body).toSorted()).toEqual([own, ofAll].toSorted())
  const provider = (await api.user({ service_provider_sid: sp })).caller
  expect(sids((await provider.get(ofProvider)).body)).toEqual([ofAll])
  expect(sids((await provider.get(path)).body).toSorted()).toEqual([own, ofAll].toSorted())
  const rows = (await user.get(path)).body as { speech_credential_sid: string; api_key?: string }[]
  expect(rows.find((row) => row.speech_credential_sid === ofAll)).not.toHaveProperty('api_key')
  expect(rows.find((row) => row.speech_credential_sid === own)).toHaveProperty('api_key', 'deepgrXXXXXXXXXXXXXXXXXXX')
  const viewer = (await api.user({ service_provider_sid: sp, account_sid: account, is_view_only: true })).caller
  expect((await viewer.get(path)).text).not.toContain('deepgrX')
  expect((await provider.get(`${ofProvider}/${ofAll}`)).body).toMatchObject({
    speech_credential_sid: ofAll,
    label: 'all',
  })
  expect((await user.get(`${path}/${own}`)).body).toMatchObject({ speech_credential_sid: own, label: null })
  // An account may test shared credentials of its provider, but do nothing else with them.
  expect((await user.get(`${path}/${ofAll}`)).status).toBe(403)
  expect((await user.put(`${path}/${ofAll}`, { use_for_tts: 0 })).status).toBe(403)
  expect((await user.delete(`${path}/${ofAll}`)).status).toBe(403)
  expect((await user.get(`${path}/${ofAll}/test`)).body).toEqual({ tts: { status: 'ok' }, stt: { status: 'ok' } })
  expect((await provider.delete(`${ofProvider}/${own}`)).status).toBe(204)
})

test('a path with another owner does not find own credentials', async () => {
  const sid = await add(deepgram)
  const foreign = await api.account(await api.provider())
  const providerUser = (await api.user({ service_provider_sid: sp })).caller
  for (const wrong of [`/Accounts/${foreign}`, `/Accounts/${await api.account(sp)}`]) {
    expect((await user.get(`${wrong}/SpeechCredentials/${sid}`)).status).toBe(404)
    expect((await providerUser.get(`${wrong}/SpeechCredentials/${sid}`)).status).toBe(404)
    expect((await api.admin.delete(`${wrong}/SpeechCredentials/${sid}`)).status).toBe(404)
  }
  const moved = await user.post(`/ServiceProviders/${await api.provider()}/SpeechCredentials`, deepgram)
  expect(moved.status).toBe(403)
  const provider = (await api.user({ service_provider_sid: sp })).caller
  expect((await provider.post(ofProvider, { ...deepgram, account_sid: foreign })).status).toBe(400)
  expect((await provider.post(path, { ...deepgram, service_provider_sid: randomUUID() })).status).toBe(400)
})

test('an unreadable credential is listed without vendor fields and can be deleted', async () => {
  const sid = await add(deepgram)
  const { db } = api.test.database
  await db
    .updateTable('speech_credentials')
    .set({ credential: 'broken' })
    .where('speech_credential_sid', '=', sid)
    .execute()
  const [row] = (await user.get(path)).body as object[]
  expect(row).toMatchObject({ vendor: 'deepgram' })
  expect(row).not.toHaveProperty('api_key')
  expect((await user.get(`${path}/${sid}/test`)).status).toBe(422)
  expect((await user.put(`${path}/${sid}`, { use_for_tts: 1 })).status).toBe(422)
  expect((await user.delete(`${path}/${sid}`)).status).toBe(204)
})

describe('testing a credential', () => {
  const tried = async (sid: string) => (await user.get(`${path}/${sid}/test`)).body as SpeechTest

  test('API-085 sends a request to the vendor and stores the result', async () => {
    const sid = await add(deepgram)
    vendorServer.taken()
    expect(await tried(sid)).toEqual({ tts: { status: 'ok' }, stt: { status: 'ok' } })
    expect(vendorServer.taken().toSorted()).toEqual([
      'POST https://api.deepgram.com/v1/listen',
      'POST https://api.deepgram.com/v1/speak',
    ])
    expect(await readRow(sid)).toMatchObject({
      tts_tested_ok: 1,
      stt_tested_ok: 1,
      last_tested: expect.anything() as string,
    })
    vendorServer.behave('nonsense')
    expect((await tried(sid)).tts).toMatchObject({ status: 'fail', reason: expect.any(String) as string })
    expect(await readRow(sid)).toMatchObject({ tts_tested_ok: 0, stt_tested_ok: 0 })
  })

  test('tests the enabled uses and keeps the result of the other', async () => {
    const sid = await add({ ...deepgram, use_for_tts: 0 })
    expect(await tried(sid)).toEqual({ tts: { status: 'not tested' }, stt: { status: 'ok' } })
    expect(await readRow(sid)).toMatchObject({ tts_tested_ok: null, stt_tested_ok: 1 })
    const off = await add({ ...deepgram, label: 'off', use_for_tts: 0, use_for_stt: 0 })
    expect(await tried(off)).toEqual({ tts: { status: 'not tested' }, stt: { status: 'not tested' } })
    expect((await readRow(off)).last_tested).toBeNull()
  })

  test.each(['gemini', 'giggy', 'modulate', 'paxa', 'xai', 'zoom'])(
    'stores a credential of %s for recognition, and reports that Patchbay has no test for it',
    async (vendor) => {
      const body = { vendor, api_key: 'a key', model_id: 'one', options: '{"speed":1}', use_for_tts: 0, use_for_stt: 1 }
      const sid = await add(body)
      expect(await storedIn(sid)).toEqual({ api_key: 'a key', model_id: 'one', options: '{"speed":1}' })
      expect(await tried(sid)).toEqual({ tts: { status: 'not tested' }, stt: { status: 'not tested' } })
    },
  )

  test.each(['assemblyai', 'deepgramflux', 'gradium', 'kugelaudio', 'nineninesix', 'phonic', 'speechify'])(
    'stores a credential of %s for synthesis, and reports that Patchbay has no test for it',
    async (vendor) => {
      const sid = await add({ vendor, api_key: 'a key', use_for_tts: 1, use_for_stt: 0 })
      expect((await user.get(`${path}/${sid}`)).body).toMatchObject({ vendor, use_for_tts: 1 })
      expect(await tried(sid)).toEqual({ tts: { status: 'not tested' }, stt: { status: 'not tested' } })
    },
  )

  test("reports a wrong key with the vendor's message", async () => {
    const sid = await add({ ...deepgram, api_key: 'wrong' })
    expect(await tried(sid)).toEqual({
      tts: { status: 'fail', reason: 'Unauthorized' },
      stt: { status: 'fail', reason: 'Unauthorized' },
    })
  })

  test('does not call an address of a private network, and does not name settings of the operator', async () => {
    const sid = await add({ ...deepgram, deepgram_tts_uri: 'http://127.0.0.1:1', use_for_stt: 0 })
    expect((await tried(sid)).tts).toEqual({
      status: 'fail',
      reason: '127.0.0.1 is in a private network. Use a public address',
    })
  })

  const testNew = (body: object, caller = user) => caller.post('/patchbay/speech-credentials/test', body)
  const testChanges = (sid: string, body: object, caller = user) =>
    caller.post(`/patchbay/speech-credentials/${sid}/test`, body)
  const passed = { tts: { status: 'ok' }, stt: { status: 'ok' } }

  test('that is not saved sends its requests, and stores nothing', async () => {
    vendorServer.taken()
    expect((await testNew({ ...deepgram, account_sid: account })).body).toEqual(passed)
    expect(vendorServer.taken()).toHaveLength(2)
    expect((await user.get(path)).body).toEqual([])
    const wrong = await testNew({ ...deepgram, api_key: 'wrong', use_for_tts: 0 })
    expect(wrong.body).toMatchObject({ tts: { status: 'not tested' }, stt: { status: 'fail' } })
    expect((await testNew({ vendor: 'deepgram', use_for_tts: 1 })).status).toBe(422)
    expect((await testNew({ vendor: 'nobody/knows', use_for_tts: 1 })).body).toMatchObject({ field: 'vendor' })
  })

  test('with unsaved keys and settings uses them, and keeps the stored ones and their result', async () => {
    const sid = await add({ ...deepgram, use_for_stt: 0 })
    expect(await tried(sid)).toMatchObject({ tts: { status: 'ok' } })
    const before = await readRow(sid)
    expect((await testChanges(sid, { keys: { api_key: 'wrong' } })).body).toMatchObject({
      tts: { status: 'fail' },
      stt: { status: 'not tested' },
    })
    expect((await testChanges(sid, { settings: { use_for_tts: 1, use_for_stt: 1 } })).body).toEqual(passed)
    const both = { keys: { api_key: 'wrong' }, settings: { use_for_tts: 0, use_for_stt: 1 } }
    expect((await testChanges(sid, both)).body).toMatchObject({
      tts: { status: 'not tested' },
      stt: { status: 'fail' },
    })
    expect(await readRow(sid)).toEqual(before)
    expect((await testChanges(sid, { keys: { model_id: 'nova-3' } })).status).toBe(422)
    expect((await testChanges(sid, { keys: {} })).status).toBe(400)
  })

  test('with unsaved settings never sends the stored secret to a new host', async () => {
    const sid = await add({
      vendor: 'custom:acme',
      use_for_tts: 1,
      use_for_stt: 0,
      auth_token: 'secret-of-acme',
      custom_tts_url: 'https://tts.example.org',
    })
    const moved = { use_for_tts: 1, use_for_stt: 0, custom_tts_url: 'https://attacker.example.org' }
    expect((await testChanges(sid, { settings: moved })).status).toBe(422)
  })

  test('with unsaved changes is denied to everyone who cannot change the credential', async () => {
    const sid = await add(deepgram)
    const ofAll = await add({ ...deepgram, label: 'all' }, ofProvider)
    const other = (await api.user({ service_provider_sid: sp, account_sid: await api.account(sp) })).caller
    vendorServer.taken()
    expect((await testChanges(sid, { keys: { api_key: 'mine' } }, other)).status).toBe(404)
    expect((await testChanges(ofAll, { keys: { api_key: 'mine' } })).status).toBe(403)
    const viewer = (await api.user({ service_provider_sid: sp, account_sid: account, is_view_only: true })).caller
    expect((await testChanges(sid, { keys: { api_key: 'mine' } }, viewer)).status).toBe(403)
    expect((await testNew(deepgram, viewer)).status).toBe(403)
    expect(vendorServer.taken()).toEqual([])
  })

  test('is rate limited per account and minute', async () => {
    const sid = await add({ vendor: 'nvidia', riva_server_uri: 'riva.example.org:1' })
    const answers = await Promise.all(Array.from({ length: 100 }, () => user.get(`${path}/${sid}/test`)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40)
  })
})

describe('languages, voices and models', () => {
  const lists = async (query: string, caller = user) =>
    caller.get(`${path}/speech/supportedLanguagesAndVoices?${query}`)

  test('API-046 API-086 come from the vendor if there is a credential with the label, otherwise from built-in lists', async () => {
    await add({ ...deepgram, label: 'main' })
    const live = (await lists('vendor=deepgram&label=main')).body as { stt: object[]; models: object[] }
    expect(live.models).toEqual([{ value: 'aura-asteria-en', name: 'Aura-asteria-en' }])
    expect(live.stt).toContainEqual({ value: 'tlh', name: 'Klingon' })
    for (const query of ['vendor=deepgram', 'vendor=deepgram&label=main&create_new=true']) {
      const builtIn = (await lists(query)).body as { models: object[] }
      expect(builtIn.models).toHaveLength(53)
    }
  })

  test('are cached for ten minutes, unless the request failed', async () => {
    await add({ ...deepgram, label: 'main', model_id: 'whisper' })
    vendorServer.behave('cut off')
    const refused = await lists('vendor=deepgram&label=main')
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('failed to list voices')])
    vendorServer.behave('ok')
    vendorServer.taken()
    const answers = await Promise.all(Array.from({ length: 10 }, () => lists('vendor=deepgram&label=main')))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(vendorServer.taken()).toEqual(['GET https://api.deepgram.com/v1/models'])
  })

  test.each([
    ['', 400, 'vendor is required'],
    ['vendor=acme', 422, 'Invalid vendor acme'],
    ['vendor=custom:acme', 422, 'Invalid vendor custom:acme'],
    ['vendor=deepgramflux', 422, 'Invalid vendor deepgramflux'],
    ['vendor=__proto__', 422, 'Invalid vendor __proto__'],
    ['vendor=constructor', 422, 'Invalid vendor constructor'],
  ])('%s: %d %s', async (query, status, text) => {
    const answer = await lists(query)
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)])
  })

  test('are never requested with a credential of another account', async () => {
    const other = await api.account(sp)
    await add({ ...deepgram, label: 'theirs' }, `/Accounts/${other}/SpeechCredentials`)
    vendorServer.taken()
    expect(((await lists('vendor=deepgram&label=theirs')).body as { models: object[] }).models).toHaveLength(53)
    expect(vendorServer.taken()).toEqual([])
  })
})

test('the applications that use a credential are listed', async () => {
  const sid = await add({ ...deepgram, label: 'main' })
  const hook = { url: 'https://example.org' }
  const application = async (name: string, more: object, to = account) =>
    api.admin.post('/Applications', { name, account_sid: to, call_hook: hook, call_status_hook: hook, ...more })
  await application('speaks', { speech_synthesis_vendor: 'deepgram', speech_synthesis_label: 'main' })
  await application('listens', { speech_recognizer_vendor: 'deepgram', speech_recognizer_label: 'main' })
  const fallback = { fallback_speech_synthesis_vendor: 'deepgram', fallback_speech_synthesis_label: 'main' }
  await application('falls back', { ...fallback, use_for_fallback_speech: 1 })
  await application('does not fall back', fallback)
  await application('another label', { speech_synthesis_vendor: 'deepgram' })
  await application(
    'another account',
    { speech_synthesis_vendor: 'deepgram', speech_synthesis_label: 'main' },
    await api.account(sp),
  )
  const { body } = await user.get(`/patchbay/speech-credentials/${sid}/used-by`)
  expect(body).toEqual({
    applications: {
      total: 3,
      first: ['falls back', 'listens', 'speaks'].map((name) => ({ sid: expect.any(String) as string, name })),
    },
  })
})

test('the audit trail contains who changed what, but no secret', async () => {
  const sid = await add({ ...deepgram, label: 'main' })
  await api.admin.put(`${path}/${sid}`, { use_for_tts: 0, model_id: 'nova-3' })
  await api.admin.delete(`${path}/${sid}`)
  const { body, text } = await api.admin.get(`/patchbay/audit-trail?page=1&count=25&kind=speech_credential&sid=${sid}`)
  expect((body as { data: { action: string }[] }).data.map(({ action }) => action)).toEqual([
    'delete',
    'update',
    'create',
  ])
  expect(text).not.toContain('deepgram-key')
  expect(text).not.toContain('deepgrX')
})

test('COMMON-09 with DISABLE_CUSTOM_SPEECH, new custom vendors are rejected, and those that exist can be changed', async () => {
  const off = await createTestApi({ DISABLE_CUSTOM_SPEECH: '1' })
  try {
    const service_provider_sid = await off.provider()
    const account_sid = await off.account(service_provider_sid)
    const body = { vendor: 'custom:acme', use_for_tts: 1, use_for_stt: 0, custom_tts_url: 'https://tts.example.org' }
    const message = 'custom speech vendors are off in this installation (DISABLE_CUSTOM_SPEECH)'
    for (const owner of [`/Accounts/${account_sid}`, `/ServiceProviders/${service_provider_sid}`])
      expect(await off.admin.post(`${owner}/SpeechCredentials`, body)).toMatchObject({
        status: 400,
        body: { msg: message, field: 'vendor' },
      })
    const speech_credential_sid = randomUUID()
    const credential = off.services.encryption.encrypt(JSON.stringify({ custom_tts_url: body.custom_tts_url }))
    const row = { speech_credential_sid, vendor: 'custom:acme', account_sid, service_provider_sid, credential }
    await off.test.database.db.insertInto('speech_credentials').values(row).execute()
    const stored = `/Accounts/${account_sid}/SpeechCredentials/${speech_credential_sid}`
    expect((await off.admin.put(stored, { use_for_tts: 1, custom_tts_url: 'https://new.example.org' })).status).toBe(
      204,
    )
    expect((await off.admin.delete(stored)).status).toBe(204)
  } finally {
    await off.close()
  }
})
