import type { Account } from '@patchbay/contract/accounts'
import { bucketLengths } from '@patchbay/contract/accounts/record'
import type { BucketCredential, BucketCredentialIn } from '@patchbay/contract/recording-storage'
import {
  defaultRecordFormat,
  defaultRegion,
  isStorageEndpoint,
  parseServiceKey,
  recordFormats,
  requiredStorageFields,
  type StorageField,
  type StorageVendor,
  storageVendors,
} from '@patchbay/contract/recordings/storage'
import { findTagProblems } from '@patchbay/contract/recordings/storage-tags'
import { changedMembers } from '../../../../form/changed-members.ts'
import { capitalize } from '../../../../ui/format/text.ts'
import { requiredText, z } from '../../../../zod.ts'

/** Form values for call recording and its storage. Stored secrets are masked until the user types a new one. */

const tagValues = z.object({
  Key: requiredText(bucketLengths.tagKey, 'Enter a name'),
  Value: requiredText(bucketLengths.tagValue, 'Enter a value'),
})

const storageShape = z.object({
  vendor: z.enum(['none', ...storageVendors]),
  name: z.string(),
  region: z.string(),
  endpoint: z.string(),
  access_key_id: z.string(),
  secret_access_key: z.string(),
  service_key: z.string(),
  connection_string: z.string(),
  tags: z.array(z.object({ Key: z.string(), Value: z.string() })),
})
export type StorageValues = z.infer<typeof storageShape>

export const emptyStorage: StorageValues = {
  vendor: 'none',
  name: '',
  region: '',
  endpoint: '',
  access_key_id: '',
  secret_access_key: '',
  service_key: '',
  connection_string: '',
  tags: [],
}

const requiredMessages: Readonly<Record<StorageField, string>> = {
  name: 'Enter the name of the bucket',
  region: 'Choose a region',
  endpoint: 'Enter the storage URL',
  access_key_id: 'Enter the access key ID',
  secret_access_key: 'Enter the secret access key',
  connection_string: 'Enter the connection string',
  service_key: 'Choose the service key file',
}

export const invalidServiceKey = 'Invalid service key file, could not parse as JSON.'

const validateField = (field: StorageField, vendor: StorageVendor, text: string): string | undefined => {
  if (text.trim() === '')
    return field === 'name' && vendor === 'azure' ? 'Enter the name of the container' : requiredMessages[field]
  if (text.length > bucketLengths[field]) return `Use at most ${bucketLengths[field]} characters`
  if (field === 'endpoint' && !isStorageEndpoint(text)) return 'Enter a URL that starts with http:// or https://'
  if (field === 'service_key' && parseServiceKey(text) === undefined) return invalidServiceKey
  return undefined
}

/** Validates the fields of the selected vendor and the tags. */
const validateStorage = (storage: StorageValues): { path: (string | number)[]; message: string }[] => {
  const { vendor, tags } = storage
  if (vendor === 'none') return []
  const faults = requiredStorageFields[vendor].flatMap((field) => {
    const message = validateField(field, vendor, storage[field])
    return message === undefined ? [] : [{ path: [field], message }]
  })
  const { error } = z.array(tagValues).safeParse(tags)
  const tagIssues = (error?.issues ?? []).map(({ path, message }) => ({ path: ['tags', ...path.map(String)], message }))
  if (tagIssues.length > 0) return [...faults, ...tagIssues]
  const tagProblems = findTagProblems(vendor, tags).map(({ index, member, message }) => ({
    path: ['tags', String(index), member],
    message: capitalize(message),
  }))
  return [...faults, ...tagProblems]
}

/** Returns true if every field that the vendor requires is valid. */
export const isComplete = (storage: StorageValues): boolean =>
  storage.vendor !== 'none' && validateStorage(storage).length === 0

export const recordingValues = z
  .object({
    enabled: z.boolean(),
    record_format: z.enum(recordFormats),
    record_all_calls: z.boolean(),
    storage: storageShape,
  })
  .check(({ value: { enabled, storage }, issues }) => {
    if (!enabled) return
    for (const { path, message } of validateStorage(storage))
      issues.push({ code: 'custom', input: '', path: ['storage', ...path], message })
  })
