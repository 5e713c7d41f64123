import { getTypedFields, type ListedCredential } from '@patchbay/rules/speech/choices'
import { describeVendor } from '@patchbay/rules/speech/generic'
import type { FieldErrors } from '../../../form/server-errors.ts'
import type { ApplicationValues } from './application-form.ts'
import type { Speech, SpeechSet } from './speech-values.ts'

/** Returns an error for each required speech field that is empty. Unchanged settings are not checked. */
export const speechErrors = (
  values: Speech & { account_sid: string },
  before: Speech | undefined,
  credentials: readonly ListedCredential[],
): FieldErrors<ApplicationValues> => {
  const errors: FieldErrors<ApplicationValues> = {}
  const check = (set: SpeechSet) => {
    if (before && JSON.stringify(values[set]) === JSON.stringify(before[set])) return
    const { tts, stt } = values[set]
    const credentialQuery = {
      use: 'tts',
      vendor: tts.vendor,
      label: tts.label,
      account_sid: values.account_sid,
    } as const
    const typed = getTypedFields(describeVendor(tts.vendor).tts ?? {}, credentials, credentialQuery)
    if (typed.language && tts.language === '') errors[`${set}.tts.language`] = 'Enter a language'
    if (typed.voice && tts.voice === '') errors[`${set}.tts.voice`] = 'Enter a voice'
    if (describeVendor(stt.vendor).stt?.typed && stt.language === '') errors[`${set}.stt.language`] = 'Enter a language'
  }
  check('primary')
  if (values.fallsBack) check('fallback')
  return errors
}
