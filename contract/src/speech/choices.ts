import type { SpeechChoice, SpeechLists } from '../speech-credentials.ts'
import { vendors } from './catalogue.ts'
import { isOn, type Recognition, type Synthesis, type Use } from './descriptor.ts'
import { vendorName } from './names.ts'

/** What an application can choose of speech, and what it is given where nobody has chosen (api/3-speech.md §3.2). */

/** As a list of credentials tells it. */
export interface ListedCredential {
  account_sid: string | null
  vendor: string
  label: string | null
  use_for_tts: 0 | 1 | null
  use_for_stt: 0 | 1 | null
  [member: string]: unknown
}

export interface Voices extends SpeechChoice {
  voices: SpeechChoice[]
}

const isFor = (use: Use, credential: ListedCredential): boolean =>
  isOn(use === 'tts' ? credential.use_for_tts : credential.use_for_stt)

/** A code may stand in a list several times; the first is what it is called. */
const onceEach = <Choice extends SpeechChoice>(choices: readonly Choice[]): Choice[] => {
  const seen = new Set<string>()
  return choices.filter(({ value }) => !seen.has(value) && seen.add(value))
}

const inWords = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
const byName = <Choice extends SpeechChoice>(choices: readonly Choice[]): Choice[] =>
  [...choices].sort((one, other) => inWords.compare(one.name, other.name))

/** Every vendor that can do it, whoever has a credential; of custom ones those that there are. */
export const vendorChoices = (use: Use, credentials: readonly ListedCredential[]): SpeechChoice[] => {
  const known = vendors.filter((vendor) => !vendor.named && vendor[use] !== undefined).map(({ vendor }) => vendor)
  const custom = credentials.filter(({ vendor }) => vendor.startsWith('custom:')).filter((each) => isFor(use, each))
  return [
    ...byName(known.map((value) => ({ value, name: vendorName(value) }))),
    ...byName(onceEach(custom.map(({ vendor }) => ({ value: vendor, name: `${vendorName(vendor)} (custom)` })))),
  ]
}

interface Wanted {
  use: Use
  vendor: string
  account_sid: string
}

const usable = (credentials: readonly ListedCredential[], { use, vendor, account_sid }: Wanted) =>
  credentials.filter(
    (each) =>
      each.vendor === vendor && isFor(use, each) && (each.account_sid === null || each.account_sid === account_sid),
  )

/** The one that is used for a vendor and label: an account's own before its provider's. */
export const credentialFor = (
  credentials: readonly ListedCredential[],
  wanted: Wanted & { label: string },
): ListedCredential | undefined => {
  const found = usable(credentials, wanted).filter(({ label }) => (label ?? '') === wanted.label)
  return found.find(({ account_sid }) => account_sid !== null) ?? found[0]
}

/** The labels that tell a vendor's credentials apart; none where no usable one has a label. */
export const labelChoices = (credentials: readonly ListedCredential[], wanted: Wanted): SpeechChoice[] => {
  const found = usable(credentials, wanted)
  const labels = found.flatMap(({ label }) => (label ? [{ value: label, name: label }] : []))
  if (labels.length === 0) return []
  return [...(labels.length < found.length ? [{ value: '', name: 'None' }] : []), ...byName(onceEach(labels))]
}

/** Whether language and voice are typed, as with credentials whose voices no list knows. */
export const typedParts = (
  { typed }: Synthesis,
  credentials: readonly ListedCredential[],
  wanted: Wanted & { label: string },
): { language: boolean; voice: boolean } => {
  if (typed === undefined || typed === true) return { language: typed === true, voice: typed === true }
  const credential = credentialFor(credentials, wanted)
  return { language: false, voice: credential !== undefined && isOn(credential[typed.voiceWhen]) }
}

