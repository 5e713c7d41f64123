import { connectFakeVendors } from '@patchbay/testkit/fakes/speech/connect-fake-vendors'
import { pcm } from '@patchbay/testkit/fakes/speech/fake-vendor'
import { beforeEach, describe, expect, test } from 'vitest'
import { createOutgoing } from '../outbound-http/outgoing.ts'
import { synthesizer } from './protocols/nuance-tts.ts'
import { synthesis } from './protocols/riva-tts.ts'
import { testCredential } from './test-credential.ts'
import { loadSpeechVendor } from './vendors.ts'

/**
 * Vendors that use gRPC: Nuance and Nvidia (docs/reference/platform-api/speech-vendor-requests.md#synthesis-requests).
 */

const { vendorServer, outgoing } = await connectFakeVendors()
beforeEach(() => {
  vendorServer.behave('ok')
  vendorServer.taken()
})

const hosted = { client_id: 'appID:NMDPTRIAL:of the tests', secret: 'nuance-secret-of-the-tests' }
const onPremise = { nuance_tts_uri: 'nuance.example.com:8090' }
const riva = { riva_server_uri: 'riva.example.com:50051' }

const synthesize = async (name: string, credential: object, voice: string, text = 'Hello') => {
  const vendor = await loadSpeechVendor(name)
  const stop = new AbortController().signal
  return vendor?.synthesize?.({ ...credential }, { text, language: 'en-US', voice }, { outgoing, stop })
}

const rawAudio = { type: 'pcm', content: pcm, sampleRate: 8000 }

const tokenRequest = 'POST https://auth.crt.nuance.com/oauth2/token'

/** The bytes were worked out by hand from the vendors' own .proto files: tags, lengths, contents. */
test.each([
  {
    method: synthesizer['UnarySynthesize'],
    path: '/nuance.tts.v1.Synthesizer/UnarySynthesize',
    message: {
      voice: { name: 'E', model: 'm' },
      audioParams: { audioFormat: { pcm: { sampleRateHz: 8000 } } },
      input: { text: { text: 'Hi' } },
    },
    bytes: '0a06 0a0145 12016d 1207 0a05 0a03 08c03e 1a06 0a04 0a024869',
  },
  {
    method: synthesis['Synthesize'],
    path: '/nvidia.riva.tts.RivaSpeechSynthesis/Synthesize',
    message: { text: 'Hi', languageCode: 'en-US', encoding: 'LINEAR_PCM', sampleRateHz: 8000, voiceName: 'V' },
    bytes: '0a024869 1205656e2d5553 1801 20c03e 2a0156',
  },
])('encodes $path requests as the .proto file specifies', ({ method, path, message, bytes }) => {
  expect(method?.path).toBe(path)
  expect(method?.requestSerialize(message).toString('hex')).toBe(bytes.replaceAll(' ', ''))
})

describe('Nuance', () => {
  test.each([
    ['a voice and its model', hosted, 'Laila - standard'],
    ['a voice of the model enhanced', hosted, 'Evan - enhanced'],
    ['a voice of no model, which is enhanced', hosted, 'Evan'],
    ['on premise', onPremise, 'Evan'],
  ])('synthesizes: %s', async (_, credential, voice) => {
    expect(await synthesize('nuance', credential, voice)).toEqual(rawAudio)
    expect(await synthesize('nuance', credential, voice, '<speak>Hello</speak>')).toEqual(rawAudio)
  })

  test("reports the vendor's error message", async () => {
    await expect(synthesize('nuance', hosted, 'Laila')).rejects.toThrow('No such voice')
  })

  test('requests a token for each call in the cloud, and none on premise', async () => {
    for (const _ of [1, 2]) expect(await testCredential('nuance', 'tts', hosted, outgoing)).toEqual({ status: 'ok' })
    expect(vendorServer.taken()).toEqual([tokenRequest, tokenRequest])
    expect(await testCredential('nuance', 'tts', onPremise, outgoing)).toEqual({ status: 'ok' })
    expect(vendorServer.taken()).toEqual([])
  })

  test.each(['client_id', 'secret'])('reports a wrong %s', async (field) => {
    const reason = 'invalid client_id or secret'
    expect(await testCredential('nuance', 'tts', { ...hosted, [field]: 'wrong' }, outgoing)).toEqual({
      status: 'fail',
      reason,
    })
  })

  test('passes the recognition test without a request', async () => {
    vendorServer.behave('nonsense')
    expect(await testCredential('nuance', 'stt', hosted, outgoing)).toEqual({ status: 'ok' })
    expect(vendorServer.taken()).toEqual([])
  })

  test.each([
    ['slow', 0.3, 'The vendor did not answer in time'],
    ['cut off', 15, 'The connection with the vendor failed: Failed to connect'],
    ['nonsense', 15, 'The connection with the vendor failed: Protocol error'],
  ] as const)('fails on premise if the server is %s', async (behavior, seconds, reason) => {
    vendorServer.behave(behavior)
    expect(await testCredential('nuance', 'tts', onPremise, outgoing, seconds)).toEqual({ status: 'fail', reason })
  })

  test.each([
    ['127.0.0.1:9', /refused the connection/],
    ['nuance.example.com:99999', /invalid URL/],
  ])('fails on premise if nothing listens at %s', async (nuance_tts_uri, reason) => {
    const open = createOutgoing({ privateNetworks: ['127.0.0.0/8'], vendorAddresses: {} })
    expect(await testCredential('nuance', 'tts', { nuance_tts_uri }, open)).toEqual({
      status: 'fail',
      reason: expect.stringMatching(reason) as string,
    })
  })
})

describe('Nvidia', () => {
  test('synthesizes speech', async () => {
    expect(await synthesize('nvidia', riva, 'English-US.Female-1')).toEqual(rawAudio)
  })

  test("reports the vendor's error message", async () => {
    await expect(synthesize('nvidia', riva, 'Nobody')).rejects.toThrow('Model is not available on server')
  })

  test.each(['tts', 'stt'] as const)('has no %s test', async (which) => {
    expect(await testCredential('nvidia', which, riva, outgoing)).toEqual({ status: 'not tested' })
  })
})
