import { randomUUID } from 'node:crypto'
import { mp3, pcm } from '@patchbay/testkit/fakes/speech/fake-vendor'
import { type FakeVendorServer, startFakeVendorServer } from '@patchbay/testkit/fakes/speech/fake-vendor-server'
import { cloningKey, ownModel } from '@patchbay/testkit/fakes/speech/google'
import { fakeVendors } from '@patchbay/testkit/fakes/speech/vendors'
import { type Caller, createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

/**
 * Speech synthesis of test phrases (docs/reference/platform-api/speech.md#synthesis) in the complete app, with the fake
 * vendors of the test kit.
 */

let api: TestApi
let vendorServer: FakeVendorServer
let sp: string
let account: string
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
  user = (await api.user({ service_provider_sid: sp, account_sid: account })).caller
})
afterEach(() => vendorServer.behave('ok'))

interface Owner {
  account_sid: string | null
  service_provider_sid: string | null
}

/** Inserts a credential. */
const createCredential = async (vendor: string, more: object = {}, owner?: Partial<Owner>): Promise<string> => {
  const speech_credential_sid = randomUUID()
  const fake = fakeVendors.find(({ name }) => name === vendor.replace(/:.*/, ''))
  const credential = api.services.encryption.encrypt(JSON.stringify({ ...fake?.credential, ...more }))
  await api.test.database.db
    .insertInto('speech_credentials')
    .values({ speech_credential_sid, vendor, credential, account_sid: account, service_provider_sid: sp, ...owner })
    .execute()
  return speech_credential_sid
}

const createVoice = async (speech_credential_sid: string, more: object): Promise<string> => {
  const google_custom_voice_sid = randomUUID()
  await api.test.database.db
    .insertInto('google_custom_voices')
    .values({ google_custom_voice_sid, speech_credential_sid, name: 'Ours', model: '', ...more })
    .execute()
  return `custom_${google_custom_voice_sid}`
}

const synthesize = async (body: object, caller = user, of = account) => {
  const { statusCode, headers, rawPayload } = await api.app.inject({
    method: 'POST',
    url: `/v1/Accounts/${of}/TtsCache/Synthesize`,
    headers: { authorization: `Bearer ${caller.token}`, 'accept-encoding': 'br, gzip' },
    payload: body,
  })
  return { status: statusCode, type: headers['content-type'], content: rawPayload, headers }
}

const refused = async (body: object, caller = user, of = account): Promise<[number, string]> => {
  const { status, content } = await synthesize(body, caller, of)
  return [status, (JSON.parse(content.toString()) as { msg: string }).msg]
}

const phrase = { text: 'Hello', language: 'en-US' }

const voices: [vendor: string, phrase: object][] = [
  ['aws', { voice: 'Joanna' }],
  ['cartesia', { language: 'en', voice: '694f9389-aac1-45b6-b726-9d9369183238' }],
  ['custom:acme', { voice: 'audio/mpeg' }],
  ['deepgram', { voice: 'aura-asteria-en' }],
  ['elevenlabs', { voice: '21m00Tcm4TlvDq8ikWAM' }],
  ['google', { voice: 'en-US-Standard-C' }],
  ['ibm', { voice: 'en-US_LisaV3Voice' }],
  ['inworld', { voice: 'Ashley' }],
  ['microsoft', { voice: 'en-US-JennyMultilingualNeural' }],
  [
    'playht',
    {
      language: 'english',
      voice: 's3://voice-cloning-zero-shot/d9ff78ba-d016-47f6-b0ef-dd630f59414e/female-cs/manifest.json',
    },
  ],
  ['resemble', { voice: '3f5fb9f1' }],
  ['rimelabs', { language: 'eng', voice: 'amber' }],
  ['wellsaid', { voice: '3' }],
  ['whisper', { voice: 'alloy' }],
]

test.each(voices)('%s returns MP3', async (vendor, more) => {
  const speech_credential_sid = await createCredential(vendor)
  const { status, type, content, headers } = await synthesize({ speech_credential_sid, ...phrase, ...more })
  expect([status, type, content.equals(mp3)]).toEqual([200, 'audio/mpeg', true])
  expect(headers).toMatchObject({ 'content-length': String(mp3.length) })
  expect(headers['server-timing']).toMatch(/^first-byte;dur=\d+\.\d, vendor;dur=\d+\.\d$/)
})

