import { z } from 'zod'
import {
  type Credential,
  groupByLanguage,
  parseOptions,
  type SpeechVendor,
  type SynthesisRequest,
  textField,
  type VendorContext,
  VendorError,
} from '../speech.ts'
import { testSentence } from '../test-audio.ts'
import { bodyText, jsonRequest, parseAudio, parseJson, sendRequest } from '../vendor-http.ts'

/** Cartesia (docs.cartesia.ai): /tts/bytes, /voices. */

const cloud = 'https://api.cartesia.ai'

const testPhrase = { text: testSentence, language: 'en', voice: '694f9389-aac1-45b6-b726-9d9369183238' }

const createHeaders = (credential: Credential) => ({
  'x-api-key': textField(credential, 'api_key'),
  'cartesia-version': '2024-06-10',
})

/** Places the options where the model expects them. Other models accept no options. */
const placeOptions = (model: string, { speed, emotion, volume }: Record<string, unknown>) => {
  if ([speed, emotion, volume].every((value) => value === undefined)) return {}
  if (model === 'sonic-2') {
    const controls = { speed, emotion: emotion === undefined ? undefined : [emotion].flat() }
    return { voiceOptions: { __experimental_controls: controls } }
  }
  return model === 'sonic-3' ? { requestOptions: { generation_config: { volume, speed, emotion } } } : {}
}

const synthesizeMp3 = async (
  credential: Credential,
  { text, language, voice }: SynthesisRequest,
  context: VendorContext,
): Promise<Buffer> => {
  const model = textField(credential, 'model_id')
  if (model === '') throw new VendorError('Cartesia cannot speak without a model (model_id)')
  const { voiceOptions, requestOptions } = placeOptions(model, parseOptions(credential))
  const body = {
    model_id: model,
    transcript: text,
    voice: { mode: 'id', id: voice, ...voiceOptions },
    language,
    output_format: { container: 'mp3', bit_rate: 128_000, sample_rate: 48_000 },
    ...requestOptions,
  }
  return parseAudio(
    await sendRequest(context, `${cloud}/tts/bytes`, jsonRequest(body, createHeaders(credential)), bodyText),
  )
}

const voices = z.array(
  z.object({ id: z.string(), name: z.string(), description: z.string().nullish(), language: z.string() }),
)

const listVoices = async (credential: Credential, context: VendorContext) =>
  parseJson(await sendRequest(context, `${cloud}/voices`, { headers: createHeaders(credential) }, bodyText), voices)

/** Tests synthesis and recognition together. Cartesia has no request that tests recognition alone. */
const testBoth = async (credential: Credential, context: VendorContext): Promise<'ok'> => {
  await synthesizeMp3(credential, testPhrase, context)
  await listVoices(credential, context)
  return 'ok'
}

const languageNames = new Intl.DisplayNames('en', { type: 'language' })

export const cartesia: SpeechVendor = {
  testTts: testBoth,

  testStt: testBoth,

  async synthesize(credential, phrase, context) {
    return { type: 'audio/mpeg', content: await synthesizeMp3(credential, phrase, context) }
  },

  listsErrorMessage: 'failed to list voices',

  async lists(credential, staticLists, context) {
    const model = staticLists.models?.find(({ value }) => value === textField(credential, 'model_id'))
    if (model === undefined) throw new VendorError('The model of the credential is unknown')
    const allVoices = await listVoices(credential, context)
    const modelVoices = allVoices.filter(({ language }) => model.languages?.includes(language))
    const tts = groupByLanguage(
      modelVoices.map(({ id, name, description, language }) => ({
        language: { value: language, name: languageNames.of(language) ?? language },
        voice: { value: id, name: [name, description].filter(Boolean).join(' - ') },
      })),
    )
    return { ...staticLists, tts, stt: tts.map(({ value, name }) => ({ value, name })) }
  },
}
