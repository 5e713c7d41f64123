import { z } from 'zod'
import { googleAccount, googleAssertion, googleTokenUrl } from '../../google-account.ts'
import {
  type Credential,
  groupByLanguage,
  isSsml,
  type SpeechLists,
  type SpeechVendor,
  type SynthesisRequest,
  textField,
  type VendorContext,
  VendorError,
} from '../speech.ts'
import { sampleRate, wav } from '../test-audio.ts'
import { base64Audio, jsonRequest, parseJson, reasonAt, sendRequest } from '../vendor-http.ts'

/** Google Cloud (cloud.google.com/text-to-speech, /speech-to-text). The credential is the key of a service account. */

const scope = 'https://www.googleapis.com/auth/cloud-platform'
const synthesisUrl = 'https://texttospeech.googleapis.com/v1'
const recognitionUrl = 'https://speech.googleapis.com/v1p1beta1'

const googleReason = reasonAt('error', 'message')

const token = z.object({ access_token: z.string() })

/** Requests an access token for the service account itself (RFC 7523). */
const createHeaders = async (credential: Credential, context: VendorContext) => {
  const account = googleAccount(JSON.stringify(credential))
  const assertion = await googleAssertion(account, scope)
  const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
  const response = await sendRequest(context, googleTokenUrl, { method: 'POST', body }, reasonAt('error_description'))
  return { authorization: `Bearer ${parseJson(response, token).access_token}` }
}

const voices = z.object({
  voices: z.array(z.object({ languageCodes: z.array(z.string()), name: z.string(), ssmlGender: z.string() })),
})

const listVoices = async (credential: Credential, context: VendorContext) =>
  parseJson(
    await sendRequest(
      context,
      `${synthesisUrl}/voices`,
      { headers: await createHeaders(credential, context) },
      googleReason,
    ),
    voices,
  ).voices

const requestLists = async (
  credential: Credential,
  staticLists: SpeechLists,
  context: VendorContext,
): Promise<SpeechLists> => {
  const staticNames = new Map(staticLists.stt?.map(({ value, name }) => [value, name]))
  const voicesWithLanguage = (await listVoices(credential, context)).flatMap(
    ({ languageCodes: [code], name, ssmlGender }) => {
      if (code === undefined) return []
      const ownName = name.startsWith(`${code}-`) ? name.slice(code.length + 1) : name
      return {
        language: { value: code, name: staticNames.get(code) ?? code },
        voice: { value: name, name: `${ownName} (${ssmlGender})` },
      }
    },
  )
  return { ...staticLists, tts: groupByLanguage(voicesWithLanguage) }
}

const toVoice = (credential: Credential, { language, voice, custom }: SynthesisRequest) => {
  const languageCode = language
  if (custom) return { languageCode, ...('model' in custom ? { customVoice: custom } : { voiceClone: custom }) }
  const model = textField(credential, 'model_id')
  const modelSelection = model === '' ? {} : { modelName: model }
  return { languageCode, name: voice, ssmlGender: 'SSML_VOICE_GENDER_UNSPECIFIED', ...modelSelection }
}

const synthesis = z.object({ audioContent: base64Audio })
const recognitionResponse = z.object({ results: z.array(z.unknown()).default([]) })

export const google: SpeechVendor = {
  async testTts(credential, context) {
    await listVoices(credential, context)
    return 'ok'
  },

  async synthesize(credential, phrase, context) {
    const { text } = phrase
    const body = {
      input: isSsml(text) ? { ssml: text } : { text },
      voice: toVoice(credential, phrase),
      audioConfig: { audioEncoding: 'MP3' },
    }
    const request = jsonRequest(body, await createHeaders(credential, context))
    const response = await sendRequest(context, `${synthesisUrl}/text:synthesize`, request, googleReason)
    return { type: 'audio/mpeg', content: parseJson(response, synthesis).audioContent }
  },

  async testStt(credential, context) {
    const body = {
      config: { sampleRateHertz: sampleRate, languageCode: 'en-US', model: 'default' },
      audio: { content: wav.toString('base64') },
    }
    const request = jsonRequest(body, await createHeaders(credential, context))
    const { results } = parseJson(
      await sendRequest(context, `${recognitionUrl}/speech:recognize`, request, googleReason),
      recognitionResponse,
    )
    if (results.length === 0) throw new VendorError('failed to transcribe speech')
    return 'ok'
  },

  lists: requestLists,
}
