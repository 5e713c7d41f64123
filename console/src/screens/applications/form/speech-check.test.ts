import type { Application } from '@patchbay/contract/applications'
import { applicationLengths as lengths } from '@patchbay/contract/applications/record'
import type { ListedCredential } from '@patchbay/rules/speech/choices'
import { expect, test } from 'vitest'
import { speechErrors } from './speech-check.ts'
import { type Speech, speechValues, toSpeechPayload, toSpeechValues, usualSpeech } from './speech-values.ts'

const account_sid = 'ours'
const base = { primary: usualSpeech, fallsBack: false, fallback: usualSpeech, account_sid }
const spoken = (vendor: string, more: object = {}) => ({
  ...usualSpeech,
  tts: { vendor, label: '', language: '', voice: '', ...more },
})
const customVoice: ListedCredential = {
  account_sid: null,
  vendor: 'microsoft',
  label: null,
  use_for_tts: 1,
  use_for_stt: 1,
  use_custom_tts: 1,
}
const missing = { 'primary.tts.language': 'Enter a language', 'primary.tts.voice': 'Enter a voice' }

test.each<[string, object, readonly ListedCredential[], object]>([
  ['a custom vendor without language and voice', { primary: spoken('custom:acme') }, [], missing],
  ['one with both', { primary: spoken('custom:acme', { language: 'de', voice: 'v' }) }, [], {}],
  ['another vendor', { primary: spoken('aws') }, [], {}],
  [
    'a fallback that is custom',
    { fallsBack: true, fallback: spoken('custom:acme', { language: 'de' }) },
    [],
    { 'fallback.tts.voice': 'Enter a voice' },
  ],
  ['a fallback that is not used', { fallback: spoken('custom:acme') }, [], {}],
  [
    'a custom vendor that listens',
    { primary: { ...usualSpeech, stt: { vendor: 'custom:acme', label: '', language: '' } } },
    [],
    { 'primary.stt.language': 'Enter a language' },
  ],
  [
    'Microsoft with a custom voice',
    { primary: spoken('microsoft', { language: 'en-US' }) },
    [customVoice],
    { 'primary.tts.voice': 'Enter a voice' },
  ],
  ['one with that voice', { primary: spoken('microsoft', { voice: 'ours' }) }, [customVoice], {}],
  ['Microsoft without one', { primary: spoken('microsoft') }, [{ ...customVoice, use_custom_tts: 0 }], {}],
])('APPS-32 APPS-33 language and voice are typed, and required: %s', (_, more, credentials, wrong) => {
  expect(speechErrors({ ...base, ...more }, undefined, credentials)).toEqual(wrong)
})

test('accepts stored settings without language and voice if they are unchanged', () => {
  const stored = { ...base, primary: spoken('custom:acme') }
  expect(speechErrors(stored, stored, [])).toEqual({})
  const changed = { ...stored, primary: spoken('custom:acme', { language: 'de' }) }
  expect(speechErrors(changed, stored, [])).toEqual({ 'primary.tts.voice': 'Enter a voice' })
})

test('keeps stored settings unchanged in the payload and drops a disabled fallback', () => {
  const speech: Speech = {
    primary: {
      tts: { vendor: 'aws', label: 'day', language: 'en-GB', voice: 'Amy' },
      stt: { vendor: 'ibm', label: '', language: 'de-DE' },
    },
    fallsBack: true,
    fallback: {
      tts: { vendor: 'custom:acme', label: '', language: 'de', voice: 'v' },
      stt: { vendor: 'google', label: 'night', language: 'en-US' },
    },
  }
  const payload = toSpeechPayload(speech)
  expect(payload).toMatchObject({
    speech_synthesis_label: 'day',
    speech_recognizer_label: null,
    use_for_fallback_speech: true,
    fallback_speech_synthesis_label: null,
    fallback_speech_recognizer_label: 'night',
  })
  expect(toSpeechValues({ ...payload, use_for_fallback_speech: 1 } as Application)).toEqual(speech)
  const without = toSpeechPayload({ ...speech, fallsBack: false })
  const ofFallback = Object.entries(without).filter(([name]) => name.startsWith('fallback_'))
  expect(ofFallback.filter(([, value]) => value !== null)).toEqual([])
  expect(ofFallback).toHaveLength(7)
  expect(toSpeechValues({ ...without, use_for_fallback_speech: 0 } as Application)).toMatchObject({
    fallsBack: false,
    fallback: usualSpeech,
  })
})

test.each(['language', 'voice'] as const)('rejects a typed %s that is longer than the stored column', (name) => {
  const max = lengths[`speech_synthesis_${name}`]
  const validateLength = (length: number) =>
    speechValues.safeParse({ ...usualSpeech, tts: { ...usualSpeech.tts, [name]: 'x'.repeat(length) } }).error?.issues[0]
      ?.message
  expect(validateLength(max)).toBeUndefined()
  expect(validateLength(max + 1)).toBe(`Use at most ${max} characters`)
})
