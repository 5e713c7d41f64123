import { startFakeVendorServer } from '@patchbay/testkit/speech/fake-vendor-server'
import { fakeVendors } from '@patchbay/testkit/speech/vendors'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createOutgoing, type Outgoing } from '../outbound-http/outgoing.ts'
import { createVoiceCatalog, VoiceCatalogError } from './voice-catalog.ts'
import type { Credential, SpeechLists } from './speech.ts'
import { loadSpeechVendor } from './vendors.ts'

/** Languages, voices and models as the vendors tell them (api/3-speech.md §3.1). */

const vendorServer = await startFakeVendorServer()
afterAll(() => vendorServer.stop())
beforeEach(() => vendorServer.behave('ok'))

const outgoing = createOutgoing({ privateNetworks: [], vendorAddresses: vendorServer.addresses })

const lists = async (name: string, known: SpeechLists = {}, more: object = {}, by = outgoing) => {
  const vendor = await loadSpeechVendor(name)
  const fake = fakeVendors.find((candidate) => candidate.name === name)
  const stop = new AbortController().signal
  return vendor?.lists?.({ ...fake?.credential, ...more }, known, { outgoing: by, stop })
}

/** A vendor that no longer has one of its pages. */
const without = (page: string): Outgoing => ({
  ...outgoing,
  send: (url, request) => outgoing.send(url.replace(page, 'gone'), request),
})

const language = (value: string, name: string, voices: Record<string, string>) => ({
  value,
  name,
  voices: Object.entries(voices).map(([voice, ofVoice]) => ({ value: voice, name: ofVoice })),
})

/** What is not asked for stays as it is. */
const models = [{ value: 'a-model', name: 'A model' }]

describe('Cartesia', () => {
  const known = { models: [{ value: 'sonic-2', name: 'Sonic 2', languages: ['en', 'fr'] }], sttModels: models }

  test('has the voices of the languages of the chosen model, for both halves', async () => {
    expect(await lists('cartesia', known)).toEqual({
      ...known,
      tts: [
        language('en', 'English', { '694f9389-aac1-45b6-b726-9d9369183238': 'Sarah - Soothing' }),
        language('fr', 'French', { 'a-french-one': 'Amélie' }),
      ],
      stt: [
        { value: 'en', name: 'English' },
        { value: 'fr', name: 'French' },
      ],
    })
  })

  test.each(['sonic-99', null])('fails for a model that is not known: %s', async (model_id) => {
    await expect(lists('cartesia', known, { model_id })).rejects.toThrow('The model of the credential is not known')
  })
})

describe('ElevenLabs', () => {
  const voices = {
    older: 'Antoni - (american, news)',
    aClone: 'My own (cloned)',
    '21m00Tcm4TlvDq8ikWAM': 'Rachel - (american, calm, young, female, narration)',
  }
  const found = [
    { value: 'eleven_english_sts_v2', name: 'English v2' },
    { value: 'eleven_turbo_v2_5', name: 'Turbo v2.5' },
  ]

  test('has all voices in each language of the chosen model', async () => {
    expect(await lists('elevenlabs', { models })).toEqual({
      tts: [language('en', 'English', voices), language('hu', 'Hungarian', voices)],
      models: found,
    })
  })

  test.each(['eleven_english_sts_v2', 'gone'])('has no languages of a model that names none: %s', async (model_id) => {
    expect(await lists('elevenlabs', {}, { model_id })).toEqual({ tts: [], models: found })
  })
})

describe('Google', () => {
  test('is grouped by the first language, named as in recognition', async () => {
    const stt = [{ value: 'en-US', name: 'English (United States)' }]
    expect(await lists('google', { stt, models })).toEqual({
      tts: [
        language('en-US', 'English (United States)', {
          'en-US-Standard-C': 'Standard-C (FEMALE)',
          'en-US-Wavenet-D': 'Wavenet-D (MALE)',
        }),
        language('xx-XX', 'xx-XX', { Kore: 'Kore (FEMALE)' }),
      ],
      stt,
      models,
    })
  })
})

describe('IBM', () => {
  test('is grouped by language', async () => {
    const stt = [{ value: 'de-DE', name: 'German' }]
    expect(await lists('ibm', { stt })).toEqual({
      tts: [
        language('en-US', 'en-US', {
          'en-US_MichaelV3Voice': '(male) Michael: American English male voice.',
          'en-US_LisaV3Voice': '(female) Lisa: American English.',
        }),
        language('de-DE', 'German', { 'de-DE_BirgitV3Voice': '(female) Birgit: Standard German.' }),
      ],
      stt,
    })
  })
})

describe('Inworld', () => {
  test('has a voice in each of its languages', async () => {
    expect(await lists('inworld', { models })).toEqual({
      tts: [
        language('en', 'En', { Ashley: 'Ashley' }),
        language('es', 'Es', { Ashley: 'Ashley' }),
        language('pt', 'Pt', { heitor: 'Heitor' }),
      ],
      models,
    })
  })
})

