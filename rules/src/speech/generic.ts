import { findVendor } from '@patchbay/contract/speech/catalogue'
import { isFilled, type SecretField, type Stored, type Vendor } from '@patchbay/contract/speech/descriptor'

/**
 * Vendors that Patchbay does not know, such as those of newer platforms. Each of their fields can be a secret or an
 * address, so all of them are treated as both.
 */

const vendorPattern = /^[a-z][a-z\d_-]*$/
const fieldPattern = /^[a-z]\w{0,63}$/i

/** Columns of a credential, which cannot be names of fields. */
export const credentialColumns = [
  'speech_credential_sid',
  'service_provider_sid',
  'account_sid',
  'vendor',
  'use_for_tts',
  'use_for_stt',
  'last_used',
  'last_tested',
  'tts_tested_ok',
  'stt_tested_ok',
  'created_at',
  'label',
]

/** Selects an unknown vendor in the form. Not stored. */
export const otherVendor = 'other'

export const maxGenericFields = 32

const toField = (name: string): SecretField => ({ kind: 'secret', name, label: name, locked: true, opaque: true })

const createVendor = (vendor: string, names: readonly string[]): Vendor => ({
  vendor,
  generic: true,
  tts: { typed: true },
  stt: { typed: true },
  parts: names.map(toField),
})

/** Returns the vendor of a credential. The fields of an unknown one are those of the credential. */
export const describeVendor = (vendor: string, stored: Stored = {}): Vendor =>
  findVendor(vendor) ?? createVendor(vendor, Object.keys(stored))

/** Returns why a text cannot be the name of an unknown vendor, or undefined. */
export const validateVendorName = (name: string): string | undefined =>
  vendorPattern.test(name) && name !== otherVendor && name !== 'custom'
    ? undefined
    : 'Enter the name as the platform spells it: lowercase letters, digits, hyphens, and underscores'

/** Returns why a text cannot be the name of a field, or undefined. */
export const validateFieldName = (name: string): string | undefined => {
  if (credentialColumns.includes(name)) return `${name} is a setting of the service`
  return fieldPattern.test(name)
    ? undefined
    : 'Must start with a letter and consist of letters, digits, and underscores'
}

/** Returns the fields of a credential that the form can display. Components could have stored others, which are kept. */
export const genericFields = (credential: Stored): Stored =>
  Object.fromEntries(Object.entries(credential).filter(([name]) => validateFieldName(name) === undefined))

/**
 * Returns the vendor for a new credential with these members, without those that are empty, or the reason why they
 * cannot be stored.
 * @param maxLength Maximum length of a value
 */
export const newGenericMembers = (
  vendor: string,
  body: Stored,
  maxLength: number,
): { members: Stored } | { fault: string; field?: string } => {
  const members = Object.entries(body).filter(([name, value]) => isFilled(value) && !credentialColumns.includes(name))
  if (members.length === 0) return { fault: `invalid ${vendor} speech credential: a field is required` }
  if (members.length > maxGenericFields) return { fault: `a speech credential has at most ${maxGenericFields} fields` }
  for (const [field, value] of members) {
    const fault = validateFieldName(field)
    if (fault !== undefined) return { fault: `the name of the field ${field.slice(0, 64)} is invalid: ${fault}`, field }
    if (!['string', 'number', 'boolean'].includes(typeof value))
      return { fault: `${field} must be text, a number or a flag`, field }
    if (typeof value === 'string' && value.length > maxLength)
      return { fault: `${field} must be at most ${maxLength} characters long`, field }
  }
  return { members: Object.fromEntries(members) }
}
