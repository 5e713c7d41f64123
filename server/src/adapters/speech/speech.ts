import type { SpeechChoice, SpeechLists } from '@patchbay/contract/speech-credentials'
import type { Outgoing } from '../outbound-http/outgoing.ts'
import { sentence } from './test-audio.ts'

/** Vendors of speech, each as its own documentation has it; facts of the requests: api/3-speech.md §2.7, §3.1. */

/** What is stored of a service, decrypted: the vendor's own fields by name (contract/src/speech). */
export type Credential = Readonly<Record<string, unknown>>

/** What a request to a vendor needs: it ends with the signal. */
export interface VendorContext {
  outgoing: Outgoing
  stop: AbortSignal
}

/** What is said, and how. */
export interface SynthesisRequest {
  text: string
  language: string
  voice: string
  /** of AWS alone */
  engine?: string | undefined
  /** one of the user's own, in place of the voice (Google alone): of a model, or of a cloning key */
  custom?: { model: string; reportedUsage: string } | { voiceCloningKey: string } | undefined
}

/** PCM is 16 bit little-endian and mono. */
export type Audio =
  | { type: 'audio/mpeg' | 'audio/wav'; content: Buffer }
  | { type: 'pcm'; content: Buffer; sampleRate: number }

export type Choice = SpeechChoice
export type { SpeechLists }
export type SynthesisLanguage = NonNullable<SpeechLists['tts']>[number]

type Tried = Promise<'ok' | 'not tested'>

/** One vendor. What it cannot do is absent. Each act rejects with what went wrong, in words. */
export interface SpeechVendor {
  /** A real request that shows whether synthesis works; a credential without what that needs is not tested. */
  tryTts?(credential: Credential, far: VendorContext): Tried
  /** The same for recognition. */
  tryStt?(credential: Credential, far: VendorContext): Tried
  synthesize?(credential: Credential, phrase: SynthesisRequest, far: VendorContext): Promise<Audio>
  /** what of the static lists holds for a credential; without it all does */
  knownFor?(credential: Credential, known: SpeechLists): SpeechLists
  /** What is asked for live; it takes the place of the static lists. `known` are those. */
  lists?(credential: Credential, known: SpeechLists, far: VendorContext): Promise<SpeechLists>
  /** what is said where the lists cannot be asked for; without it the static ones take their place */
  listsRefused?: string
  /** they are asked for without any credential, too */
  listsForAll?: true
}

export type Synthesize = NonNullable<SpeechVendor['synthesize']>

/** The test of those who are tested by a synthesis. */
export const bySpeaking =
  (synthesize: Synthesize, spoken: Omit<SynthesisRequest, 'text'>) =>
  async (credential: Credential, far: VendorContext): Tried => {
    await synthesize(credential, { text: sentence, ...spoken }, far)
    return 'ok'
  }

/** What the vendor said no with. */
export class VendorRefused extends Error {}

/** The text of a field; empty where it is not stored. */
export const textField = (credential: Credential, field: string): string => {
  const value = credential[field]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** Flags are stored as 0 and 1, true and false, or as text, depending on who stored them. */
export const isOn = (credential: Credential, field: string): boolean =>
  [true, 1, '1', 'true'].includes(credential[field] as boolean | number | string)

/** Extra options: JSON in text (api/3-speech.md §2.2); an object of other writers is taken as well. */
export const parseOptions = ({ options }: Credential): Record<string, unknown> => {
  try {
    const value: unknown = typeof options === 'string' ? JSON.parse(options) : options
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}

/** Speech Synthesis Markup Language, in place of plain text. */
export const isSsml = (text: string): boolean => /^\s*<speak[\s>]/.test(text)

/** "en" and "amber" become "En" and "Amber". */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const byName = (one: Choice, other: Choice): number => one.name.localeCompare(other.name)

/** Languages in the order in which they first come. */
export const byLanguage = (spoken: readonly { language: Choice; voice: Choice }[]): SynthesisLanguage[] => {
  const languages = new Map<string, SynthesisLanguage>()
  for (const { language, voice } of spoken) {
    const known = languages.get(language.value)
    if (known === undefined) languages.set(language.value, { ...language, voices: [voice] })
    else known.voices.push(voice)
  }
  return [...languages.values()]
}
