import { connectFakeVendors } from '@patchbay/testkit/fakes/speech/connect-fake-vendors'
import { mp3, pcm } from '@patchbay/testkit/fakes/speech/fake-vendor'
import { fakeVendors } from '@patchbay/testkit/fakes/speech/vendors'
import { expect, test } from 'vitest'
import type { SynthesisRequest } from './speech.ts'
import { loadSpeechVendor } from './vendors.ts'

/**
 * Each vendor receives the phrase in its own format
 * (docs/reference/platform-api/speech-vendor-requests.md#synthesis-requests) and responds with audio.
 */

const { recordingOutgoing, requests } = await connectFakeVendors()

const synthesize = async (name: string, phrase: Partial<SynthesisRequest>, overrides: object = {}) => {
  const vendor = await loadSpeechVendor(name)
  const fake = fakeVendors.find((candidate) => candidate.name === name)
  const request = { text: 'Hello', language: 'en-US', voice: '', ...phrase }
  return vendor?.synthesize?.({ ...fake?.credential, ...overrides }, request, {
    outgoing: recordingOutgoing,
    stop: new AbortController().signal,
  })
}

/** Returns the last request, which carries the phrase. Earlier ones may fetch tokens. */
const lastRequest = () => {
  const { url, body } = requests.at(-1) ?? { url: '' }
  return { url, body: JSON.parse(body as string) as unknown }
}

const asMp3 = { type: 'audio/mpeg', content: mp3 }

const playhtVoice = 's3://voice-cloning-zero-shot/d9ff78ba-d016-47f6-b0ef-dd630f59414e/female-cs/manifest.json'
const cartesiaVoice = '694f9389-aac1-45b6-b726-9d9369183238'
const cartesiaFormat = { container: 'mp3', bit_rate: 128_000, sample_rate: 48_000 }
const playhtBody = { text: 'Hello', voice: playhtVoice, output_format: 'mp3', sample_rate: 8000 }

/** Extra options are stored as text. */
const options = (value: object) => ({ options: JSON.stringify(value) })

interface Case {
  vendor: string
  case: string
  phrase?: Partial<SynthesisRequest>
  credential?: object
  url: string
  body: object
  audio?: object
}