test('microsoft rejects an unknown voice', async () => {
  const speech_credential_sid = await createCredential('microsoft')
  const [status, message] = await refused({ speech_credential_sid, ...phrase, voice: 'en-US-NobodyNeural' })
  expect([status, message]).toEqual([422, 'Bad Request'])
})

const raw = [
  ['custom:acme', { voice: 'audio/l16;rate=8000' }],
  ['nuance', { voice: 'Evan - enhanced' }],
  ['nvidia', { voice: 'English-US.Female-1' }],
  ['verbio', { voice: 'bel_pt_br' }],
] as const

/** Frame headers: MPEG 2.5, layer III, 8000 Hz, one channel. */
const isMp3 = (content: Buffer): boolean => {
  const head = content.readUInt32BE(0)
  const fields = [head >>> 21, (head >>> 19) & 3, (head >>> 17) & 3, (head >>> 10) & 3, (head >>> 6) & 3]
  return JSON.stringify(fields) === JSON.stringify([0x7_ff, 0, 1, 2, 3])
}

test.each(raw)('%s returns raw audio, and MP3 if requested', async (vendor, more) => {
  const speech_credential_sid = await createCredential(vendor)
  const body = { speech_credential_sid, ...phrase, ...more }
  const plain = await synthesize(body)
  expect([plain.status, plain.type, plain.content.equals(pcm)]).toEqual([200, 'application/octet-stream', true])
  expect(plain.headers).toMatchObject({ 'content-length': String(pcm.length) })
  const encoded = await synthesize({ ...body, encodingMp3: true })
  expect([encoded.status, encoded.type, isMp3(encoded.content)]).toEqual([200, 'audio/mpeg', true])
})

test('a custom service returns WAV', async () => {
  const body = { speech_credential_sid: await createCredential('custom:acme'), ...phrase, voice: 'audio/wav' }
  expect(await synthesize(body)).toMatchObject({ status: 200, type: 'audio/wav' })
})

test('the engine is passed on to AWS', async () => {
  const body = { speech_credential_sid: await createCredential('aws'), ...phrase, voice: 'Joanna' }
  expect((await synthesize({ ...body, engine: 'neural' })).status).toBe(200)
  expect((await refused({ ...body, engine: 'steam' }))[0]).toBe(422)
})

describe('a custom voice of Google', () => {
  test('uses its model or its cloning key', async () => {
    const speech_credential_sid = await createCredential('google')
    const ofModel = await createVoice(speech_credential_sid, { model: ownModel, reported_usage: 'OFFLINE' })
    const key = { use_voice_cloning_key: 1, voice_cloning_key: cloningKey }
    const ofKey = await createVoice(speech_credential_sid, key)
    const ofNobody = await createVoice(speech_credential_sid, { model: 'of nobody' })
    const say = (voice: string) => synthesize({ speech_credential_sid, ...phrase, voice })
    for (const voice of [ofModel, ofKey]) expect(await say(voice)).toMatchObject({ status: 200, type: 'audio/mpeg' })
    const body = { speech_credential_sid, ...phrase, voice: ofNobody }
    expect(await refused(body)).toEqual([422, 'Custom voice does not exist.'])
  })

  test('must be usable by the account and complete', async () => {
    const speech_credential_sid = await createCredential('google')
    const beside = await createCredential('google', {}, { account_sid: await api.account(sp) })
    const ofAll = await createCredential('google', {}, { account_sid: null })
    const model = { model: ownModel, reported_usage: 'OFFLINE' }
    const say = (voice: string) => refused({ speech_credential_sid, ...phrase, voice })
    const foreign = await createVoice(beside, model)
    for (const voice of [foreign, `custom_${randomUUID()}`])
      expect(await say(voice)).toEqual([400, `There is no custom voice ${voice.slice('custom_'.length)}`])
    const unfinished = await createVoice(speech_credential_sid, { use_voice_cloning_key: 1 })
    expect(await say(unfinished)).toEqual([400, 'The custom voice has no voice cloning key yet'])
    const voice = await createVoice(ofAll, model)
    expect((await synthesize({ speech_credential_sid, ...phrase, voice })).status).toBe(200)
  })
})