describe('PlayHT', () => {
  const samara = 's3://voice-cloning-zero-shot/d9ff78ba-d016-47f6-b0ef-dd630f59414e/female-cs/manifest.json'
  const nameOfSamara = 'Samara - (american, adult, female, neutral, narrative, neutral)'

  test('has the voices of the chosen engine by language, cloned ones first', async () => {
    expect(await lists('playht', { models }, { voice_engine: 'PlayHT2.0-turbo' })).toEqual({
      tts: [
        language('en', 'Custom-English', { 's3://mine': 'Mine - (male - Custom Voice)' }),
        language('en-US', 'English (US)', { [samara]: nameOfSamara }),
      ],
      models,
    })
  })

  test('has all voices under English for the new engine, which speaks every language', async () => {
    const { tts = [] } = (await lists('playht')) ?? {}
    expect(tts[0]).toEqual(
      language('english', 'English', {
        's3://mine': 'Mine - (male - Custom Voice)',
        [samara]: nameOfSamara,
        abril: 'Abril - (female)',
      }),
    )
    expect(tts.slice(1, 3)).toEqual([language('mandarin', 'Mandarin', {}), language('hindi', 'Hindi', {})])
    expect(tts.length).toBe(37)
  })

  test('does without cloned voices where they cannot be asked for', async () => {
    const found = await lists('playht', {}, { voice_engine: 'PlayHT2.0' }, without('cloned-voices'))
    expect(found).toEqual({ tts: [language('en-US', 'English (US)', { [samara]: nameOfSamara })] })
  })
})

describe('Resemble', () => {
  test('has the voices of all pages that can speak, sorted by name', async () => {
    expect(await lists('resemble', { models })).toEqual({
      tts: [
        language('en-gb', 'En-gb', { a52c4efc: 'Seth (professional) - Resemble Voice' }),
        language('en-US', 'En-US', {
          e28236ee: 'Amir (rapid) - Custom Voice',
          '3f5fb9f1': 'Vicky (professional) - Resemble Voice',
        }),
        language('fr-FR', 'Fr-FR', { ba875a0a: 'Chloé (professional) - Resemble Voice' }),
      ],
      models,
    })
  })
})

describe('Rime', () => {
  test('has the voices of the chosen model', async () => {
    expect(await lists('rimelabs', { models })).toEqual({
      tts: [language('eng', 'Eng', { amber: 'Amber', cove: 'Cove' }), language('spa', 'Spa', { isa: 'Isa' })],
      models,
    })
    expect(await lists('rimelabs', {}, { model_id: 'arcana' })).toEqual({
      tts: [language('eng', 'Eng', { luna: 'Luna' })],
    })
  })

  test('is asked without a credential as well: then the first model is shown', async () => {
    const found = await lists('rimelabs', {}, { api_key: null, model_id: null })
    expect(found?.tts?.map(({ value }) => value)).toEqual(['eng', 'spa'])
  })
})

describe('Verbio', () => {
  const stt = [
    { value: 'en-US', name: 'US English' },
    { value: 'fr', name: 'French', version: 'v1' },
    { value: 'ca-ES', name: 'Catalan', version: 'V2' },
  ]

  test.each([
    ['V1', ['en-US', 'fr']],
    ['V2', ['en-US', 'ca-ES']],
  ])('hears what its engine %s hears', async (engine_version, heard) => {
    const vendor = await loadSpeechVendor('verbio')
    const found = vendor?.selectStaticLists?.({ engine_version }, { stt, models })
    expect(found?.models).toEqual(models)
    expect(found?.stt?.map(({ value }) => value)).toEqual(heard)
  })

  test('has the voices by language', async () => {
    const found = await lists('verbio', { stt })
    expect(found?.tts).toEqual([
      language('en-US', 'en-US', { tommy_en_us: 'Tommy-Male' }),
      language('pt-BR', 'pt-BR', { bel_pt_br: 'Bel-Female' }),
      language('es-PE', 'es-PE', { miguel_es_pe: 'Miguel-Male', luz_es_pe: 'Luz-Female' }),
    ])
  })
})

const known = { tts: [language('en-US', 'English', { one: 'One' })], stt: [{ value: 'en-US', name: 'English' }] }

test.each([
  ['aws', { secret_access_key: 'wrong' }],
  ['cartesia', { api_key: 'wrong' }],
  ['deepgram', { api_key: 'wrong' }],
  ['elevenlabs', { api_key: 'wrong' }],
  ['google', { client_email: 'nobody@example.com' }],
  ['ibm', { tts_api_key: 'wrong' }],
  ['inworld', { api_key: 'wrong' }],
  ['microsoft', { api_key: 'wrong' }],
  ['playht', { api_key: 'wrong' }],
  ['resemble', { api_key: 'wrong' }],
  ['verbio', { client_secret: 'wrong' }],
])('%s tells no lists with a wrong key, nor out of nonsense', async (name, wrong) => {
  const ofVendor = { ...known, models: [{ value: 'sonic-2', name: 'Sonic 2', languages: ['en'] }] }
  await expect(lists(name, ofVendor, wrong)).rejects.toBeInstanceOf(Error)
  vendorServer.behave('nonsense')
  await expect(lists(name, ofVendor)).rejects.toBeInstanceOf(Error)
})

