import { type FakeAnswer, type FakeRequest, type FakeVendor, isRecording, spoken } from './fake-vendor.ts'

const key = 'microsoft-key-of-the-tests'

const region = 'westus'

/** An on-premises container without an API key. */
const container = 'speech.example.com'

const voices = [
  {
    Name: 'Microsoft Server Speech Text to Speech Voice (en-US, AvaNeural)',
    DisplayName: 'Ava',
    LocalName: 'Ava',
    ShortName: 'en-US-AvaNeural',
    Gender: 'Female',
    Locale: 'en-US',
    LocaleName: 'English (United States)',
  },
  {
    Name: 'Microsoft Server Speech Text to Speech Voice (cy-GB, AledNeural)',
    DisplayName: 'Aled',
    LocalName: 'Aled',
    ShortName: 'cy-GB-AledNeural',
    Gender: 'Male',
    Locale: 'cy-GB',
    LocaleName: 'Welsh (United Kingdom)',
  },
]

/** Voices that can speak. The list of voices shows only some of them. */
const knownVoices = new Set([...voices.map(({ ShortName }) => ShortName), 'en-US-JennyMultilingualNeural'])

/** SSML with an escaped text. */
const document =
  /^<speak version="1\.0" xmlns="http:\/\/www\.w3\.org\/2001\/10\/synthesis"[^<>]* xml:lang="[\w-]+"><voice name="([\w-]+)">(?:[^<>&]|&(?:amp|lt|gt|quot|apos);)+<\/voice><\/speak>$/

const synthesize = ({ headers, body }: FakeRequest): FakeAnswer => {
  const [, voice = ''] = document.exec(body.toString()) ?? []
  const isValid =
    headers['content-type'] === 'application/ssml+xml' &&
    headers['x-microsoft-outputformat'] === 'audio-16khz-32kbitrate-mono-mp3' &&
    (headers['user-agent'] ?? '') !== '' &&
    knownVoices.has(voice)
  return isValid ? spoken : { status: 400 }
}

const recognize = ({ url, headers, body }: FakeRequest): FakeAnswer => {
  const isValid =
    url.searchParams.get('language') === 'en-US' &&
    headers['content-type']?.startsWith('audio/wav') &&
    isRecording(body)
  if (!isValid) return { status: 400 }
  return { body: { RecognitionStatus: 'Success', DisplayText: 'Patchbay is testing.', Offset: 0, Duration: 1 } }
}

export const microsoft: FakeVendor = {
  name: 'microsoft',
  hosts: [
    `${region}.stt.speech.microsoft.com`,
    `${region}.tts.speech.microsoft.com`,
    `${region}.voice.speech.microsoft.com`,
    container,
  ],
  credential: { api_key: key, region },
  checked: { api_key: ['tts', 'stt'] },
  answer(request) {
    const { method, url, headers } = request
    const isFree = url.hostname === container && headers['ocp-apim-subscription-key'] === undefined
    if (!isFree && headers['ocp-apim-subscription-key'] !== key) return { status: 401 }
    const [owner] = url.hostname.replace(`${region}.`, '').split('.')
    switch (`${owner} ${method} ${url.pathname}`) {
      case 'voice POST /cognitiveservices/v1':
        return url.searchParams.get('deploymentId') === 'a deployment' ? synthesize(request) : { status: 404 }
      case 'tts POST /cognitiveservices/v1':
      case 'speech POST /cognitiveservices/v1':
        return synthesize(request)
      case 'stt POST /speech/recognition/conversation/cognitiveservices/v1':
      case 'speech POST /speech/recognition/conversation/cognitiveservices/v1':
        return recognize(request)
      case 'tts GET /cognitiveservices/voices/list':
        return { body: voices }
      default:
        return { status: 404 }
    }
  },
}
