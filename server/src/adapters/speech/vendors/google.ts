import { z } from 'zod'
import { googleAccount, googleAssertion, googleTokenUrl } from '../../google-account.ts'
import { sendRequest, base64Audio, jsonRequest, parseJson, reasonAt } from '../vendor-http.ts'
import { sampleRate, wav } from '../test-audio.ts'
import {
  groupByLanguage,
  type Credential,
  type VendorContext,
  isSsml,
  type SynthesisRequest,
  type SpeechLists,
  type SpeechVendor,
  textField,
  VendorError,
} from '../speech.ts'

/** Google Cloud (cloud.google.com/text-to-speech, /speech-to-text), for a service account: its key is the credential. */

const scope = 'https://www.googleapis.com/auth/cloud-platform'
const speaking = 'https://texttospeech.googleapis.com/v1'
const hearing = 'https://speech.googleapis.com/v1p1beta1'

const said = reasonAt('error', 'message')

const token = z.object({ access_token: z.string() })

/** RFC 7523: the account asks for itself. */
const headersOf = async (credential: Credential, context: VendorContext) => {
  const account = googleAccount(JSON.stringify(credential))
  const assertion = await googleAssertion(account, scope)
  const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
  const answer = await sendRequest(context, googleTokenUrl, { method: 'POST', body }, reasonAt('error_description'))
  return { authorization: `Bearer ${parseJson(answer, token).access_token}` }
}

const voices = z.object({
  voices: z.array(z.object({ languageCodes: z.array(z.string()), name: z.string(), ssmlGender: z.string() })),
})

const voicesOf = async (credential: Credential, context: VendorContext) =>
  parseJson(
    await sendRequest(context, `${speaking}/voices`, { headers: await headersOf(credential, context) }, said),
    voices,
  ).voices

const live = async (credential: Credential, known: SpeechLists, context: VendorContext): Promise<SpeechLists> => {
  const knownName = new Map(known.stt?.map(({ value, name }) => [value, name]))
  const spoken = (await voicesOf(credential, context)).flatMap(({ languageCodes: [code], name, ssmlGender }) => {
    if (code === undefined) return []
    const ownName = name.startsWith(`${code}-`) ? name.slice(code.length + 1) : name
    return {
      language: { value: code, name: knownName.get(code) ?? code },
      voice: { value: name, name: `${ownName} (${ssmlGender})` },
    }
  })
  return { ...known, tts: groupByLanguage(spoken) }
}

const voiceOf = (credential: Credential, { language, voice, custom }: SynthesisRequest) => {
  const languageCode = language
  if (custom) return { languageCode, ...('model' in custom ? { customVoice: custom } : { voiceClone: custom }) }
  const model = textField(credential, 'model_id')
  const ofModel = model === '' ? {} : { modelName: model }
  return { languageCode, name: voice, ssmlGender: 'SSML_VOICE_GENDER_UNSPECIFIED', ...ofModel }
}

const synthesis = z.object({ audioContent: base64Audio })
const heard = z.object({ results: z.array(z.unknown()).default([]) })

export const google: SpeechVendor = {
  async testTts(credential, context) {
    await voicesOf(credential, context)
    return 'ok'
  },

  async synthesize(credential, phrase, context) {
    const { text } = phrase
    const body = {
      input: isSsml(text) ? { ssml: text } : { text },
      voice: voiceOf(credential, phrase),
      audioConfig: { audioEncoding: 'MP3' },
    }
    const request = jsonRequest(body, await headersOf(credential, context))
    const answer = await sendRequest(context, `${speaking}/text:synthesize`, request, said)
    return { type: 'audio/mpeg', content: parseJson(answer, synthesis).audioContent }
  },

  async tryStt(credential, context) {
    const body = {
      config: { sampleRateHertz: sampleRate, languageCode: 'en-US', model: 'default' },
      audio: { content: wav.toString('base64') },
    }
    const request = jsonRequest(body, await headersOf(credential, context))
    const { results } = parseJson(await sendRequest(context, `${hearing}/speech:recognize`, request, said), heard)
    if (results.length === 0) throw new VendorError('failed to transcribe speech')
    return 'ok'
  },

  lists: live,
}
