import type { SpeechChoice, SpeechLists } from '@patchbay/contract/speech-credentials'
import type { Outgoing } from '../outbound-http/outgoing.ts'
import { testSentence } from './test-audio.ts'

/**
 * Types and helpers shared by the speech vendors. Each vendor module follows that vendor's own documentation. The
 * requests are described in docs/reference/platform-api/speech-vendor-requests.md.
 */

/** A decrypted speech credential: the vendor's own fields by name (contract/src/speech). */
export type Credential = Readonly<Record<string, unknown>>

/** The connection that requests to a vendor use. Requests are canceled when `stop` aborts. */
export interface VendorContext {
  outgoing: Outgoing
  stop: AbortSignal
}

/** A phrase to synthesize, with its voice and language. */
export interface SynthesisRequest {
  text: string
  language: string
  voice: string
  /** Polly engine. Set for AWS only. */
  engine?: string | undefined
  /** Custom voice that replaces `voice`: a model or a voice cloning key. Set for Google only. */
  custom?: { model: string; reportedUsage: string } | { voiceCloningKey: string } | undefined
}

/** PCM is 16 bit little-endian and mono. */
export type Audio =
  | { type: 'audio/mpeg' | 'audio/wav'; content: Buffer }
  | { type: 'pcm'; content: Buffer; sampleRate: number }

export type Choice = SpeechChoice
export type { SpeechLists }
export type SynthesisLanguage = NonNullable<SpeechLists['tts']>[number]

type TestResult = Promise<'ok' | 'not tested'>

/**
 * A speech vendor. Methods that the vendor does not support are absent. Each method rejects with an error that
 * describes what went wrong.
 */
export interface SpeechVendor {
  /**
   * Sends a real request to check that synthesis works. Resolves with `not tested` if the credential lacks the fields
   * that the test needs.
   */
  testTts?(credential: Credential, context: VendorContext): TestResult
  /** Sends a real request to check that recognition works, like `testTts`. */
  testStt?(credential: Credential, context: VendorContext): TestResult
  /** Synthesizes a phrase. */
  synthesize?(credential: Credential, phrase: SynthesisRequest, context: VendorContext): Promise<Audio>
  /** Returns the static lists that apply to a credential. Absent if all of them always apply. */
  selectStaticLists?(credential: Credential, staticLists: SpeechLists): SpeechLists
  /** Requests the live lists, which replace the static ones. */
  lists?(credential: Credential, staticLists: SpeechLists, context: VendorContext): Promise<SpeechLists>
  /** Error message if the live lists cannot be requested. If absent, the static lists are returned instead. */
  listsErrorMessage?: string
  /** Set if the live lists can be requested without a credential. */
  hasPublicLists?: true
}

export type Synthesize = NonNullable<SpeechVendor['synthesize']>

/** Creates a credential test that synthesizes a short sentence. */
export const testBySynthesis =
  (synthesize: Synthesize, voice: Omit<SynthesisRequest, 'text'>) =>
  async (credential: Credential, context: VendorContext): TestResult => {
    await synthesize(credential, { text: testSentence, ...voice }, context)
    return 'ok'
  }

/** Thrown if a vendor rejects a request or sends an unusable response. The message is shown to the user. */
export class VendorError extends Error {}

/** Returns a credential field as text, or an empty string if it is not set. */
export const textField = (credential: Credential, field: string): string => {
  const value = credential[field]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** Returns whether a flag is set. Depending on the writer, flags are stored as 0 and 1, as booleans, or as text. */
export const isOn = (credential: Credential, field: string): boolean =>
  [true, 1, '1', 'true'].includes(credential[field] as boolean | number | string)

/**
 * Returns the extra options of a credential. They are stored as JSON text
 * (docs/reference/platform-api/speech-vendor-requests.md#synthesis-requests), but an object is accepted too because
 * other programs may store one. Returns no options if the text is invalid.
 */
export const parseOptions = ({ options }: Credential): Record<string, unknown> => {
  try {
    const value: unknown = typeof options === 'string' ? JSON.parse(options) : options
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}

/** Returns whether the text is SSML (Speech Synthesis Markup Language) instead of plain text. */
export const isSsml = (text: string): boolean => /^\s*<speak[\s>]/.test(text)

/** Capitalizes the first letter: "en" and "amber" become "En" and "Amber". */
export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Compares two choices by name, for sorting. */
export const compareByName = (one: Choice, other: Choice): number => one.name.localeCompare(other.name)

/** Groups voices by language, in the order in which the languages first appear. */
export const groupByLanguage = (voices: readonly { language: Choice; voice: Choice }[]): SynthesisLanguage[] => {
  const languages = new Map<string, SynthesisLanguage>()
  for (const { language, voice } of voices) {
    const existing = languages.get(language.value)
    if (existing === undefined) languages.set(language.value, { ...language, voices: [voice] })
    else existing.voices.push(voice)
  }
  return [...languages.values()]
}
