import { randomUUID } from 'node:crypto'
import { type Caller, member } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { beforeEach, describe, expect, test } from 'vitest'
import { getRows, statusAndMessage } from './fixtures.ts'

/** Google's custom voices (docs/reference/platform-api/speech.md#google-custom-voices), in the complete app. */

let sp: string
let account: string
let user: Caller
let provider: Caller
let credential: string

const api = await openTestApi()
beforeEach(async () => {
  sp = await api.provider()
  account = await api.account(sp)
  user = (await api.user({ service_provider_sid: sp, account_sid: account })).caller
  provider = (await api.user({ service_provider_sid: sp })).caller
  credential = await createCredential(`/Accounts/${account}`)
})

const serviceKey = JSON.stringify({ client_email: 'nobody@example.org', private_key: 'none' })

const createCredential = async (owner: string, more: object = {}): Promise<string> => {
  const body = { vendor: 'google', service_key: serviceKey, ...more }
  return member(await api.admin.post(`${owner}/SpeechCredentials`, body), 'sid')
}

const add = async (more: object = {}, caller = api.admin): Promise<string> => {
  const body = { speech_credential_sid: credential, name: 'Our voice', model: 'projects/1/models/2', ...more }
  const answer = await caller.post('/GoogleCustomVoices', body)
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return member(answer, 'sid')
}

const longKey = 'k'.repeat(99) + 'yz'.repeat(50_000)
const cut = `${'k'.repeat(99)}y...`

const upload = (sid: string, content: string | Uint8Array<ArrayBuffer>, caller = user, part = 'file') => {
  const form = new FormData()
  form.set(part, new Blob([content]), 'key.txt')
  return caller.post(`/GoogleCustomVoices/${sid}/VoiceCloningKey`, form)
}

const storedKey = async (sid: string) =>
  (
    await api.test.database.db
      .selectFrom('google_custom_voices')
      .select('voice_cloning_key')
      .where('google_custom_voice_sid', '=', sid)
      .executeTakeFirstOrThrow()
  ).voice_cloning_key

const names = async (query: string, caller = user) =>
  getRows(await caller.get(`/GoogleCustomVoices?${query}`)).map(({ name }) => name)

test('SPEECH-56 API-037 API-088 API-089 API-090 a voice is created, read, given a key, changed, and deleted', async () => {
  const sid = await add({}, user)
  const voice = {
    google_custom_voice_sid: sid,
    speech_credential_sid: credential,
    name: 'Our voice',
    model: 'projects/1/models/2',
    reported_usage: 'REALTIME',
    use_voice_cloning_key: 0,
    voice_cloning_key: null,
    voice_cloning_key_file: null,
  }
  const path = `/GoogleCustomVoices/${sid}`
  expect((await user.get(path)).body).toEqual(voice)
  const { voice_cloning_key: _none, ...listed } = voice
  expect((await user.get(`/GoogleCustomVoices?speech_credential_sid=${credential}`)).body).toEqual([listed])

  expect((await upload(sid, longKey)).status).toBe(204)
  expect(await storedKey(sid)).toBe(longKey)
  expect((await user.get(path)).body).toEqual({ ...voice, voice_cloning_key: cut })
  expect((await user.get('/GoogleCustomVoices')).body).toEqual([{ ...listed, voice_cloning_key: cut }])

  const { google_custom_voice_sid: _sid, ...payload } = { ...voice, voice_cloning_key: cut }
  const change = { ...payload, name: 'Another', model: '', reported_usage: 'OFFLINE', use_voice_cloning_key: true }
  expect((await user.put(path, change)).status).toBe(204)
  expect((await user.get(path)).body).toEqual({
    ...voice,
    name: 'Another',
    model: '',
    reported_usage: 'OFFLINE',
    use_voice_cloning_key: 1,
    voice_cloning_key: cut,
  })
  // Sending the visible part of the key does not change it.
  expect(await storedKey(sid)).toBe(longKey)
  const anotherKey = longKey.replaceAll('k', 'j')
  expect((await user.put(path, { voice_cloning_key: anotherKey })).status).toBe(204)
  expect(await storedKey(sid)).toBe(anotherKey)
  expect((await user.delete(path)).status).toBe(204)
  expect((await api.admin.get(path)).status).toBe(404)
})

test('a voice is deleted with its credential', async () => {
  const sid = await add()
  expect((await user.delete(`/Accounts/${account}/SpeechCredentials/${credential}`)).status).toBe(204)
  expect((await api.admin.get(`/GoogleCustomVoices/${sid}`)).status).toBe(404)
})

