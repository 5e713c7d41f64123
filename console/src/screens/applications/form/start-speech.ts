import type { Use } from '@patchbay/contract/speech/descriptor'
import type { SpeechLists } from '@patchbay/contract/speech-credentials'
import {
  getTypedFields,
  hasCredential,
  type ListedCredential,
  labelChoices,
  selectRecognitionLanguage,
  selectSynthesis,
  vendorChoices,
} from '@patchbay/rules/speech/choices'
import { describeVendor } from '@patchbay/rules/speech/generic'
import { type SpeechValues, usualSpeech } from './speech-values.ts'

/** Chooses the initial speech settings of a new application, so that they work with what the account has. */

interface Account {
  account_sid: string
  /** The credentials that the account can use. */
  credentials: readonly ListedCredential[]
  /** Reads the languages and voices of a vendor. */
  readLists: (vendor: string, label: string) => Promise<SpeechLists>
}

/** Returns the usual vendor, or the first one that the form lists, if the account has a speech service of it. */
const chooseVendor = (use: Use, { account_sid, credentials }: Account) => {
  const isConfigured = (vendor: string) => hasCredential(credentials, { use, vendor, account_sid })
  const usual = usualSpeech[use].vendor
  const vendor = isConfigured(usual)
    ? usual
    : vendorChoices(use, credentials).find(({ value }) => isConfigured(value))?.value
  if (vendor === undefined) return undefined
  return { vendor, label: labelChoices(credentials, { use, vendor, account_sid })[0]?.value ?? '' }
}

const startSynthesis = async (account: Account): Promise<SpeechValues['tts']> => {
  const usual = usualSpeech.tts
  const chosen = chooseVendor('tts', account)
  if (chosen === undefined || chosen.vendor === usual.vendor) return { ...usual, ...chosen }
  const synthesis = describeVendor(chosen.vendor).tts ?? {}
  const typed = getTypedFields(synthesis, account.credentials, { use: 'tts', ...chosen, ...account })
  if (typed.language) return { ...chosen, language: '', voice: '' }
  const lists = await account.readLists(chosen.vendor, chosen.label)
  const spoken = selectSynthesis(synthesis, lists, usual, true)
  return { ...chosen, language: spoken.language, voice: typed.voice ? '' : spoken.voice }
}

const startRecognition = async (account: Account): Promise<SpeechValues['stt']> => {
  const usual = usualSpeech.stt
  const chosen = chooseVendor('stt', account)
  if (chosen === undefined || chosen.vendor === usual.vendor) return { ...usual, ...chosen }
  const recognition = describeVendor(chosen.vendor).stt ?? {}
  const lists =
    recognition.typed || recognition.language === 'none' ? {} : await account.readLists(chosen.vendor, chosen.label)
  return { ...chosen, language: selectRecognitionLanguage(recognition, lists, usual.language) }
}

/** Returns vendors that the account has speech services of, with a language and a voice that they offer. */
export const startSpeech = async (account: Account): Promise<SpeechValues> => ({
  tts: await startSynthesis(account),
  stt: await startRecognition(account),
})
