import { speechCredentialLengths as lengths } from '@patchbay/contract/shared/column-lengths'
import { namedVendor, findVendor, vendors } from '@patchbay/contract/speech/catalogue'
import {
  validateCredential,
  toCredentialMembers,
  type Uses,
  toCredentialValues,
} from '@patchbay/contract/speech/credential'
import type { Vendor } from '@patchbay/contract/speech/descriptor'
import { isDisabledVendor, vendorName } from '@patchbay/contract/speech/names'
import type { GoogleCustomVoice } from '@patchbay/contract/google-custom-voices'
import type { SpeechCredential } from '@patchbay/contract/speech-credentials'
import type { ApiError } from '../../../api/api-error.ts'
import type { FieldErrors } from '../../../form/use-record-form.tsx'
import { trimmedText, z } from '../../../zod.ts'
import { atLeastOne, validateVoice, toVoiceValues, voiceShape } from './voices.ts'

/** The values of the form of a speech service. Which fields a vendor has its descriptor says (contract/src/speech). */

const shape = z.object({
  /** as the catalogue names it; of a custom one the name is apart */
  vendor: z.string().check(z.minLength(1, { error: 'Choose a vendor' })),
  name: trimmedText(lengths.customName),
  /** empty for all accounts of the provider */
  account_sid: z.string(),
  label: trimmedText(lengths.label),
  use_for_tts: z.boolean(),
  use_for_stt: z.boolean(),
  /** the vendor's questions and fields */
  members: z.record(z.string(), z.union([z.string(), z.boolean()])),
  /** voices of one's own, where the vendor has such */
  custom_voices: z.boolean(),
  voices: z.array(voiceShape),
})
export type SpeechValues = z.infer<typeof shape>

export const usesIn = ({ use_for_tts, use_for_stt }: Pick<SpeechValues, 'use_for_tts' | 'use_for_stt'>): Uses => ({
  tts: use_for_tts,
  stt: use_for_stt,
})

/** Of the vendor that is chosen; undefined while none is. */
export const chosenVendor = (vendor: string): Vendor | undefined => vendors.find((one) => one.vendor === vendor)

/** Whether voices of one's own are asked for. */
const voicesWanted = ({ vendor, use_for_tts, custom_voices }: SpeechValues): boolean =>
  chosenVendor(vendor)?.customVoices === true && use_for_tts && custom_voices

/** Those that are to be stored; while synthesis is off they stay as they are. */
export const voiceChanges = (values: SpeechValues, before: SpeechValues) => {
  if (chosenVendor(values.vendor)?.customVoices !== true) return []
  if (!values.use_for_tts) return before.voices
  return values.custom_voices ? values.voices : []
}

const schemaFor = (exists: boolean) =>
  shape.check(({ value, issues }) => {
    const vendor = chosenVendor(value.vendor)
    if (vendor === undefined) return
    if (vendor.named && value.name.trim() === '' && !exists)
      issues.push({ code: 'custom', input: value, path: ['name'], message: 'Enter a name' })
    if (voicesWanted(value)) {
      if (value.voices.length === 0)
        issues.push({ code: 'custom', input: value, path: ['custom_voices'], message: atLeastOne })
      for (const [at, voice] of value.voices.entries())
        for (const [field, message] of Object.entries(validateVoice(voice)))
          issues.push({ code: 'custom', input: value, path: ['voices', at, field], message })
    }
    for (const [member, message] of Object.entries(validateCredential(vendor, value.members, usesIn(value), exists)))
      issues.push({ code: 'custom', input: value, path: ['members', member], message })
  })

export const newSpeech = schemaFor(false)
export const changedSpeech = schemaFor(true)

export const emptySpeech: SpeechValues = {
  vendor: '',
  name: '',
  account_sid: '',
  label: '',
  use_for_tts: false,
  use_for_stt: false,
  members: {},
  custom_voices: false,
  voices: [],
}

export const toFormValues = (stored: SpeechCredential, voices: readonly GoogleCustomVoice[] = []): SpeechValues => {
  const vendor = findVendor(stored.vendor)
  return {
    vendor: vendor?.vendor ?? stored.vendor,
    name: vendor?.named ? vendorName(stored.vendor) : '',
    account_sid: stored.account_sid ?? '',
    label: stored.label ?? '',
    use_for_tts: Boolean(stored.use_for_tts),
    use_for_stt: Boolean(stored.use_for_stt),
    members: vendor ? toCredentialValues(vendor, stored) : {},
    custom_voices: voices.length > 0,
    voices: voices.map(toVoiceValues),
  }
}

/** Another vendor has fields of its own, and may not do what was ticked. */
export const ofVendor = (name: string, before: SpeechValues): SpeechValues => {
  const vendor = chosenVendor(name)
  return {
    ...before,
    vendor: name,
    use_for_tts: before.use_for_tts && vendor?.tts !== undefined,
    use_for_stt: before.use_for_stt && vendor?.stt !== undefined,
    members: vendor ? toCredentialValues(vendor) : {},
    custom_voices: false,
    voices: [],
  }
}

const flag = (on: boolean): 0 | 1 => (on ? 1 : 0)

const usesSent = (values: SpeechValues) => ({
  use_for_tts: flag(values.use_for_tts),
  use_for_stt: flag(values.use_for_stt),
})

const membersSent = (values: SpeechValues, exists: boolean) => {
  const vendor = chosenVendor(values.vendor)
  return vendor ? toCredentialMembers(vendor, values.members, usesIn(values), exists) : {}
}

export const addedSpeech = (values: SpeechValues, service_provider_sid: string) => ({
  vendor: chosenVendor(values.vendor)?.named ? namedVendor(values.name.trim()) : values.vendor,
  account_sid: values.account_sid || null,
  service_provider_sid,
  label: values.label.trim() || null,
  ...usesSent(values),
  ...membersSent(values, false),
})

/** Secrets that were entered again because the service moves to a new host. */
export const reenteredSecrets = ({ vendor, members }: SpeechValues, before: SpeechValues): Record<string, unknown> =>
  Object.fromEntries(
    (chosenVendor(vendor)?.parts ?? [])
      .filter(({ kind, name }) => kind === 'secret' && members[name] && members[name] !== before.members[name])
      .map(({ name }) => [name, members[name]]),
  )

export const toPayload = (values: SpeechValues, before: SpeechValues) => ({
  ...usesSent(values),
  ...membersSent(values, true),
  ...reenteredSecrets(values, before),
})

/** Those that are to choose from, by name. */
export const vendorOptions = (switches: ReadonlySet<string>) =>
  vendors
    .filter(({ vendor }) => !isDisabledVendor(vendor, switches))
    .map(({ vendor }) => ({ value: vendor, label: vendorName(vendor) }))

/** A refusal that names a field of the vendor stands there. */
export const speechRefusal = ({ field, message }: ApiError): FieldErrors<SpeechValues> => {
  if (field === 'label' || field === 'vendor' || field === 'account_sid') return { [field]: message }
  const member = field ?? /: (\w+) is required$/.exec(message)?.[1]
  return member === undefined ? {} : { [`members.${member}`]: message }
}