const cases: Case[] = [
  {
    vendor: 'cartesia',
    case: 'sonic-2 takes options with the voice, the emotion as a list',
    phrase: { language: 'en', voice: cartesiaVoice },
    credential: options({ speed: 0.5, emotion: 'positivity:high', volume: 2 }),
    url: 'https://api.cartesia.ai/tts/bytes',
    body: {
      model_id: 'sonic-2',
      transcript: 'Hello',
      voice: {
        mode: 'id',
        id: cartesiaVoice,
        __experimental_controls: { speed: 0.5, emotion: ['positivity:high'] },
      },
      language: 'en',
      output_format: cartesiaFormat,
    },
  },
  {
    vendor: 'cartesia',
    case: 'without options',
    phrase: { language: 'en', voice: cartesiaVoice },
    url: 'https://api.cartesia.ai/tts/bytes',
    body: {
      model_id: 'sonic-2',
      transcript: 'Hello',
      voice: { mode: 'id', id: cartesiaVoice },
      language: 'en',
      output_format: cartesiaFormat,
    },
  },
  {
    vendor: 'cartesia',
    case: 'sonic-3 takes options by themselves',
    phrase: { language: 'en', voice: cartesiaVoice },
    credential: { model_id: 'sonic-3', ...options({ speed: 0.5, emotion: 'calm', volume: 2 }) },
    url: 'https://api.cartesia.ai/tts/bytes',
    body: {
      model_id: 'sonic-3',
      transcript: 'Hello',
      voice: { mode: 'id', id: cartesiaVoice },
      language: 'en',
      output_format: cartesiaFormat,
      generation_config: { volume: 2, speed: 0.5, emotion: 'calm' },
    },
  },
  {
    vendor: 'cartesia',
    case: 'other models take none',
    phrase: { language: 'en', voice: cartesiaVoice },
    credential: { model_id: 'sonic-turbo', ...options({ speed: 0.5, emotion: 'calm' }) },
    url: 'https://api.cartesia.ai/tts/bytes',
    body: {
      model_id: 'sonic-turbo',
      transcript: 'Hello',
      voice: { mode: 'id', id: cartesiaVoice },
      language: 'en',
      output_format: cartesiaFormat,
    },
  },
  {
    vendor: 'elevenlabs',
    case: 'options take the place of what is sent by itself',
    phrase: { voice: '21m00Tcm4TlvDq8ikWAM' },
    credential: options({ optimize_streaming_latency: 0, voice_settings: { stability: 1, similarity_boost: 0 } }),
    url: 'https://api.eu.residency.elevenlabs.io/v1/text-to-speech/21m00Tcm4TlvDq8ikWAM?optimize_streaming_latency=0',
    body: {
      text: 'Hello',
      model_id: 'eleven_turbo_v2_5',
      voice_settings: { stability: 1, similarity_boost: 0 },
      optimize_streaming_latency: 0,
    },
  },
  {
    vendor: 'elevenlabs',
    case: 'without a region and options',
    phrase: { voice: '21m00Tcm4TlvDq8ikWAM' },
    credential: { api_uri: null, options: null },
    url: 'https://api.elevenlabs.io/v1/text-to-speech/21m00Tcm4TlvDq8ikWAM',
    body: {
      text: 'Hello',
      model_id: 'eleven_turbo_v2_5',
      voice_settings: { stability: 0.5, similarity_boost: 0.5 },
    },
  },
  {
    vendor: 'google',
    case: 'text',
    phrase: { voice: 'en-US-Standard-C' },
    url: 'https://texttospeech.googleapis.com/v1/text:synthesize',
    body: {
      input: { text: 'Hello' },
      voice: { languageCode: 'en-US', name: 'en-US-Standard-C', ssmlGender: 'SSML_VOICE_GENDER_UNSPECIFIED' },
      audioConfig: { audioEncoding: 'MP3' },
    },
  },
  {
    vendor: 'google',
    case: 'markup, by a model',
    phrase: { text: '<speak>Hello</speak>', voice: 'Kore' },
    credential: { model_id: 'gemini-2.5-flash-tts' },
    url: 'https://texttospeech.googleapis.com/v1/text:synthesize',
    body: {
      input: { ssml: '<speak>Hello</speak>' },
      voice: {
        languageCode: 'en-US',
        name: 'Kore',
        ssmlGender: 'SSML_VOICE_GENDER_UNSPECIFIED',
        modelName: 'gemini-2.5-flash-tts',
      },
      audioConfig: { audioEncoding: 'MP3' },
    },
  },
  {
    vendor: 'ibm',
    case: 'in the region of the synthesis',
    phrase: { voice: 'en-US_LisaV3Voice' },
    url: 'https://api.us-south.text-to-speech.watson.cloud.ibm.com/v1/synthesize?voice=en-US_LisaV3Voice',
    body: { text: 'Hello' },
  },
  {
    vendor: 'inworld',
    case: 'options join, the encoding stays',
    phrase: { voice: 'Ashley' },
    credential: options({ audioConfig: { pitch: 1, audioEncoding: 'LINEAR16' }, temperature: 0.8 }),
    url: 'https://api.inworld.ai/tts/v1/voice',
    body: {
      text: 'Hello',
      voiceId: 'Ashley',
      modelId: 'inworld-tts-1',
      audioConfig: { pitch: 1, audioEncoding: 'MP3' },
      temperature: 0.8,
    },
  },
  {
    vendor: 'playht',
    case: 'the new engine, where it was told to, with the language',
    phrase: { language: 'spanish', voice: playhtVoice },
    url: 'https://inference.play.ht/api/v2/tts/stream?token=lease-of-the-tests',
    body: { ...playhtBody, voice_engine: 'Play3.0', language: 'spanish' },
  },
  {
    vendor: 'playht',
    case: 'other engines, with options',
    phrase: { voice: playhtVoice },
    credential: { voice_engine: 'PlayHT2.0', ...options({ quality: 'medium', speed: 2 }) },
    url: 'https://api.play.ht/api/v2/tts/stream',
    body: { ...playhtBody, voice_engine: 'PlayHT2.0', quality: 'medium', speed: 2 },
  },
  {
    vendor: 'resemble',
    case: 'in the cloud',
    phrase: { voice: '3f5fb9f1' },
    url: 'https://f.cluster.resemble.ai/synthesize',
    body: { voice_uuid: '3f5fb9f1', data: 'Hello', sample_rate: 8000, output_format: 'mp3' },
  },
  {
    vendor: 'rimelabs',
    case: 'with options',
    phrase: { language: 'spa', voice: 'isa' },
    credential: options({ speedAlpha: 1, reduceLatency: true }),
    url: 'https://users.rime.ai/v1/rime-tts',
    body: {
      speaker: 'isa',
      text: 'Hello',
      modelId: 'mistv2',
      samplingRate: 8000,
      lang: 'spa',
      speedAlpha: 1,
      reduceLatency: true,
    },
  },
  {
    vendor: 'verbio',
    case: 'raw audio',
    phrase: { voice: 'bel_pt_br' },
    url: 'https://us.rest.speechcenter.verbio.com/api/v1/synthesize',
    body: { voice_id: 'bel_pt_br', output_sample_rate: '8k', output_encoding: 'pcm16', text: 'Hello' },
    audio: { type: 'pcm', content: pcm, sampleRate: 8000 },
  },
  {
    vendor: 'wellsaid',
    case: 'the voice is a number',
    phrase: { voice: '8' },
    url: 'https://api.wellsaidlabs.com/v1/tts/stream',
    body: { text: 'Hello', speaker_id: '8' },
  },
  {
    vendor: 'whisper',
    case: 'by OpenAI',
    phrase: { voice: 'echo' },
    url: 'https://api.openai.com/v1/audio/speech',
    body: { model: 'tts-1', voice: 'echo', input: 'Hello', response_format: 'mp3' },
  },
]

