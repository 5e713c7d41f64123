import { connectFakeVendors } from '@patchbay/testkit/fakes/speech/connect-fake-vendors'
import { fakeVendors } from '@patchbay/testkit/fakes/speech/vendors'
import { describe, expect, test } from 'vitest'
import type { OutboundResponse, Outgoing } from '../outbound-http/outgoing.ts'
import { testCredential } from './test-credential.ts'

/**
 * Reasons of failed tests, in the vendor's own words or in Patchbay's
 * (docs/reference/platform-api/speech-vendor-requests.md#tests).
 */

const { vendorServer, outgoing } = await connectFakeVendors()

type Half = 'tts' | 'stt'

const testHalf = async (name: string, which: Half, overrides: object = {}, transport = outgoing) => {
  const fake = fakeVendors.find((candidate) => candidate.name === name)
  return testCredential(name, which, { ...fake?.credential, ...overrides }, transport)
}

/** Replaces the response of one of the vendor's addresses. */
const withResponse = (part: string, status: number, body: unknown): Outgoing => ({
  ...outgoing,
  async send(url, request) {
    if (!url.includes(part)) return outgoing.send(url, request)
    const content = typeof body === 'string' ? body : JSON.stringify(body)
    return { status, statusText: '', headers: {}, body: Buffer.from(content) } satisfies OutboundResponse
  },
})

const playhtError = '{"error_message":"The secret key and the user id do not belong together","error_id":"REFUSED"}'
const inworldError = '{"code":16,"message":"Invalid authorization credentials","details":[]}'

const wrongCredentials: [name: string, which: Half, more: object, reason: string][] = [
  ['cartesia', 'tts', { api_key: 'wrong' }, 'Invalid API key'],
  ['cartesia', 'stt', { api_key: 'wrong' }, 'Invalid API key'],
  ['cartesia', 'stt', { model_id: undefined }, 'Cartesia cannot speak without a model (model_id)'],
  ['deepgramflux', 'stt', { api_key: 'wrong' }, 'Unauthorized'],
  ['elevenlabs', 'tts', { api_key: 'wrong' }, 'failed to synthesize speech'],
  ['elevenlabs', 'tts', { api_uri: 'not a host' }, 'The vendor has an invalid URL'],
  ['gladia', 'stt', { api_key: 'wrong' }, 'Unauthorized'],
  ['google', 'tts', { client_email: 'nobody@example.com' }, 'Invalid grant: account not found'],
  ['google', 'stt', { private_key: 'wrong' }, 'The private key of the service key cannot be parsed'],
  ['google', 'stt', { private_key: undefined }, 'The service key is not JSON with private_key and client_email'],
  ['ibm', 'tts', { tts_api_key: 'wrong' }, 'Provided API key could not be found.'],
  ['ibm', 'tts', { tts_region: 'evil.example/' }, 'invalid api_key or region'],
  ['ibm', 'stt', { stt_region: undefined }, 'invalid api_key or region'],
  ['inworld', 'tts', { api_key: 'wrong' }, inworldError],
  ['openai', 'stt', { api_key: 'wrong' }, 'OpenAI API error: 401 Incorrect API key provided.'],
  ['playht', 'tts', { api_key: 'wrong' }, playhtError],
  ['playht', 'tts', { voice_engine: 'PlayHT2.0', user_id: 'wrong' }, playhtError],
  ['resemble', 'tts', { api_key: 'wrong' }, 'Unauthorized'],
  ['rimelabs', 'tts', { api_key: 'wrong' }, 'Unauthorized'],
  ['verbio', 'stt', { client_secret: 'wrong' }, 'Unauthorized'],
  ['wellsaid', 'tts', { api_key: 'wrong' }, 'failed to synthesize speech'],
  ['whisper', 'tts', { model_id: 'wrong' }, "OpenAI API error: 404 The model 'wrong' does not exist"],
]

test.each(wrongCredentials)('%s, %s with %j fails: %s', async (name, which, more, reason) => {
  expect(await testHalf(name, which, more)).toEqual({ status: 'fail', reason })
})

test('does not test a Deepgram credential without a key', async () => {
  expect(await testHalf('deepgramflux', 'stt', { api_key: null })).toEqual({ status: 'not tested' })
})

const noTranscript = { results: { channels: [{ alternatives: [] }] } }

