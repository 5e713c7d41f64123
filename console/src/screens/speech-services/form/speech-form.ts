import type { GoogleCustomVoice } from '@patchbay/contract/google-custom-voices'
import { findVendor, namedVendor, vendors } from '@patchbay/contract/speech/catalogue'
import type { Vendor } from '@patchbay/contract/speech/descriptor'
import type { SpeechCredential } from '@patchbay/contract/speech-credentials'
import { speechCredentialLengths as lengths } from '@patchbay/contract/speech-credentials/record'
import {
  toCredentialMembers,
  toCredentialValues,
  type Uses,
  validateCredential,
} from '@patchbay/rules/speech/credential'
import { describeVendor, genericFields, otherVendor } from '@patchbay/rules/speech/generic'
import { isDisabledVendor, vendorName } from '@patchbay/rules/speech/names'
import type { ApiError } from '../../../api/api-error.ts'
import type { FieldErrors } from '../../../form/server-errors.ts'
import { trimmedText, z } from '../../../zod.ts'
import { atLeastOne, toVoiceValues, validateVoice, voiceShape } from './voices.ts'

/** Form values of a speech service. The descriptor of a vendor defines its fields (contract/src/speech). */

const shape = z.object({
  /** Vendor ID from the catalog. The name of a custom vendor is in `name`. */
  vendor: z.string().check(z.minLength(1, { error: 'Choose a vendor' })),
  name: trimmedText(lengths.customName),
  /** Empty if the service is for all accounts of the provider. */
  account_sid: z.string(),
  label: trimmedText(lengths.label),
  use_for_tts: z.boolean(),
  use_for_stt: z.boolean(),
  /** Values of the vendor's questions and fields. */
  members: z.record(z.string(), z.union([z.string(), z.boolean()])),
  /** Fields of a new service of a vendor that Patchbay does not know. */
  fields: z.array(z.object({ name: z.string(), value: z.string() })),
  /** True if the service has custom voices, which only some vendors support. */
  custom_voices: z.boolean(),
  voices: z.array(voiceShape),
})
export type SpeechValues = z.infer<typeof shape>

export const usesIn = ({ use_for_tts, use_for_stt }: Pick<SpeechValues, 'use_for_tts' | 'use_for_stt'>): Uses => ({
  tts: use_for_tts,
  stt: use_for_stt,
})

/** Returns the selected vendor, or undefined if none is selected. The fields of an unknown one are its members. */
export const chosenVendor = (vendor: string, members: SpeechValues['members'] = {}): Vendor | undefined =>
  vendors.find((one) => one.vendor === vendor) ?? (vendor === '' ? undefined : describeVendor(vendor, members))

/** Returns whether custom voices are enabled. */
const hasCustomVoices = ({ vendor, use_for_tts, custom_voices }: SpeechValues): boolean =>
  chosenVendor(vendor)?.customVoices === true && use_for_tts && custom_voices

/** Returns the custom voices to store. If synthesis is off, the stored voices stay unchanged. */
export const voiceChanges = (values: SpeechValues, before: SpeechValues) => {
  if (chosenVendor(values.vendor)?.customVoices !== true) return []
  if (!values.use_for_tts) return before.voices
  return values.custom_voices ? values.voices : []
}

/** @param findNewErrors returns errors of a new service, by the path of the field */
export const schemaFor = (
  exists: boolean,
  findNewErrors: (values: SpeechValues, vendor: Vendor) => [(string | number)[], string][] = () => [],
) =>
  shape.check(({ value, issues }) => {
    const vendor = chosenVendor(value.vendor)
    if (vendor === undefined) return
    for (const [path, message] of findNewErrors(value, vendor))
      issues.push({ code: 'custom', input: value, path, message })
    if (vendor.named && value.name.trim() === '' && !exists)
      issues.push({ code: 'custom', input: value, path: ['name'], message: 'Enter a name' })
    if (hasCustomVoices(value)) {
      if (value.voices.length === 0)
        issues.push({ code: 'custom', input: value, path: ['custom_voices'], message: atLeastOne })
      for (const [at, voice] of value.voices.entries())
        for (const [field, message] of Object.entries(validateVoice(voice)))
          issues.push({ code: 'custom', input: value, path: ['voices', at, field], message })
    }
    for (const [member, message] of Object.entries(validateCredential(vendor, value.members, usesIn(value), exists)))
      issues.push({ code: 'custom', input: value, path: ['members', member], message })
  })