describe('rejected requests change nothing', () => {
  test.each<[string, object, string]>([
    ['no credential', { speech_credential_sid: undefined }, 'missing speech_credential_sid'],
    ['a credential of nobody', { speech_credential_sid: randomUUID() }, 'Invalid speech_credential_sid'],
    ['no name', { name: undefined }, 'missing field name'],
    ['an empty name', { name: ' ' }, 'name must not be empty'],
    ['a name too long', { name: 'x'.repeat(65) }, 'name must be at most 64 characters long'],
    ['no model', { model: undefined }, 'missing field model'],
    ['an empty model', { model: '' }, 'missing field model'],
    ['a model too long', { model: 'x'.repeat(513) }, 'model must be at most 512 characters long'],
    ['a usage of nobody', { reported_usage: 'SOMETIMES' }, 'reported_usage must be one of'],
    ['a flag that is none', { use_voice_cloning_key: 2 }, 'use_voice_cloning_key must be true, false, 0 or 1'],
    ['what is no field', { vendor: 'google' }, 'unknown field vendor'],
    ['a sid that is none', { google_custom_voice_sid: 'x' }, 'google_custom_voice_sid must be a sid (UUID)'],
  ])('%s', async (_, more, text) => {
    const body = { speech_credential_sid: credential, name: 'Our voice', model: 'm', ...more }
    expect(statusAndMessage(await api.admin.post('/GoogleCustomVoices', body))).toEqual([
      400,
      expect.stringContaining(text),
    ])
    expect(await names('')).toEqual([])
  })

  test('SPEECH-51 SPEECH-54 a voice with a key needs no model unless it uses the model', async () => {
    const sid = await add({ model: undefined, use_voice_cloning_key: 1 })
    const path = `/GoogleCustomVoices/${sid}`
    expect((await user.get(path)).body).toMatchObject({ model: '', use_voice_cloning_key: 1 })
    expect(statusAndMessage(await user.put(path, { use_voice_cloning_key: 0 }))).toEqual([400, 'missing field model'])
    expect((await user.get(path)).body).toMatchObject({ use_voice_cloning_key: 1 })
    expect((await user.put(path, { use_voice_cloning_key: 0, model: 'm' })).status).toBe(204)
  })

  test('a change of its sid', async () => {
    const sid = await add()
    const answer = await user.put(`/GoogleCustomVoices/${sid}`, { google_custom_voice_sid: randomUUID() })
    expect(statusAndMessage(answer)).toEqual([400, 'primary key google_custom_voice_sid is immutable'])
  })

  test('a credential of another vendor', async () => {
    const deepgram = { vendor: 'deepgram', api_key: 'a key' }
    const other = member(await user.post(`/Accounts/${account}/SpeechCredentials`, deepgram), 'sid')
    const text = 'speech_credential_sid must be of a vendor that has custom voices'
    const body = { speech_credential_sid: other, name: 'n', model: 'm' }
    expect(statusAndMessage(await user.post('/GoogleCustomVoices', body))).toEqual([400, text])
    const sid = await add()
    const moved = await user.put(`/GoogleCustomVoices/${sid}`, { speech_credential_sid: other })
    expect(statusAndMessage(moved)).toEqual([400, text])
  })
})

describe('uploading a key', () => {
  test('requires a file with the expected name, some content, and a limited size', async () => {
    const sid = await add()
    const path = `/GoogleCustomVoices/${sid}/VoiceCloningKey`
    const plain = new FormData()
    plain.set('file', 'not a file')
    for (const answer of [
      await upload(sid, 'key', user, 'key'),
      await user.post(path, plain),
      await user.post(path, new FormData()),
      await user.post(path),
    ])
      expect(statusAndMessage(answer)).toEqual([400, 'missing field file'])
    expect(statusAndMessage(await user.post(path, { file: 'key' }))).toEqual([400, 'file must be a file'])
    expect(statusAndMessage(await upload(sid, ''))).toEqual([400, 'file must not be empty'])
    const max = 1_000_000
    expect((await upload(sid, 'k'.repeat(max))).status).toBe(204)
    expect((await upload(sid, 'k'.repeat(max + 1))).status).toBe(400)
    expect((await upload(sid, 'k'.repeat(max + 20_000))).status).toBe(413)
    const garbled = await api.app.inject({
      method: 'POST',
      url: `/v1${path}`,
      payload: 'no parts',
      headers: { authorization: `Bearer ${user.token}`, 'content-type': 'multipart/form-data; boundary=x' },
    })
    expect([garbled.statusCode, garbled.body]).toEqual([400, expect.stringContaining('malformed_form')])
    expect(await storedKey(sid)).toHaveLength(max)
  })

  test('stores the text unchanged and does not enable the key', async () => {
    const sid = await add()
    expect((await upload(sid, 'Schlüssel\r\n"1"\n')).status).toBe(204)
    expect(await storedKey(sid)).toBe('Schlüssel\r\n"1"\n')
    expect((await user.get(`/GoogleCustomVoices/${sid}`)).body).toMatchObject({ use_voice_cloning_key: 0 })
  })

  test('for an unknown voice returns 404 to admins, and to others the same error as for a foreign voice', async () => {
    expect((await upload(randomUUID(), 'key', api.admin)).status).toBe(404)
    expect(statusAndMessage(await upload(randomUUID(), 'key'))).toEqual([403, 'insufficient privileges'])
  })
})

