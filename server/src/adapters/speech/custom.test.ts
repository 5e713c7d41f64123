import { connectFakeVendors } from '@patchbay/testkit/fakes/speech/connect-fake-vendors'
import { mp3, pcm } from '@patchbay/testkit/fakes/speech/fake-vendor'
import { expect, test } from 'vitest'
import { testCredential } from './test-credential.ts'
import { loadSpeechVendor } from './vendors.ts'

/**
 * A speech service of the user's own (docs/reference/platform-api/speech-vendor-requests.md#synthesis-requests). The
 * voice selects the content type that the fake returns.
 */

const { outgoing } = await connectFakeVendors()

const credential = { auth_token: 'token-of-the-tests', custom_tts_url: 'https://voices.example.com/say?by=patchbay' }

const synthesize = async (voice: string, text = 'Hello', more: object = {}) => {
  const vendor = await loadSpeechVendor('custom:voices')
  const stop = new AbortController().signal
  return vendor?.synthesize?.({ ...credential, ...more }, { text, language: 'en-US', voice }, { outgoing, stop })
}

test.each([
  ['audio/mpeg', { type: 'audio/mpeg', content: mp3 }],
  ['audio/mp3', { type: 'audio/mpeg', content: mp3 }],
  ['audio/wav', { type: 'audio/wav', content: pcm }],
  ['audio/l16;rate=16000', { type: 'pcm', content: pcm, sampleRate: 16_000 }],
  ['Audio/L16; channels=1; rate=8000', { type: 'pcm', content: pcm, sampleRate: 8000 }],
])('accepts a response of type %s', async (type, audio) => {
  expect(await synthesize(type)).toEqual(audio)
  expect(await synthesize(type, '<speak>Hello</speak>')).toEqual(audio)
})

test.each([
  ['audio/l16', /unknown type: audio\/l16/],
  ['audio/flac', /unknown type: audio\/flac/],
  ['text/html', /without audio/],
])('rejects a response of type %s', async (type, reason) => {
  await expect(synthesize(type)).rejects.toThrow(reason)
})

test('requires the stored token', async () => {
  await expect(synthesize('audio/mpeg', 'Hello', { auth_token: 'wrong' })).rejects.toThrow('Unauthorized')
  await expect(synthesize('audio/mpeg', 'Hello', { auth_token: '' })).rejects.toThrow('Unauthorized')
})

test.each(['tts', 'stt'] as const)('has no %s test', async (which) => {
  expect(await testCredential('custom:voices', which, credential, outgoing)).toEqual({ status: 'not tested' })
})
