import { connectFakeVendors } from '@patchbay/testkit/fakes/speech/connect-fake-vendors'
import { fakeVendors } from '@patchbay/testkit/fakes/speech/vendors'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { Outgoing } from '../outbound-http/outgoing.ts'
import type { Credential, SpeechLists } from './speech.ts'
import { loadSpeechVendor } from './vendors.ts'
import { createVoiceCatalog, VoiceCatalogError } from './voice-catalog.ts'

/**
 * Languages, voices, and models as the vendors list them
 * (docs/reference/platform-api/speech-vendor-requests.md#voice-lists).
 */

const { vendorServer, outgoing } = await connectFakeVendors()
beforeEach(() => vendorServer.behave('ok'))

const requestLists = async (
  name: string,
  staticLists: SpeechLists = {},
  overrides: object = {},
  transport = outgoing,
) => {
  const vendor = await loadSpeechVendor(name)
  const fake = fakeVendors.find((candidate) => candidate.name === name)
  const stop = new AbortController().signal
  return vendor?.lists?.({ ...fake?.credential, ...overrides }, staticLists, { outgoing: transport, stop })
}

/** Replaces one of the vendor's pages by a 404 response. */
const withoutPage = (page: string): Outgoing => ({
  ...outgoing,
  send: (url, request) => outgoing.send(url.replace(page, 'gone'), request),
})

const language = (value: string, name: string, voices: Record<string, string>) => ({
  value,
  name,
  voices: Object.entries(voices).map(([voice, voiceName]) => ({ value: voice, name: voiceName })),
})

/** Lists that the vendor has no API for are returned unchanged. */
const models = [{ value: 'a-model', name: 'A model' }]