test('Rime tells none where its list is gone', async () => {
  await expect(lists('rimelabs', known, {}, without('all-v2.json'))).rejects.toThrow('Not Found')
})

describe('the lists of all vendors', () => {
  const credentialOf = (name: string, more: object = {}): Credential => ({
    ...fakeVendors.find((candidate) => candidate.name === name)?.credential,
    ...more,
  })

  beforeEach(() => vendorServer.taken())

  test.each([
    ['cartesia', 'failed to list voices'],
    ['deepgram', 'failed to list voices'],
    ['elevenlabs', 'failed to list voices'],
    ['inworld', 'failed to list models'],
    ['microsoft', 'failed to list voices'],
    ['playht', 'failed to list voices'],
    ['rimelabs', 'failed to list models'],
  ])('are refused where %s cannot be asked: %s', async (name, reason) => {
    const all = createVoiceCatalog(outgoing)
    for (const mood of ['nonsense', 'cut off'] as const) {
      vendorServer.behave(mood)
      await expect(all.getLists(name, credentialOf(name))).rejects.toEqual(new VoiceCatalogError(reason))
    }
    vendorServer.behave('ok')
    expect((await all.getLists(name, credentialOf(name))).tts ?? []).not.toEqual([])
  })

  test.each(['aws', 'google', 'ibm', 'resemble', 'verbio'])(
    'are those that are known where %s cannot be asked, and only then',
    async (name) => {
      const all = createVoiceCatalog(outgoing)
      const { tts } = await all.getLists(name, undefined)
      expect(vendorServer.taken()).toEqual([])
      for (const mood of ['nonsense', 'cut off'] as const) {
        vendorServer.behave(mood)
        expect((await all.getLists(name, credentialOf(name))).tts).toEqual(tts)
      }
      vendorServer.behave('ok')
      expect((await all.getLists(name, credentialOf(name))).tts).not.toEqual(tts)
    },
  )

  test('hear what the engine of Verbio hears, whether it can be asked or not', async () => {
    const all = createVoiceCatalog(outgoing)
    const french = async (engine_version: string) =>
      (await all.getLists('verbio', credentialOf('verbio', { engine_version }))).stt?.filter(
        ({ value }) => value === 'fr',
      )
    for (const mood of ['cut off', 'ok'] as const) {
      vendorServer.behave(mood)
      expect(await french('V1')).toHaveLength(1)
      expect(await french('V2')).toEqual([])
    }
  })

  test('are asked for at Rime without a credential, and of nobody else', async () => {
    const all = createVoiceCatalog(outgoing)
    expect((await all.getLists('rimelabs', undefined)).tts?.map(({ value }) => value)).toEqual(['eng', 'spa'])
    expect(vendorServer.taken()).toEqual(['GET https://users.rime.ai//data/voices/all-v2.json'])
    for (const { name } of fakeVendors.filter(
      (vendor) => !['custom', 'deepgramflux', 'rimelabs'].includes(vendor.name),
    ))
      await all.getLists(name, undefined)
    expect(vendorServer.taken()).toEqual([])
  })

  test.each(['acme', 'custom', 'deepgramflux'])('are none of %s', async (name) => {
    await expect(createVoiceCatalog(outgoing).getLists(name, {})).rejects.toEqual(
      new VoiceCatalogError(`Invalid vendor ${name}`),
    )
  })

  test('are asked for once in ten minutes, for each credential', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 })
    try {
      const all = createVoiceCatalog(outgoing)
      const ask = async (model_id: string) => {
        await all.getLists('rimelabs', credentialOf('rimelabs', { model_id }))
        return vendorServer.taken().length
      }
      expect([await ask('mistv2'), await ask('mistv2'), await ask('arcana')]).toEqual([1, 0, 1])
      vi.setSystemTime(10 * 60_000 - 1)
      expect(await ask('mistv2')).toBe(0)
      vi.setSystemTime(10 * 60_000)
      expect(await ask('mistv2')).toBe(1)
    } finally {
      vi.useRealTimers()
    }
  })

  test('are kept for a hundred credentials', async () => {
    const all = createVoiceCatalog(outgoing)
    const ask = async (key: number) => {
      await all.getLists('rimelabs', credentialOf('rimelabs', { api_key: `key ${key}` }))
      return vendorServer.taken().length
    }
    for (let key = 0; key < 101; key++) expect(await ask(key)).toBe(1)
    expect([await ask(100), await ask(1), await ask(0)]).toEqual([0, 0, 1])
  })

  test('are not waited for longer than the limit', async () => {
    vendorServer.behave('slow')
    const impatient = createVoiceCatalog(outgoing, 0.05)
    await expect(impatient.getLists('deepgram', credentialOf('deepgram'))).rejects.toEqual(
      new VoiceCatalogError('failed to list voices'),
    )
    const { tts } = await impatient.getLists('ibm', undefined)
    expect((await impatient.getLists('ibm', credentialOf('ibm'))).tts).toEqual(tts)
  })
})
