import { findVendor } from '@patchbay/contract/speech/catalogue'
import { expect, test } from 'vitest'
import {
  firstVoice,
  getTypedFields,
  type ListedCredential,
  labelChoices,
  languageChoices,
  ownVoices,
  recognitionLanguageChoices,
  type Spoken,
  selectRecognitionLanguage,
  selectSynthesis,
  vendorChoices,
  voiceChoices,
} from './choices.ts'

/** Choices and defaults of the application form (docs/reference/platform-api/speech.md#vendors-labels-and-defaults). */

const own = 'account-of-ours'
const credential = (more: Partial<ListedCredential> = {}): ListedCredential => ({
  account_sid: null,
  vendor: 'google',
  label: null,
  use_for_tts: 1,
  use_for_stt: 1,
  ...more,
})

const choice = (value: string) => ({ value, name: `Named ${value}` })
const spokenIn = (language: string, ...voices: string[]) => ({ ...choice(language), voices: voices.map(choice) })
const toValues = (choices: readonly { value: string }[]) => choices.map(({ value }) => value)

const getSynthesis = (vendor: string) => findVendor(vendor)?.tts ?? {}
const getRecognition = (vendor: string) => findVendor(vendor)?.stt ?? {}

test('offers vendors by use, with or without credentials, and existing custom vendors', () => {
  const credentials = [
    credential({ vendor: 'custom:acme' }),
    credential({ vendor: 'custom:acme', label: 'second' }),
    credential({ vendor: 'custom:ears', use_for_tts: 0 }),
  ]
  const speak = vendorChoices('tts', credentials)
  const hear = vendorChoices('stt', credentials)
  expect(speak.at(-1)).toEqual({ value: 'custom:acme', name: 'acme (custom)' })
  expect(toValues(hear).slice(-2)).toEqual(['custom:acme', 'custom:ears'])
  for (const vendor of ['voxist', 'soniox', 'speechmatics', 'openai', 'houndify', 'cobalt'])
    expect(toValues(speak)).not.toContain(vendor)
  for (const vendor of ['wellsaid', 'whisper', 'resemble', 'playht', 'rimelabs', 'inworld'])
    expect(toValues(hear)).not.toContain(vendor)
  for (const choices of [speak, hear]) {
    expect(toValues(choices)).toEqual(expect.arrayContaining(['google', 'aws', 'microsoft', 'deepgram']))
    expect(toValues(choices)).not.toContain('custom')
  }
  expect(toValues(speak)).not.toContain('gladia')
})

test('offers the labels of the vendor’s usable credentials, or none if no credential has a label', () => {
  const credentials = [
    credential(),
    credential({ label: 'night', account_sid: own }),
    credential({ label: 'day', use_for_stt: 0 }),
    credential({ label: 'of others', account_sid: 'another' }),
    credential({ label: 'of another vendor', vendor: 'aws' }),
  ]
  const labels = (use: 'tts' | 'stt', vendor = 'google') =>
    toValues(labelChoices(credentials, { use, vendor, account_sid: own }))
  expect(labels('tts')).toEqual(['', 'day', 'night'])
  expect(labels('stt')).toEqual(['', 'night'])
  expect(labels('tts', 'aws')).toEqual(['of another vendor'])
  expect(labels('tts', 'ibm')).toEqual([])
  expect(labelChoices([credential()], { use: 'tts', vendor: 'google', account_sid: own })).toEqual([])
})

test('uses text fields for custom vendors, and for the voice of a Microsoft credential with a custom voice', () => {
  const credentials = [
    credential({ vendor: 'microsoft', label: 'own voice', use_custom_tts: 1 }),
    credential({ vendor: 'microsoft', use_custom_tts: 0 }),
  ]
  const typed = (vendor: string, label: string) =>
    getTypedFields(getSynthesis(vendor), credentials, { use: 'tts', vendor, label, account_sid: own })
  expect(typed('custom:acme', '')).toEqual({ language: true, voice: true })
  expect(typed('microsoft', 'own voice')).toEqual({ language: false, voice: true })
  expect(typed('microsoft', '')).toEqual({ language: false, voice: false })
  expect(typed('microsoft', 'unknown')).toEqual({ language: false, voice: false })
  expect(typed('google', '')).toEqual({ language: false, voice: false })
})

test('sorts languages and voices by name, without duplicates', () => {
  const tts = [
    { value: 'b', name: 'Basque', voices: [choice('2'), choice('1')] },
    { value: 'a', name: 'Zulu', voices: [] },
    { value: 'b', name: 'Basque again', voices: [choice('1'), choice('3')] },
  ]
  expect(languageChoices({}, { tts }).map(({ name, voices }) => [name, toValues(voices)])).toEqual([
    ['Basque', ['1', '2', '3']],
    ['Zulu', []],
  ])
  // The voices of English, or of the first language with voices, are used for all languages.
  expect(toValues(voiceChoices({ sharedVoicesFrom: '' }, { tts }, 'a'))).toEqual(['1', '2'])
  const english = [spokenIn('english', 'x'), spokenIn('german')]
  expect(toValues(voiceChoices({ sharedVoicesFrom: 'english' }, { tts: english }, 'german'))).toEqual(['x'])
  expect(toValues(voiceChoices({ sharedVoicesFrom: 'english' }, { tts }, 'b'))).toEqual(['1', '2', '3'])
  expect(toValues(recognitionLanguageChoices({ stt: [choice('b'), choice('a'), choice('b')] }))).toEqual(['b', 'a'])
})