export const changedSpeech = schemaFor(true)

export const emptySpeech: SpeechValues = {
  vendor: '',
  name: '',
  account_sid: '',
  label: '',
  use_for_tts: false,
  use_for_stt: false,
  members: {},
  fields: [],
  custom_voices: false,
  voices: [],
}

const toGenericValues = (stored: SpeechCredential) => {
  const fields = genericFields(stored)
  return toCredentialValues(describeVendor(stored.vendor, fields), fields)
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
    members: vendor ? toCredentialValues(vendor, stored) : toGenericValues(stored),
    fields: [],
    custom_voices: voices.length > 0,
    voices: voices.map(toVoiceValues),
  }
}

/**
 * Returns the values after a change of vendor. Clears the fields of the old vendor, and uses that the new vendor does
 * not support.
 */
export const changeVendor = (name: string, before: SpeechValues): SpeechValues => {
  const vendor = chosenVendor(name)
  return {
    ...before,
    vendor: name,
    use_for_tts: before.use_for_tts && vendor?.tts !== undefined,
    use_for_stt: before.use_for_stt && vendor?.stt !== undefined,
    members: vendor ? toCredentialValues(vendor) : {},
    fields: vendor?.generic ? [{ name: 'api_key', value: '' }] : [],
    custom_voices: false,
    voices: [],
  }
}

const flag = (on: boolean): 0 | 1 => (on ? 1 : 0)

const toUsesPayload = (values: SpeechValues) => ({
  use_for_tts: flag(values.use_for_tts),
  use_for_stt: flag(values.use_for_stt),
})

const toMembersPayload = (values: SpeechValues, exists: boolean) => {
  const vendor = chosenVendor(values.vendor, values.members)
  if (vendor?.generic && !exists)
    return Object.fromEntries(values.fields.map(({ name, value }) => [name.trim(), value.trim()]))
  return vendor ? toCredentialMembers(vendor, values.members, usesIn(values), exists) : {}
}

/** Returns the vendor as the API names it. */
export const toVendor = ({ vendor, name }: Pick<SpeechValues, 'vendor' | 'name'>): string => {
  if (vendor === otherVendor) return name.trim()
  return chosenVendor(vendor)?.named ? namedVendor(name.trim()) : vendor
}

export const toCreatePayload = (values: SpeechValues, service_provider_sid: string) => ({
  vendor: toVendor(values),
  account_sid: values.account_sid || null,
  service_provider_sid,
  label: values.label.trim() || null,
  ...toUsesPayload(values),
  ...toMembersPayload(values, false),
})

/** Returns the secrets that the user entered again because the service moves to a new host. */
const reenteredSecrets = ({ vendor, members }: SpeechValues, before: SpeechValues): Record<string, unknown> =>
  Object.fromEntries(
    (chosenVendor(vendor)?.parts ?? [])
      .filter(({ kind, name }) => kind === 'secret' && members[name] && members[name] !== before.members[name])
      .map(({ name }) => [name, members[name]]),
  )

export const toPayload = (values: SpeechValues, before: SpeechValues) => ({
  ...toUsesPayload(values),
  ...toMembersPayload(values, true),
  ...reenteredSecrets(values, before),
})

/** Returns the vendors that can be selected, with their display names, and the selected one if it is unknown. */
export const vendorOptions = (switches: ReadonlySet<string>, selected: string) => [
  ...vendors
    .filter(({ vendor }) => !isDisabledVendor(vendor, switches))
    .map(({ vendor }) => ({ value: vendor, label: vendorName(vendor) })),
  { value: otherVendor, label: 'Other vendor' },
  ...(chosenVendor(selected)?.generic && selected !== otherVendor ? [{ value: selected, label: selected }] : []),
]

/** Returns the form error of an API error that names a field. */
export const speechFieldErrors = ({ field, message }: ApiError): FieldErrors<SpeechValues> => {
  if (field === 'label' || field === 'vendor' || field === 'account_sid') return { [field]: message }
  const member = field ?? /: (\w+) is required$/.exec(message)?.[1]
  return member === undefined ? {} : { [`members.${member}`]: message }
}
