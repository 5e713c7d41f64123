import { expect, test } from 'vitest'
import { findVendor } from './catalogue.ts'
import {
  firstVoice,
  heardAfter,
  heardChoices,
  labelChoices,
  languageChoices,
  type ListedCredential,
  ownVoices,
  type Spoken,
  spokenAfter,
  typedParts,
  vendorChoices,
  voiceChoices,
} from './choices.ts'

/** What the application form offers and starts with (api/3-speech.md §3.2). */

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
const valuesOf = (choices: readonly { value: string }[]) => choices.map(({ value }) => value)

const synthesisOf = (vendor: string) => findVendor(vendor)?.tts ?? {}
const recognitionOf = (vendor: string) => findVendor(vendor)?.stt ?? {}

test('vendors are offered for what they can do, whoever has a credential, and custom ones that there are', () => {
  const credentials = [
    credential({ vendor: 'custom:acme' }),
    credential({ vendor: 'custom:acme', label: 'second' }),
    credential({ vendor: 'custom:ears', use_for_tts: 0 }),
  ]
  const speak = vendorChoices('tts', credentials)
  const hear = vendorChoices('stt', credentials)
  expect(speak.at(-1)).toEqual({ value: 'custom:acme', name: 'acme (custom)' })
  expect(valuesOf(hear).slice(-2)).toEqual(['custom:acme', 'custom:ears'])
  for (const vendor of [
    'assemblyai',
    'voxist',
    'soniox',
    'speechmatics',
    'openai',
    'deepgramflux',
    'houndify',
    'cobalt',
  ])
    expect(valuesOf(speak)).not.toContain(vendor)
  for (const vendor of ['wellsaid', 'elevenlabs', 'whisper', 'resemble', 'playht', 'rimelabs', 'inworld'])
    expect(valuesOf(hear)).not.toContain(vendor)
  for (const choices of [speak, hear]) {
    expect(valuesOf(choices)).toEqual(expect.arrayContaining(['google', 'aws', 'microsoft', 'deepgram']))
    expect(valuesOf(choices)).not.toContain('custom')
  }
  expect(valuesOf(speak)).not.toContain('gladia')
})

test('labels are those of the vendor’s credentials that the account may use so, and none where no credential has one', () => {
  const credentials = [
    credential(),
    credential({ label: 'night', account_sid: own }),
    credential({ label: 'day', use_for_stt: 0 }),
    credential({ label: 'of others', account_sid: 'another' }),
    credential({ label: 'of another vendor', vendor: 'aws' }),
  ]
  const labels = (use: 'tts' | 'stt', vendor = 'google') =>
    valuesOf(labelChoices(credentials, { use, vendor, account_sid: own }))
  expect(labels('tts')).toEqual(['', 'day', 'night'])
  expect(labels('stt')).toEqual(['', 'night'])
  expect(labels('tts', 'aws')).toEqual(['of another vendor'])
  expect(labels('tts', 'ibm')).toEqual([])
  expect(labelChoices([credential()], { use: 'tts', vendor: 'google', account_sid: own })).toEqual([])
})

test('of custom vendors language and voice are typed, of Microsoft the voice where the credential says so', () => {
  const credentials = [
    credential({ vendor: 'microsoft', label: 'own voice', use_custom_tts: 1 }),
    credential({ vendor: 'microsoft', use_custom_tts: 0 }),
  ]
  const typed = (vendor: string, label: string) =>
    typedParts(synthesisOf(vendor), credentials, { use: 'tts', vendor, label, account_sid: own })
  expect(typed('custom:acme', '')).toEqual({ language: true, voice: true })
  expect(typed('microsoft', 'own voice')).toEqual({ language: false, voice: true })
  expect(typed('microsoft', '')).toEqual({ language: false, voice: false })
  expect(typed('microsoft', 'unknown')).toEqual({ language: false, voice: false })
  expect(typed('google', '')).toEqual({ language: false, voice: false })
})

test('languages and voices are sorted by name, each once, however often a list has them', () => {
  const tts = [
    { value: 'b', name: 'Basque', voices: [choice('2'), choice('1')] },
    { value: 'a', name: 'Zulu', voices: [] },
    { value: 'b', name: 'Basque again', voices: [choice('1'), choice('3')] },
  ]
  expect(languageChoices({}, { tts }).map(({ name, voices }) => [name, valuesOf(voices)])).toEqual([
    ['Basque', ['1', '2', '3']],
    ['Zulu', []],
  ])
  // The voices of one speak all: of English, or of the first that has any.
  expect(valuesOf(voiceChoices({ voicesOf: '' }, { tts }, 'a'))).toEqual(['1', '2'])
  const english = [spokenIn('english', 'x'), spokenIn('german')]
  expect(valuesOf(voiceChoices({ voicesOf: 'english' }, { tts: english }, 'german'))).toEqual(['x'])
  expect(valuesOf(voiceChoices({ voicesOf: 'english' }, { tts }, 'b'))).toEqual(['1', '2', '3'])
  expect(valuesOf(heardChoices({ stt: [choice('b'), choice('a'), choice('b')] }))).toEqual(['b', 'a'])
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
])('COMMON-49 COMMON-50 COMMON-52 %s is chosen, which has %j, while %j is spoken: %j', (vendor, lists, now, then) => {
  expect(spokenAfter(synthesisOf(vendor), lists, now, true)).toEqual(then)
})

test('another credential of the same vendor keeps what it offers, and begins anew where it does not', () => {
  const lists = { tts: [spokenIn('ar', 'b'), spokenIn('en', 'a', 'b')] }
  const now = { language: 'ar', voice: 'b' }
  expect(spokenAfter(synthesisOf('cartesia'), lists, now, false)).toEqual(now)
  expect(spokenAfter(synthesisOf('cartesia'), lists, { ...now, voice: 'gone' }, false)).toEqual({
    language: 'en',
    voice: 'a',
  })
  const kept = { language: 'en-US', voice: 'nova' }
  expect(spokenAfter(synthesisOf('deepgram'), { models }, kept, false)).toEqual(kept)
})

test.each<[string, string, string]>([
  ['google', 'en-US', 'en-US-Standard-C'],
  ['google', 'de-DE', 'de-A'],
  ['aws', 'en-US', 'en-US-Standard-A'],
  ['aws', 'xx', ''],
])('of %s the language %s begins with the voice %s', (vendor, language, voice) => {
  expect(firstVoice(synthesisOf(vendor), { tts: googles }, language)).toBe(voice)
})

test('voices of one’s own stand first, and are what begins', () => {
  const voices = ownVoices([
    { google_custom_voice_sid: '1', name: 'Ours' },
    { google_custom_voice_sid: '2', name: 'Theirs' },
  ])
  const lists = { tts: googles, own: voices }
  expect(voiceChoices(synthesisOf('google'), lists, 'de-DE').map(({ name }) => name)).toEqual([
    'Ours (Custom)',
    'Theirs (Custom)',
    'Named de-A',
    'Named de-B',
  ])
  expect(spokenAfter(synthesisOf('google'), lists, { language: 'x', voice: 'y' }, true)).toEqual({
    language: 'en-US',
    voice: 'custom_1',
  })
  const kept = { language: 'de-DE', voice: 'custom_2' }
  expect(spokenAfter(synthesisOf('google'), lists, kept, true)).toEqual(kept)
  expect(firstVoice(synthesisOf('google'), lists, 'en-US')).toBe('custom_1')
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
])('COMMON-51 %s is chosen to listen, which has %j, while %s is understood: %s', (vendor, lists, now, then) => {
  expect(heardAfter(recognitionOf(vendor), lists, now)).toBe(then)
})