describe('access to voices', () => {
  test('API-087 an account can read the shared voices of its provider but not change them', async () => {
    const ofAll = await createCredential(`/ServiceProviders/${sp}`)
    const sid = await add({ speech_credential_sid: ofAll, name: 'of all' }, provider)
    const path = `/GoogleCustomVoices/${sid}`
    expect((await user.get(path)).body).toMatchObject({ name: 'of all' })
    expect(await names(`speech_credential_sid=${ofAll}`)).toEqual(['of all'])
    const own = await add({}, user)
    for (const answer of [
      await user.put(path, { name: 'mine' }),
      await user.delete(path),
      await upload(sid, 'key'),
      await user.post('/GoogleCustomVoices', { speech_credential_sid: ofAll, name: 'n', model: 'm' }),
      await user.put(`/GoogleCustomVoices/${own}`, { speech_credential_sid: ofAll }),
    ])
      expect(statusAndMessage(answer)).toEqual([403, 'insufficient privileges'])
    expect((await provider.put(path, { name: 'still of all' })).status).toBe(204)
    expect((await provider.put(`/GoogleCustomVoices/${own}`, { speech_credential_sid: ofAll })).status).toBe(204)
    expect(await names(`speech_credential_sid=${ofAll}`)).toEqual(['Our voice', 'still of all'])
  })

  test('foreign voices of the same or another provider cannot be distinguished from unknown ones', async () => {
    const sid = await add()
    const beside = await api.account(sp)
    const elsewhere = await api.provider()
    for (const scope of [
      { service_provider_sid: sp, account_sid: beside },
      { service_provider_sid: elsewhere },
      { service_provider_sid: elsewhere, account_sid: await api.account(elsewhere) },
    ]) {
      const { caller: otherCaller } = await api.user(scope)
      for (const [voice, ofVoice] of [
        [sid, credential],
        [randomUUID(), randomUUID()],
      ]) {
        const path = `/GoogleCustomVoices/${voice}`
        for (const answer of [
          await otherCaller.get(path),
          await otherCaller.put(path, { name: 'mine' }),
          await otherCaller.delete(path),
          await upload(voice ?? '', 'key', otherCaller),
          await otherCaller.get(`/GoogleCustomVoices?speech_credential_sid=${ofVoice}`),
          await otherCaller.post('/GoogleCustomVoices', { speech_credential_sid: ofVoice, name: 'n', model: 'm' }),
          await otherCaller.get(`/GoogleCustomVoices?account_sid=${voice === sid ? account : randomUUID()}`),
        ])
          expect(statusAndMessage(answer)).toEqual([403, 'insufficient privileges'])
      }
      expect(await names('', otherCaller)).toEqual([])
    }
    expect((await user.get(`/GoogleCustomVoices/${sid}`)).body).toMatchObject({ name: 'Our voice' })
    expect(await storedKey(sid)).toBeNull()
  })

  test('a list without a credential contains the effective voices for a label', async () => {
    const voice = async (name: string, owner: string, label?: string) =>
      add({ name, speech_credential_sid: await createCredential(owner, { label }) })
    await voice('own', `/Accounts/${account}`)
    await voice('own, labelled', `/Accounts/${account}`, 'main')
    await voice('of all', `/ServiceProviders/${sp}`)
    await voice('of all, labelled', `/ServiceProviders/${sp}`, 'other')
    await voice('of another', `/Accounts/${await api.account(sp)}`)
    await voice('of others', `/Accounts/${await api.account(await api.provider())}`)
    for (const query of ['', 'label=', `account_sid=${account}&service_provider_sid=${sp}&label=`])
      expect(await names(query)).toEqual(['of all', 'own'])
    expect(await names('label=main')).toEqual(['own, labelled'])
    expect(await names('label=other')).toEqual(['of all, labelled'])
    expect(await names('', provider)).toEqual(['of all', 'of another', 'own'])
    expect(await names(`account_sid=${account}`, provider)).toEqual(['of all', 'own'])
    expect(await names(`account_sid=${account}&label=main`, api.admin)).toEqual(['own, labelled'])
    expect(await names(`service_provider_sid=${sp}`, api.admin)).toEqual(['of all', 'of another', 'own'])
    expect(statusAndMessage(await api.admin.get('/GoogleCustomVoices'))).toEqual([
      400,
      'missing account_sid or service_provider_sid in query parameters',
    ])
    for (const query of ['speech_credential_sid', 'account_sid', 'service_provider_sid'])
      expect((await api.admin.get(`/GoogleCustomVoices?${query}=${randomUUID()}`)).status).toBe(404)
  })
})

test('the audit trail contains who changed what, but no key', async () => {
  const sid = await add({}, user)
  await upload(sid, longKey)
  await user.put(`/GoogleCustomVoices/${sid}`, { name: 'Another' })
  await user.delete(`/GoogleCustomVoices/${sid}`)
  const { body, text } = await provider.get(`/patchbay/audit-trail?page=1&count=25&kind=google_custom_voice&sid=${sid}`)
  const { data } = body as { data: { action: string; changes: { field: string }[] }[] }
  expect(data.map(({ action }) => action)).toEqual(['delete', 'update', 'update', 'create'])
  expect(data[2]?.changes.map(({ field }) => field)).toEqual(['voice_cloning_key'])
  expect(text).not.toContain('kkkkkkkk')
})