const googles = [spokenIn('de-DE', 'de-A', 'de-B'), spokenIn('en-US', 'en-US-Standard-A', 'en-US-Standard-C')]
const usual: Spoken = { language: 'en-US', voice: 'en-US-Standard-C' }
const models = [choice('aura'), choice('nova')]

test.each<[string, object, Spoken, Spoken]>([
  ['google', { tts: googles }, { language: 'x', voice: 'y' }, usual],
  ['google', { tts: googles }, { language: 'de-DE', voice: 'y' }, usual],
  ['google', { tts: googles }, { language: 'de-DE', voice: 'de-B' }, { language: 'de-DE', voice: 'de-B' }],
  ['deepgram', { tts: googles, models }, usual, { language: 'en-US', voice: 'aura' }],
  ['elevenlabs', { tts: [spokenIn('ar'), spokenIn('en', 'a')] }, usual, { language: 'en', voice: 'a' }],
  ['whisper', { tts: [spokenIn('de'), spokenIn('en-US', 'alloy')] }, usual, { language: 'en-US', voice: 'alloy' }],
  ['playht', { tts: [spokenIn('de', 'd'), spokenIn('en-US', 'p')] }, usual, { language: 'en-US', voice: 'p' }],
  ['playht', { tts: [spokenIn('de'), spokenIn('english', 'p')] }, usual, { language: 'english', voice: 'p' }],
  ['cartesia', { tts: [spokenIn('de', 'd'), spokenIn('en', 'c')] }, usual, { language: 'en', voice: 'c' }],
  ['rimelabs', { tts: [spokenIn('spa', 's'), spokenIn('eng', 'r')] }, usual, { language: 'eng', voice: 'r' }],
  ['rimelabs', { tts: [spokenIn('spa', 's')] }, usual, { language: 'spa', voice: 's' }],
  ['inworld', { tts: [spokenIn('zh', 'z'), spokenIn('en', 'i')] }, usual, { language: 'en', voice: 'i' }],
  ['aws', { tts: googles }, { language: 'de-DE', voice: '' }, { language: 'de-DE', voice: 'de-A' }],
  ['aws', { tts: googles }, { language: 'xx', voice: '' }, { language: 'en-US', voice: 'en-US-Standard-A' }],
  ['verbio', { tts: [spokenIn('es-ES', 'v')] }, usual, { language: 'es-ES', voice: 'v' }],
  ['aws', {}, usual, { language: 'en-US', voice: '' }],
])('COMMON-49 COMMON-50 COMMON-52 selects for %s with the lists %j after %j: %j', (vendor, lists, now, then) => {
  expect(selectSynthesis(getSynthesis(vendor), lists, now, true)).toEqual(then)
})

test('keeps the pair if another credential of the vendor offers it, and otherwise selects the defaults', () => {
  const lists = { tts: [spokenIn('ar', 'b'), spokenIn('en', 'a', 'b')] }
  const now = { language: 'ar', voice: 'b' }
  expect(selectSynthesis(getSynthesis('cartesia'), lists, now, false)).toEqual(now)
  expect(selectSynthesis(getSynthesis('cartesia'), lists, { ...now, voice: 'gone' }, false)).toEqual({
    language: 'en',
    voice: 'a',
  })
  const current = { language: 'en-US', voice: 'nova' }
  expect(selectSynthesis(getSynthesis('deepgram'), { models }, current, false)).toEqual(current)
})

test.each<[string, string, string]>([
  ['google', 'en-US', 'en-US-Standard-C'],
  ['google', 'de-DE', 'de-A'],
  ['aws', 'en-US', 'en-US-Standard-A'],
  ['aws', 'xx', ''],
])('%s selects for the language %s the voice %s', (vendor, language, voice) => {
  expect(firstVoice(getSynthesis(vendor), { tts: googles }, language)).toBe(voice)
})

test('lists custom voices first and selects the first of them', () => {
  const voices = ownVoices([
    { google_custom_voice_sid: '1', name: 'Ours' },
    { google_custom_voice_sid: '2', name: 'Theirs' },
  ])
  const lists = { tts: googles, own: voices }
  expect(voiceChoices(getSynthesis('google'), lists, 'de-DE').map(({ name }) => name)).toEqual([
    'Ours (Custom)',
    'Theirs (Custom)',
    'Named de-A',
    'Named de-B',
  ])
  expect(selectSynthesis(getSynthesis('google'), lists, { language: 'x', voice: 'y' }, true)).toEqual({
    language: 'en-US',
    voice: 'custom_1',
  })
  const current = { language: 'de-DE', voice: 'custom_2' }
  expect(selectSynthesis(getSynthesis('google'), lists, current, true)).toEqual(current)
  expect(firstVoice(getSynthesis('google'), lists, 'en-US')).toBe('custom_1')
})

test.each<[string, object, string, string]>([
  ['google', { stt: [choice('af-ZA'), choice('en-US')] }, 'af-ZA', 'af-ZA'],
  ['google', { stt: [choice('af-ZA'), choice('en-US')] }, 'x', 'en-US'],
  ['aws', { stt: [choice('af-ZA'), choice('en-US')] }, 'x', 'en-US'],
  ['cobalt', { stt: [choice('a'), choice('en_US-8khz')] }, 'en-US', 'en_US-8khz'],
  ['soniox', { stt: [choice('de'), choice('en')] }, 'en-US', 'de'],
  ['custom:acme', {}, 'de', 'en-US'],
  ['deepgramflux', {}, 'de', 'de'],
  ['ibm', {}, 'de', 'de'],
])('COMMON-51 selects for %s with the lists %j after %s: %s', (vendor, lists, now, then) => {
  expect(selectRecognitionLanguage(getRecognition(vendor), lists, now)).toBe(then)
})
