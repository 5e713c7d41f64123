import { findVendor, vendors } from '@patchbay/contract/speech/catalogue'
import { isOn, type Recognition, type Synthesis, type Use } from '@patchbay/contract/speech/descriptor'
import type { SpeechChoice, SpeechLists } from '@patchbay/contract/speech-credentials'
import { vendorName } from './names.ts'

/**
 * Speech options that an application form offers, and the defaults after a change of vendor
 * (docs/reference/platform-api/speech.md#vendors-labels-and-defaults).
 */

/** A credential as returned by the list endpoints. */
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

/** A list can contain a code several times. The first entry has the name to display. */
const uniqueByValue = <Choice extends SpeechChoice>(choices: readonly Choice[]): Choice[] => {
  const seen = new Set<string>()
  return choices.filter(({ value }) => !seen.has(value) && seen.add(value))
}

const nameCollator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
const byName = <Choice extends SpeechChoice>(choices: readonly Choice[]): Choice[] =>
  [...choices].sort((one, other) => nameCollator.compare(one.name, other.name))

/**
 * Returns all vendors that support this use, whether or not there is a credential for them, and the custom and unknown
 * vendors of the existing credentials.
 */
export const vendorChoices = (use: Use, credentials: readonly ListedCredential[]): SpeechChoice[] => {
  const builtInVendors = vendors
    .filter((vendor) => !vendor.named && vendor[use] !== undefined)
    .map(({ vendor }) => vendor)
  const unknown = credentials
    .filter(({ vendor }) => findVendor(vendor) === undefined)
    .filter((each) => isFor(use, each))
  const custom = credentials.filter(({ vendor }) => vendor.startsWith('custom:')).filter((each) => isFor(use, each))
  return [
    ...byName(
      uniqueByValue(
        [...builtInVendors, ...unknown.map(({ vendor }) => vendor)].map((value) => ({
          value,
          name: vendorName(value),
        })),
      ),
    ),
    ...byName(uniqueByValue(custom.map(({ vendor }) => ({ value: vendor, name: `${vendorName(vendor)} (custom)` })))),
  ]
}

interface CredentialQuery {
  use: Use
  vendor: string
  account_sid: string
}

const usable = (credentials: readonly ListedCredential[], { use, vendor, account_sid }: CredentialQuery) =>
  credentials.filter(
    (each) =>
      each.vendor === vendor && isFor(use, each) && (each.account_sid === null || each.account_sid === account_sid),
  )

/** Returns whether the account can use a vendor with any of its credentials. */
export const hasCredential = (credentials: readonly ListedCredential[], query: CredentialQuery): boolean =>
  usable(credentials, query).length > 0

/**
 * Returns the credential that a vendor and label refer to. An account's own credential takes precedence over its
 * service provider's.
 */
export const credentialFor = (
  credentials: readonly ListedCredential[],
  query: CredentialQuery & { label: string },
): ListedCredential | undefined => {
  const candidates = usable(credentials, query).filter(({ label }) => (label ?? '') === query.label)
  return candidates.find(({ account_sid }) => account_sid !== null) ?? candidates[0]
}

/** Returns the labels of a vendor's credentials. Empty if no usable credential has a label. */
export const labelChoices = (credentials: readonly ListedCredential[], query: CredentialQuery): SpeechChoice[] => {
  const candidates = usable(credentials, query)
  const labels = candidates.flatMap(({ label }) => (label ? [{ value: label, name: label }] : []))
  if (labels.length === 0) return []
  return [...(labels.length < candidates.length ? [{ value: '', name: 'None' }] : []), ...byName(uniqueByValue(labels))]
}

/** Returns whether language and voice are text fields, as for credentials with voices that are not in any list. */
export const getTypedFields = (
  { typed }: Synthesis,
  credentials: readonly ListedCredential[],
  query: CredentialQuery & { label: string },
): { language: boolean; voice: boolean } => {
  if (typed === undefined || typed === true) return { language: typed === true, voice: typed === true }
  const credential = credentialFor(credentials, query)
  return { language: false, voice: credential !== undefined && isOn(credential[typed.voiceWhen]) }
}