test.each(cases)(
  '$vendor synthesizes: $case',
  async ({ vendor, phrase = {}, credential, url, body, audio = asMp3 }) => {
    expect(await synthesize(vendor, phrase, credential)).toEqual(audio)
    expect(lastRequest()).toEqual({ url, body })
  },
)

test('the new engine of PlayHT does not receive the keys', async () => {
  await synthesize('playht', { language: 'english', voice: playhtVoice })
  expect(requests.map(({ url, headers }) => [new URL(url).host, Object.keys(headers ?? {}).toSorted()])).toEqual([
    ['api.play.ht', ['authorization', 'x-user-id']],
    ['inference.play.ht', ['accept', 'content-type']],
  ])
})

test('Verbio rejects a text that is too long without a request', async () => {
  await expect(synthesize('verbio', { text: 'a'.repeat(2001), voice: 'bel_pt_br' })).rejects.toThrow(
    'Verbio speaks at most 2000 characters',
  )
  expect(requests).toEqual([])
})

test.each(['google', 'ibm', 'verbio', 'playht'])('%s requests a token for each synthesis', async (vendor) => {
  const voices: Record<string, string> = { google: 'Kore', ibm: 'en-US_LisaV3Voice', playht: playhtVoice }
  const phrase = { voice: voices[vendor] ?? 'bel_pt_br' }
  await synthesize(vendor, phrase)
  const firstUrls = requests.map(({ url }) => url)
  await synthesize(vendor, phrase)
  expect(firstUrls.length).toBe(2)
  expect(requests.map(({ url }) => url)).toEqual([...firstUrls, ...firstUrls])
})