export type RecordingValues = z.infer<typeof recordingValues>

export const noRecording: RecordingValues = {
  enabled: false,
  record_format: defaultRecordFormat,
  record_all_calls: false,
  storage: emptyStorage,
}

const toVendor = (vendor: string): StorageValues['vendor'] =>
  storageVendors.find((candidate) => candidate === vendor) ?? 'none'

const toStorageValues = (credential: BucketCredential | null): StorageValues =>
  credential === null ? emptyStorage : { ...emptyStorage, ...credential, vendor: toVendor(credential.vendor) }

export const toRecordingValues = ({
  record_all_calls,
  record_format,
  bucket_credential,
}: Pick<Account, 'record_all_calls' | 'record_format' | 'bucket_credential'>): RecordingValues => ({
  enabled: record_all_calls === 1 || bucket_credential !== null,
  record_format: record_format === 'wav' ? 'wav' : defaultRecordFormat,
  record_all_calls: record_all_calls === 1,
  storage: toStorageValues(bucket_credential),
})

/** Converts the values to the API format. The server keeps the stored secret if it receives the mask. */
export const toCredentialPayload = (storage: StorageValues): BucketCredentialIn => {
  const tags = storage.tags.map(({ Key, Value }) => ({ Key: Key.trim(), Value: Value.trim() }))
  const { name, region, endpoint, access_key_id, secret_access_key } = storage
  const common = { name: name.trim(), ...(tags.length > 0 ? { tags } : {}) }
  const accessKey = { access_key_id: access_key_id.trim(), secret_access_key: secret_access_key.trim() }
  switch (storage.vendor) {
    case 'none':
      return { vendor: 'none' }
    case 'aws_s3':
      return { vendor: 'aws_s3', region, ...common, ...accessKey }
    case 's3_compatible':
      return {
        vendor: 's3_compatible',
        endpoint: endpoint.trim(),
        ...common,
        ...accessKey,
        ...(region.trim() === '' ? {} : { region: region.trim() }),
      }
    case 'google':
      return { vendor: 'google', ...common, service_key: storage.service_key }
    case 'azure':
      return { vendor: 'azure', ...common, connection_string: storage.connection_string.trim() }
  }
}

/** Returns the request body. With recording disabled, it turns off recording and removes the storage. */
export const toRecordingPayload = ({ enabled, record_format, record_all_calls, storage }: RecordingValues) => {
  const recorded: 0 | 1 = enabled && record_all_calls ? 1 : 0
  const bucket_credential: BucketCredentialIn = enabled ? toCredentialPayload(storage) : { vendor: 'none' }
  return { record_all_calls: recorded, record_format, bucket_credential }
}

/**
 * Returns the storage settings after the user switches to another vendor. Common fields are kept. The mask of a stored
 * secret is valid for its own vendor only: it is cleared for other vendors and restored for that one.
 */
export const recordingChanges = (now: RecordingValues, before: RecordingValues): boolean =>
  Object.keys(changedMembers(toRecordingPayload(now), toRecordingPayload(before))).length > 0

/**
 * Returns the storage settings after the user switches to another vendor. Common fields are kept. The mask of a stored
 * secret is valid for its own vendor only: it is cleared for other vendors and restored for that one.
 */
export const ofVendor = (
  storage: StorageValues,
  stored: StorageValues,
  vendor: StorageValues['vendor'],
  isKnownRegion: (region: string) => boolean,
): StorageValues => {
  const secret = storage.secret_access_key
  const back = vendor === stored.vendor && secret === ''
  const isSecretCleared = vendor !== stored.vendor && secret === stored.secret_access_key
  const getRegion = () => {
    if (vendor === 's3_compatible') return vendor === stored.vendor ? stored.region : ''
    return isKnownRegion(storage.region) ? storage.region : defaultRegion
  }
  return {
    ...storage,
    vendor,
    region: getRegion(),
    secret_access_key: back ? stored.secret_access_key : isSecretCleared ? '' : secret,
  }
}