describe('Cartesia', () => {
  const cartesiaLists = { models: [{ value: 'sonic-2', name: 'Sonic 2', languages: ['en', 'fr'] }], sttModels: models }

  test('lists the voices for the languages of the chosen model, and the same languages for recognition', async () => {
    expect(await requestLists('cartesia', cartesiaLists)).toEqual({
      ...cartesiaLists,
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

  test.each(['sonic-99', null])('fails for an unknown model: %s', async (model_id) => {
    await expect(requestLists('cartesia', cartesiaLists, { model_id })).rejects.toThrow(
      'The model of the credential is unknown',
    )
  })
})

describe('ElevenLabs', () => {
  const voices = {
    older: 'Antoni - (american, news)',
    aClone: 'My own (cloned)',
    '21m00Tcm4TlvDq8ikWAM': 'Rachel - (american, calm, young, female, narration)',
  }
  const liveModels = [
    { value: 'eleven_english_sts_v2', name: 'English v2' },
    { value: 'eleven_turbo_v2_5', name: 'Turbo v2.5' },
  ]

  test('lists all voices under each language of the chosen model', async () => {
    expect(await requestLists('elevenlabs', { models })).toEqual({
      tts: [language('en', 'English', voices), language('hu', 'Hungarian', voices)],
      models: liveModels,
    })
  })

  test.each(['eleven_english_sts_v2', 'gone'])(
    'lists no languages for a model that names none: %s',
    async (model_id) => {
      expect(await requestLists('elevenlabs', {}, { model_id })).toEqual({ tts: [], models: liveModels })
    },
  )
})

describe('Google', () => {
  test('groups voices by their first language, with the names used for recognition', async () => {
    const stt = [{ value: 'en-US', name: 'English (United States)' }]
    expect(await requestLists('google', { stt, models })).toEqual({
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
  test('groups voices by language', async () => {
    const stt = [{ value: 'de-DE', name: 'German' }]
    expect(await requestLists('ibm', { stt })).toEqual({
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
  test('lists a voice under each of its languages', async () => {
    expect(await requestLists('inworld', { models })).toEqual({
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

  test('lists the voices of the chosen engine by language, cloned ones first', async () => {
    expect(await requestLists('playht', { models }, { voice_engine: 'PlayHT2.0-turbo' })).toEqual({
      tts: [
        language('en', 'Custom-English', { 's3://mine': 'Mine - (male - Custom Voice)' }),
        language('en-US', 'English (US)', { [samara]: nameOfSamara }),
      ],
      models,
    })
  })

  test('lists all voices of the new engine under English, because it speaks every language', async () => {
    const { tts = [] } = (await requestLists('playht')) ?? {}
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

  test('omits cloned voices if they cannot be listed', async () => {
    const liveLists = await requestLists('playht', {}, { voice_engine: 'PlayHT2.0' }, withoutPage('cloned-voices'))
    expect(liveLists).toEqual({ tts: [language('en-US', 'English (US)', { [samara]: nameOfSamara })] })
  })
})

describe('Resemble', () => {
  test('lists the usable voices of all pages, sorted by name', async () => {
    expect(await requestLists('resemble', { models })).toEqual({
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
  test('lists the voices of the chosen model', async () => {
    expect(await requestLists('rimelabs', { models })).toEqual({
      tts: [language('eng', 'Eng', { amber: 'Amber', cove: 'Cove' }), language('spa', 'Spa', { isa: 'Isa' })],
      models,
    })
    expect(await requestLists('rimelabs', {}, { model_id: 'arcana' })).toEqual({
      tts: [language('eng', 'Eng', { luna: 'Luna' })],
    })
  })

  test('lists the voices of the first model without a credential', async () => {
    const liveLists = await requestLists('rimelabs', {}, { api_key: null, model_id: null })
    expect(liveLists?.tts?.map(({ value }) => value)).toEqual(['eng', 'spa'])
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
  ])('limits recognition languages to those of engine %s', async (engine_version, expectedLanguages) => {
    const vendor = await loadSpeechVendor('verbio')
    const liveLists = vendor?.selectStaticLists?.({ engine_version }, { stt, models })
    expect(liveLists?.models).toEqual(models)
    expect(liveLists?.stt?.map(({ value }) => value)).toEqual(expectedLanguages)
  })

  test('lists the voices by language', async () => {
    const liveLists = await requestLists('verbio', { stt })
    expect(liveLists?.tts).toEqual([
      language('en-US', 'en-US', { tommy_en_us: 'Tommy-Male' }),
      language('pt-BR', 'pt-BR', { bel_pt_br: 'Bel-Female' }),
      language('es-PE', 'es-PE', { miguel_es_pe: 'Miguel-Male', luz_es_pe: 'Luz-Female' }),
    ])
  })
})

const staticLists = { tts: [language('en-US', 'English', { one: 'One' })], stt: [{ value: 'en-US', name: 'English' }] }

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
])('%s rejects for a wrong key and for an unreadable response', async (name, wrongFields) => {
  const vendorLists = { ...staticLists, models: [{ value: 'sonic-2', name: 'Sonic 2', languages: ['en'] }] }
  await expect(requestLists(name, vendorLists, wrongFields)).rejects.toBeInstanceOf(Error)
  vendorServer.behave('nonsense')
  await expect(requestLists(name, vendorLists)).rejects.toBeInstanceOf(Error)
})

test('Rime rejects if its list is missing', async () => {
  await expect(requestLists('rimelabs', staticLists, {}, withoutPage('all-v2.json'))).rejects.toThrow('Not Found')
})

describe('the voice catalog', () => {
  const createCredential = (name: string, overrides: object = {}): Credential => ({
    ...fakeVendors.find((candidate) => candidate.name === name)?.credential,
    ...overrides,
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
  ])('rejects if the lists of %s cannot be requested: %s', async (name, reason) => {
    const catalog = createVoiceCatalog(outgoing)
    for (const behavior of ['nonsense', 'cut off'] as const) {
      vendorServer.behave(behavior)
      await expect(catalog.getLists(name, createCredential(name))).rejects.toEqual(new VoiceCatalogError(reason))
    }
    vendorServer.behave('ok')
    expect((await catalog.getLists(name, createCredential(name))).tts ?? []).not.toEqual([])
  })

  test.each(['aws', 'google', 'ibm', 'resemble', 'verbio'])(
    'returns the static lists of %s only if the live ones cannot be requested',
    async (name) => {
      const catalog = createVoiceCatalog(outgoing)
      const { tts } = await catalog.getLists(name, undefined)
      expect(vendorServer.taken()).toEqual([])
      for (const behavior of ['nonsense', 'cut off'] as const) {
        vendorServer.behave(behavior)
        expect((await catalog.getLists(name, createCredential(name))).tts).toEqual(tts)
      }
      vendorServer.behave('ok')
      expect((await catalog.getLists(name, createCredential(name))).tts).not.toEqual(tts)
    },
  )

  test('limits the recognition languages of Verbio to its engine, even if Verbio is unreachable', async () => {
    const catalog = createVoiceCatalog(outgoing)
    const french = async (engine_version: string) =>
      (await catalog.getLists('verbio', createCredential('verbio', { engine_version }))).stt?.filter(
        ({ value }) => value === 'fr',
      )
    for (const behavior of ['cut off', 'ok'] as const) {
      vendorServer.behave(behavior)
      expect(await french('V1')).toHaveLength(1)
      expect(await french('V2')).toEqual([])
    }
  })

  test('requests the lists of Rime without a credential, and those of no other vendor', async () => {
    const catalog = createVoiceCatalog(outgoing)
    expect((await catalog.getLists('rimelabs', undefined)).tts?.map(({ value }) => value)).toEqual(['eng', 'spa'])
    expect(vendorServer.taken()).toEqual(['GET https://users.rime.ai//data/voices/all-v2.json'])
    for (const { name } of fakeVendors.filter(
      (vendor) => !['custom', 'deepgramflux', 'rimelabs'].includes(vendor.name),
    ))
      await catalog.getLists(name, undefined)
    expect(vendorServer.taken()).toEqual([])
  })

  test.each(['acme', 'custom', 'deepgramflux'])('has no lists of %s', async (name) => {
    await expect(createVoiceCatalog(outgoing).getLists(name, {})).rejects.toEqual(
      new VoiceCatalogError(`Invalid vendor ${name}`),
    )
  })

  test('caches the lists of each credential for ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 })
    try {
      const catalog = createVoiceCatalog(outgoing)
      const countRequests = async (model_id: string) => {
        await catalog.getLists('rimelabs', createCredential('rimelabs', { model_id }))
        return vendorServer.taken().length
      }
      expect([await countRequests('mistv2'), await countRequests('mistv2'), await countRequests('arcana')]).toEqual([
        1, 0, 1,
      ])
      vi.setSystemTime(10 * 60_000 - 1)
      expect(await countRequests('mistv2')).toBe(0)
      vi.setSystemTime(10 * 60_000)
      expect(await countRequests('mistv2')).toBe(1)
    } finally {
      vi.useRealTimers()
    }
  })

  test('caches the lists of up to a hundred credentials', async () => {
    const catalog = createVoiceCatalog(outgoing)
    const countRequests = async (key: number) => {
      await catalog.getLists('rimelabs', createCredential('rimelabs', { api_key: `key ${key}` }))
      return vendorServer.taken().length
    }
    for (let key = 0; key < 101; key++) expect(await countRequests(key)).toBe(1)
    expect([await countRequests(100), await countRequests(1), await countRequests(0)]).toEqual([0, 0, 1])
  })

  test('applies the time limit to the vendor', async () => {
    vendorServer.behave('slow')
    const catalog = createVoiceCatalog(outgoing, 0.05)
    await expect(catalog.getLists('deepgram', createCredential('deepgram'))).rejects.toEqual(
      new VoiceCatalogError('failed to list voices'),
    )
    const { tts } = await catalog.getLists('ibm', undefined)
    expect((await catalog.getLists('ibm', createCredential('ibm'))).tts).toEqual(tts)
  })
})