const errorResponses: [name: string, which: Half, part: string, status: number, body: unknown, reason: string][] = [
  ['cartesia', 'tts', '/voices', 500, 'The list is down', 'The list is down'],
  ['deepgramflux', 'stt', '/v1/listen', 200, noTranscript, 'no transcript returned'],
  ['google', 'stt', 'speech:recognize', 200, {}, 'failed to transcribe speech'],
  ['google', 'tts', '/v1/voices', 403, { error: { message: 'The API is off' } }, 'The API is off'],
  ['ibm', 'tts', '/v1/voices', 401, '', 'invalid api_key or region'],
  ['ibm', 'stt', '/v1/models', 500, '', 'Internal Server Error'],
  ['openai', 'stt', '/transcriptions', 503, '', 'OpenAI API error: 503 '],
  ['playht', 'tts', '/api/v2/voices', 500, 'The list is down', 'The list is down'],
  ['resemble', 'tts', '/synthesize', 200, { audio_content: '' }, 'The vendor returned an unexpected response'],
  ['verbio', 'stt', '/recognize', 400, '', 'failed to transcribe speech'],
]

test.each(errorResponses)(
  '%s, %s fails if %s responds %i with %j: %s',
  async (name, which, part, status, body, reason) => {
    expect(await testHalf(name, which, {}, withResponse(part, status, body))).toEqual({
      status: 'fail',
      reason: reason.trim(),
    })
  },
)

describe('a session of Gladia', () => {
  const withMessages = (...messages: string[]): Outgoing => ({
    ...outgoing,
    connect: async () => ({
      send: () => Promise.resolve(),
      close() {},
      messages: (async function* () {
        yield* messages
      })(),
    }),
  })

  test.each([
    [[], 'no transcript returned'],
    [['{"type":"transcript","data":{"is_final":false}}'], 'no transcript returned'],
    [['{"type":"audio_chunk","error":{"message":"Out of order"},"data":null}'], 'Out of order'],
    [['<html>It works!</html>'], 'The vendor returned an unexpected response'],
  ])('fails for %j: %s', async (messages, reason) => {
    expect(await testHalf('gladia', 'stt', {}, withMessages(...messages))).toEqual({ status: 'fail', reason })
  })

  test('uses the stored region, or any region if none is stored', async () => {
    const requestedUrls: string[] = []
    const recordingOutgoing: Outgoing = {
      ...outgoing,
      send(url, request) {
        requestedUrls.push(url)
        return outgoing.send(url, request)
      },
    }
    await testHalf('gladia', 'stt', { region: 'us-west' }, recordingOutgoing)
    await testHalf('gladia', 'stt', { region: null }, recordingOutgoing)
    expect(requestedUrls).toEqual(['https://api.gladia.io/v2/live?region=us-west', 'https://api.gladia.io/v2/live'])
  })
})

describe('private addresses are blocked', () => {
  const blockedAs = (address: string) => ({
    status: 'fail',
    reason: expect.stringContaining(`${address} is in a private network`) as string,
  })

  test.each([
    ['elevenlabs', { api_uri: '127.0.0.1:9' }, '127.0.0.1'],
    ['elevenlabs', { api_uri: 'localhost:9' }, 'localhost'],
    ['playht', { voice_engine: 'PlayHT2.0', playht_tts_uri: 'http://10.0.0.1' }, '10.0.0.1'],
    ['resemble', { resemble_tts_uri: 'http://169.254.169.254' }, '169.254.169.254'],
  ])('%s with %j', async (name, more, address) => {
    expect(await testHalf(name, 'tts', more)).toEqual(blockedAs(address))
  })

  test('an address that a vendor returns', async () => {
    const lease = withResponse('/api/v3/auth', 201, { inference_address: 'http://127.0.0.1:9/synthesize' })
    expect(await testHalf('playht', 'tts', {}, lease)).toEqual(blockedAs('127.0.0.1'))
    const session = withResponse('/v2/live', 201, { url: 'ws://127.0.0.1:9/v2/live' })
    expect(await testHalf('gladia', 'stt', {}, session)).toEqual(blockedAs('127.0.0.1'))
  })

  test('an address hidden in the path of a vendor with a test address', async () => {
    vendorServer.taken()
    await testHalf('elevenlabs', 'tts', { api_uri: 'api.elevenlabs.io//127.0.0.1:9' })
    expect(vendorServer.taken()).toEqual([
      'POST https://api.elevenlabs.io//127.0.0.1:9/v1/text-to-speech/21m00Tcm4TlvDq8ikWAM',
    ])
  })
})
