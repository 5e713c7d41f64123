import { expect, test } from 'vitest'
import { usualSpeech } from './speech-values.ts'
import { startSpeech } from './start-speech.ts'

const account_sid = 'a'
const service = (vendor: string, more: object = {}) => ({
  account_sid: null,
  vendor,
  label: null,
  use_for_tts: 1 as const,
  use_for_stt: 1 as const,
  ...more,
})
const lists = {
  tts: [{ value: 'de-DE', name: 'German', voices: [{ value: 'Vicki', name: 'Vicki' }] }],
  stt: [{ value: 'de-DE', name: 'German' }],
  models: [{ value: 'aura-asteria-en', name: 'Asteria' }],
}
const start = (...credentials: ReturnType<typeof service>[]) =>
  startSpeech({ account_sid, credentials, readLists: () => Promise.resolve(lists) })

test('an account without a speech service, or with one of the usual vendor, starts with the usual settings', async () => {
  expect(await start()).toEqual(usualSpeech)
  expect(await start(service('aws'), service('google'))).toEqual(usualSpeech)
  expect(await start(service('google', { label: 'night' }))).toEqual({
    tts: { ...usualSpeech.tts, label: 'night' },
    stt: { ...usualSpeech.stt, label: 'night' },
  })
})

test('starts with a vendor that has a speech service, and with a language and a voice that it offers', async () => {
  expect(await start(service('aws', { label: 'eu' }))).toEqual({
    tts: { vendor: 'aws', label: 'eu', language: 'de-DE', voice: 'Vicki' },
    stt: { vendor: 'aws', label: 'eu', language: 'de-DE' },
  })
  // Deepgram has models instead of voices.
  expect((await start(service('deepgram'))).tts).toMatchObject({ vendor: 'deepgram', voice: 'aura-asteria-en' })
})

test('chooses vendors for synthesis and recognition separately, and none of another account', async () => {
  const speaks = service('elevenlabs', { use_for_stt: 0 })
  expect(await start(speaks, service('deepgram', { use_for_tts: 0 }))).toMatchObject({
    tts: { vendor: 'elevenlabs' },
    stt: { vendor: 'deepgram' },
  })
  expect(await start(speaks)).toMatchObject({ tts: { vendor: 'elevenlabs' }, stt: usualSpeech.stt })
  expect(await start(service('aws', { account_sid: 'another' }))).toEqual(usualSpeech)
})

test('leaves language and voice of a custom vendor to the user', async () => {
  expect((await start(service('custom:own'))).tts).toEqual({ vendor: 'custom:own', label: '', language: '', voice: '' })
})
