import { throwApiError } from '@patchbay/contract/api/errors'
import { findVendor, namedVendor } from '@patchbay/contract/speech/catalogue'
import { isOn, type Stored, type Vendor } from '@patchbay/contract/speech/descriptor'
import type { SpeechCredential, SpeechCredentialChange, SpeechDraft } from '@patchbay/contract/speech-credentials'
import { speechCredentialLengths as lengths } from '@patchbay/contract/speech-credentials/record'
import { changedStored, findFileField, newStored, type Uses, withNewKeys } from '@patchbay/rules/speech/credential'
import { describeVendor, newGenericMembers, validateVendorName } from '@patchbay/rules/speech/generic'
import type { Configuration } from '../../config/configuration.ts'
import type { Encryption } from '../../lib/encryption.ts'

/** The members of speech credentials: their encryption, what requests to a vendor get, and how a change is applied. */

/** The columns that decide about the requests with a credential. */
type EncryptedCredential = Pick<SpeechCredential, 'vendor' | 'account_sid' | 'service_provider_sid'> & {
  credential: string
}

export const getUses = (row: { use_for_tts?: unknown; use_for_stt?: unknown }): Uses => ({
  tts: isOn(row.use_for_tts),
  stt: isOn(row.use_for_stt),
})

/** Returns undefined if the credential cannot be decrypted with the secret of this installation. */
export const decryptCredential = (
  { credential }: Pick<EncryptedCredential, 'credential'>,
  encryption: Encryption,
): Stored | undefined => {
  try {
    const value: unknown = JSON.parse(encryption.decrypt(credential) ?? '')
    return typeof value === 'object' && value !== null ? (value as Stored) : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the credential for requests to a vendor. This is the only place that permits an AWS service to use the
 * server's own identity; a stored credential never does.
 */
export const credentialForVendor = (
  row: Omit<EncryptedCredential, 'credential'>,
  stored: Stored,
  { awsIdentityForSpeech }: Pick<Configuration, 'awsIdentityForSpeech'>,
): Stored =>
  row.vendor === 'aws'
    ? { ...stored, aws_external_id: awsIdentityForSpeech ? (row.account_sid ?? row.service_provider_sid) : null }
    : stored

/** Returns the decrypted credential of a row, or rejects the request if it cannot be read. */
const requireStored = (row: EncryptedCredential, encryption: Encryption): Stored =>
  decryptCredential(row, encryption) ??
  throwApiError('unusable_speech_credential', { msg: 'the stored credentials cannot be read' })

/** Returns the vendor of a row and its decrypted credential for requests. */
export const requireCredential = (
  row: EncryptedCredential,
  encryption: Encryption,
  configuration: Pick<Configuration, 'awsIdentityForSpeech'>,
): { vendor: Vendor; stored: Stored } => {
  const stored = requireStored(row, encryption)
  return { vendor: describeVendor(row.vendor, stored), stored: credentialForVendor(row, stored, configuration) }
}

export const throwUnusable = (msg: string, field?: string): never =>
  throwApiError('unusable_speech_credential', { msg, ...(field ? { field } : {}) })

type Checked = { stored: Stored } | { fault: string; field?: string }

/** Returns a changed credential, or rejects the change with its fault. */
export const requireUsable = (changed: Checked): { stored: Stored } =>
  'fault' in changed ? throwUnusable(changed.fault, changed.field) : changed

export const encryptCredential = (stored: Stored, encryption: Encryption): string => {
  const text = encryption.encrypt(JSON.stringify(stored))
  // The encrypted text is more than twice as long as the JSON.
  return text.length > lengths.stored ? throwUnusable('the credentials are too long to be stored') : text
}

/** Returns the vendor of a new credential and the members to store. */
export const createStored = (name: string, body: Stored, uses: Uses): { vendor: Vendor; stored: Stored } => {
  const knownVendor = findVendor(name)
  if (knownVendor === undefined ? validateVendorName(name) !== undefined : name === namedVendor(''))
    return throwUnusable(`invalid or missing vendor: ${name}`, 'vendor')
  if (knownVendor !== undefined) {
    const created = newStored(knownVendor, body, uses)
    return 'fault' in created ? throwUnusable(created.fault) : { vendor: knownVendor, stored: created.stored }
  }
  const created = newGenericMembers(name, body, lengths.member)
  return 'fault' in created
    ? throwUnusable(created.fault, created.field)
    : { vendor: describeVendor(name, created.members), stored: created.members }
}

type UseFlags = Pick<SpeechCredential, 'use_for_tts' | 'use_for_stt'>

/** Returns the uses of a credential after a change. An absent member changes nothing. */
export const changeUses = (
  before: UseFlags,
  { use_for_tts, use_for_stt }: Pick<SpeechCredentialChange, 'use_for_tts' | 'use_for_stt'>,
): UseFlags => ({
  use_for_tts: use_for_tts === undefined ? before.use_for_tts : use_for_tts,
  use_for_stt: use_for_stt === undefined ? before.use_for_stt : use_for_stt,
})

/** Returns a credential as it would be after a change that is not saved. */
export const applyDraft = (
  row: EncryptedCredential & UseFlags,
  { settings, keys }: SpeechDraft,
  encryption: Encryption,
): { vendor: Vendor; stored: Stored; uses: Uses } => {
  const stored = requireStored(row, encryption)
  const vendor = describeVendor(row.vendor, stored)
  const withKeys = keys === undefined ? stored : requireUsable(withNewKeys(vendor, stored, keys)).stored
  if (settings === undefined) return { vendor, stored: withKeys, uses: getUses(row) }
  const { use_for_tts, use_for_stt, ...members } = settings
  const uses = getUses(changeUses(row, { use_for_tts, use_for_stt }))
  return { vendor, stored: requireUsable(changedStored(vendor, withKeys, members, uses)).stored, uses }
}

/** Returns an error if the credential lacks a required field of its key file. */
export const validateKeyFile = (vendor: Vendor, stored: Stored): string | undefined => {
  const file = findFileField(vendor)
  return file?.members.some((member) => typeof stored[member] !== 'string') ? file.untestable : undefined
}