describe('rejected requests', () => {
  const required = 'speech_credential_sid, text, language, voice are all required'

  test.each<[object, string]>([
    [{ speech_credential_sid: undefined }, required],
    [{ text: '' }, required],
    [{ language: null }, required],
    [{ voice: 1 }, required],
    [{ text: 'x'.repeat(2001) }, 'text must be at most 2000 characters long'],
    [{ encodingMp3: 'perhaps' }, 'encodingMp3 must be true, false, 0 or 1'],
    [{ vendor: 'google' }, 'unknown field vendor'],
  ])('%j', async (wrong, msg) => {
    const body = { speech_credential_sid: await createCredential('wellsaid'), ...phrase, voice: '3', ...wrong }
    vendorServer.taken()
    expect(await refused(body)).toEqual([400, msg])
    expect(vendorServer.taken()).toEqual([])
  })

  test('the longest permitted text is accepted', async () => {
    const speech_credential_sid = await createCredential('wellsaid')
    expect((await synthesize({ speech_credential_sid, ...phrase, text: 'x'.repeat(2000), voice: '3' })).status).toBe(
      200,
    )
  })

  test('a credential that the account may not use is treated like an unknown one', async () => {
    const ofAll = await createCredential('wellsaid', {}, { account_sid: null })
    const body = { ...phrase, voice: '3' }
    expect((await synthesize({ ...body, speech_credential_sid: ofAll })).status).toBe(200)
    vendorServer.taken()
    const elsewhere = await api.provider()
    const foreign = [
      await createCredential('wellsaid', {}, { account_sid: await api.account(sp) }),
      await createCredential('wellsaid', {}, { account_sid: null, service_provider_sid: elsewhere }),
      await createCredential('wellsaid', {}, { account_sid: null, service_provider_sid: null }),
      randomUUID(),
      'no sid',
    ]
    const provider = (await api.user({ service_provider_sid: sp })).caller
    for (const caller of [user, provider, api.admin])
      for (const speech_credential_sid of foreign)
        expect(await refused({ ...body, speech_credential_sid }, caller)).toEqual([
          400,
          `There is no speech credential available for ${speech_credential_sid}`,
        ])
    expect(vendorServer.taken()).toEqual([])
  })

  test('a deactivated account, and an account of another tenant', async () => {
    const body = { speech_credential_sid: await createCredential('wellsaid'), ...phrase, voice: '3' }
    const beside = await api.account(sp)
    expect(await refused(body, user, beside)).toEqual([403, 'insufficient privileges'])
    await api.admin.put(`/Accounts/${account}`, { is_active: 0 })
    expect(await refused(body, api.admin)).toEqual([400, `Account not found for sid ${account}`])
  })

  test('a vendor without synthesis, and an unreadable credential', async () => {
    const body = { ...phrase, voice: '3' }
    const speech_credential_sid = await createCredential('soniox')
    expect(await refused({ ...body, speech_credential_sid })).toEqual([
      422,
      'Patchbay has no speech synthesis for soniox',
    ])
    const broken = await createCredential('wellsaid')
    await api.test.database.db
      .updateTable('speech_credentials')
      .set({ credential: 'broken' })
      .where('speech_credential_sid', '=', broken)
      .execute()
    const answer = await refused({ ...body, speech_credential_sid: broken })
    expect(answer).toEqual([422, 'the stored credentials cannot be read'])
  })

  test('a vendor error is returned with its message and does not cause a 500', async () => {
    const speech_credential_sid = await createCredential('whisper', { model_id: 'wrong' })
    expect(await refused({ speech_credential_sid, ...phrase, voice: 'alloy' })).toEqual([
      422,
      "OpenAI API error: 404 The model 'wrong' does not exist",
    ])
    for (const behavior of ['cut off', 'nonsense'] as const) {
      vendorServer.behave(behavior)
      expect((await refused({ speech_credential_sid, ...phrase, voice: 'alloy' }))[0]).toBe(422)
    }
  })

  test('more than sixty requests per minute of an account', async () => {
    const speech_credential_sid = await createCredential('soniox')
    const body = { speech_credential_sid, ...phrase, voice: 'x' }
    const answers = await Promise.all(Array.from({ length: 70 }, () => synthesize(body)))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10)
    // Tests of credentials have a separate limit.
    expect((await user.get(`/Accounts/${account}/SpeechCredentials/${speech_credential_sid}/test`)).status).toBe(200)
  })
})