/** Returns the languages of a vendor's speech synthesis, each with its voices. */
export const languageChoices = (
  { voices: kind, sharedVoicesFrom }: Synthesis,
  { tts = [] }: Pick<SpeechLists, 'tts'>,
): Voices[] => {
  if (kind === 'models') return []
  const shared =
    sharedVoicesFrom === undefined
      ? undefined
      : tts.find(({ value, voices }) => (sharedVoicesFrom === '' ? voices.length > 0 : value === sharedVoicesFrom))
          ?.voices
  const voicesIn = (language: string) =>
    shared ?? tts.filter(({ value }) => value === language).flatMap(({ voices }) => voices)
  return byName(uniqueByValue(tts)).map(({ value, name }) => ({
    value,
    name,
    voices: byName(uniqueByValue(voicesIn(value))),
  }))
}

/** The vendor's lists, and the custom voices of the credential. */
export type SpokenLists = Pick<SpeechLists, 'tts' | 'models'> & { own?: readonly SpeechChoice[] }

/** Converts custom voices to choices with the value that applications store. */
export const ownVoices = (voices: readonly { google_custom_voice_sid: string; name: string }[]): SpeechChoice[] =>
  voices.map(({ google_custom_voice_sid, name }) => ({
    value: `custom_${google_custom_voice_sid}`,
    name: `${name} (Custom)`,
  }))

/**
 * Returns the voices of a language, preceded by custom voices. Returns the models if the vendor uses models as voices.
 */
export const voiceChoices = (synthesis: Synthesis, lists: SpokenLists, language: string): SpeechChoice[] =>
  synthesis.voices === 'models'
    ? uniqueByValue(lists.models ?? []).map(({ value, name }) => ({ value, name }))
    : [
        ...(lists.own ?? []),
        ...(languageChoices(synthesis, lists).find(({ value }) => value === language)?.voices ?? []),
      ]

export interface Spoken {
  language: string
  voice: string
}

const isOffered = (choices: readonly SpeechChoice[], searchedValue: string): boolean =>
  choices.some(({ value }) => value === searchedValue)

/** Returns the default voice of a language. */
export const firstVoice = (synthesis: Synthesis, lists: SpokenLists, language: string): string => {
  const voices = voiceChoices(synthesis, lists, language)
  const { voice, languages = [] } = synthesis
  const hasOwn = lists.own !== undefined && lists.own.length > 0
  if (!hasOwn && voice !== undefined && language === languages[0] && isOffered(voices, voice)) return voice
  return voices[0]?.value ?? ''
}

export const usualLanguage = 'en-US'

/**
 * Returns the language and voice after a change of vendor or credential. Keeps the current pair if the new credential
 * offers it.
 */
export const selectSynthesis = (
  synthesis: Synthesis,
  lists: SpokenLists,
  now: Spoken,
  isOtherVendor: boolean,
): Spoken => {
  const offers = (language: string, voice: string) => isOffered(voiceChoices(synthesis, lists, language), voice)
  // A vendor with a default voice keeps any pair that it offers.
  if ((!isOtherVendor || synthesis.voice !== undefined) && offers(now.language, now.voice)) return now
  const languages = languageChoices(synthesis, lists)
  if (synthesis.voices === 'models') return { ...now, voice: firstVoice(synthesis, lists, now.language) }
  const preferred = synthesis.languages ?? [now.language, usualLanguage]
  const language = preferred.find((value) => isOffered(languages, value)) ?? languages[0]?.value ?? now.language
  return { language, voice: firstVoice(synthesis, lists, language) }
}

/** Returns the languages of a vendor's speech recognition, in the order of the server. */
export const recognitionLanguageChoices = ({ stt = [] }: Pick<SpeechLists, 'stt'>): SpeechChoice[] =>
  uniqueByValue(stt).map(({ value, name }) => ({ value, name }))

/** Returns the recognition language after a change of vendor. */
export const selectRecognitionLanguage = (
  { languages = [], typed, language }: Recognition,
  lists: Pick<SpeechLists, 'stt'>,
  now: string,
): string => {
  const choices = recognitionLanguageChoices(lists)
  if (typed) return languages[0] ?? now
  if (language === 'none' || isOffered(choices, now)) return now
  return languages.find((value) => isOffered(choices, value)) ?? choices[0]?.value ?? now
}