/** The languages in which a vendor speaks, each with its voices. */
export const languageChoices = (
  { voices: kind, voicesOf }: Synthesis,
  { tts = [] }: Pick<SpeechLists, 'tts'>,
): Voices[] => {
  if (kind === 'models') return []
  const shared =
    voicesOf === undefined
      ? undefined
      : tts.find(({ value, voices }) => (voicesOf === '' ? voices.length > 0 : value === voicesOf))?.voices
  const voicesIn = (language: string) =>
    shared ?? tts.filter(({ value }) => value === language).flatMap(({ voices }) => voices)
  return byName(onceEach(tts)).map(({ value, name }) => ({ value, name, voices: byName(onceEach(voicesIn(value))) }))
}

/** What can be spoken with: what the vendor has, and the voices that are kept with the credential. */
export type SpokenLists = Pick<SpeechLists, 'tts' | 'models'> & { own?: readonly SpeechChoice[] }

/** As an application names a voice that is kept with a credential. */
export const ownVoices = (voices: readonly { google_custom_voice_sid: string; name: string }[]): SpeechChoice[] =>
  voices.map(({ google_custom_voice_sid, name }) => ({
    value: `custom_${google_custom_voice_sid}`,
    name: `${name} (Custom)`,
  }))

/** The voices of a language, after those of one's own; where models stand for voices, those. */
export const voiceChoices = (synthesis: Synthesis, lists: SpokenLists, language: string): SpeechChoice[] =>
  synthesis.voices === 'models'
    ? onceEach(lists.models ?? []).map(({ value, name }) => ({ value, name }))
    : [
        ...(lists.own ?? []),
        ...(languageChoices(synthesis, lists).find(({ value }) => value === language)?.voices ?? []),
      ]

export interface Spoken {
  language: string
  voice: string
}

const isOffered = (choices: readonly SpeechChoice[], wanted: string): boolean =>
  choices.some(({ value }) => value === wanted)

/** The voice with which a language begins when somebody chooses it. */
export const firstVoice = (synthesis: Synthesis, lists: SpokenLists, language: string): string => {
  const voices = voiceChoices(synthesis, lists, language)
  const { voice, languages = [] } = synthesis
  const hasOwn = lists.own !== undefined && lists.own.length > 0
  if (!hasOwn && voice !== undefined && language === languages[0] && isOffered(voices, voice)) return voice
  return voices[0]?.value ?? ''
}

export const usualLanguage = 'en-US'

/** What is spoken once somebody has chosen a vendor, or another credential of it, which still may offer what was. */
export const spokenAfter = (synthesis: Synthesis, lists: SpokenLists, now: Spoken, isOtherVendor: boolean): Spoken => {
  const offers = (language: string, voice: string) => isOffered(voiceChoices(synthesis, lists, language), voice)
  // The vendor whose first voice has a name of its own keeps any pair that it knows.
  if ((!isOtherVendor || synthesis.voice !== undefined) && offers(now.language, now.voice)) return now
  const languages = languageChoices(synthesis, lists)
  if (synthesis.voices === 'models') return { ...now, voice: firstVoice(synthesis, lists, now.language) }
  const wanted = synthesis.languages ?? [now.language, usualLanguage]
  const language = wanted.find((value) => isOffered(languages, value)) ?? languages[0]?.value ?? now.language
  return { language, voice: firstVoice(synthesis, lists, language) }
}

/** The languages that a vendor understands, as the server has them in order. */
export const heardChoices = ({ stt = [] }: Pick<SpeechLists, 'stt'>): SpeechChoice[] =>
  onceEach(stt).map(({ value, name }) => ({ value, name }))

/** What is understood once somebody has chosen a vendor. */
export const heardAfter = (
  { languages = [], typed, language }: Recognition,
  lists: Pick<SpeechLists, 'stt'>,
  now: string,
): string => {
  const choices = heardChoices(lists)
  if (typed) return languages[0] ?? now
  if (language === 'none' || isOffered(choices, now)) return now
  return languages.find((value) => isOffered(choices, value)) ?? choices[0]?.value ?? now
}
