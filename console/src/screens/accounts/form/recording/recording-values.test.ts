import { bucketCredentialIn } from '@patchbay/contract/recording-storage'
import {
  requiredStorageFields,
  type StorageField,
  type StorageVendor,
  storageVendors,
} from '@patchbay/contract/recordings/storage'
import { describe, expect, test } from 'vitest'
import {
  emptyStorage,
  isComplete,
  noRecording,
  ofVendor,
  recordingChanges,
  recordingValues,
  type StorageValues,
  toCredentialPayload,
  toRecordingPayload,
  toRecordingValues,
} from './recording-values.ts'
import { isKnownRegion } from './regions.ts'

const service_key = JSON.stringify({ private_key: 'k', client_email: 'a@b.example' })

const full: StorageValues = {
  vendor: 'aws_s3',
  name: 'recordings',
  region: 'eu-west-1',
  endpoint: 'https://s3.example',
  access_key_id: 'AKIA',
  secret_access_key: 'secret',
  service_key,
  connection_string: 'AccountName=a',
  tags: [],
}

/** Returns the invalid fields of the form, and whether the API rejects the same storage. */
const validateStorage = (storage: StorageValues) => {
  const { error } = recordingValues.safeParse({ ...noRecording, enabled: true, storage })
  return {
    form: (error?.issues ?? []).map(({ path, message }) => [path.join('.'), message]),
    wire: !bucketCredentialIn.safeParse(toCredentialPayload(storage)).success,
    complete: isComplete(storage),
  }
}

describe.each(storageVendors)('what %s wants', (vendor) => {
  test('accepts the fields of the vendor and requires no others', () => {
    const only: StorageValues = { ...emptyStorage, region: '', vendor }
    for (const field of requiredStorageFields[vendor]) only[field] = full[field]
    expect(validateStorage(only)).toEqual({ form: [], wire: false, complete: true })
  })
})

/** Returns the expected result if one field is invalid: an error at that field, and a rejection by the API. */
const toExpectedResult = (field: StorageField, message: string) => ({
  form: [[`storage.${field}`, message]],
  wire: true,
  complete: false,
})
const without = (vendor: StorageVendor, field: StorageField) => validateStorage({ ...full, vendor, [field]: ' ' })

test.each([
  ['name', 'Enter the name of the bucket'],
  ['region', 'Choose a region'],
  ['access_key_id', 'Enter the access key ID'],
  ['secret_access_key', 'Enter the secret access key'],
] as const)('ACCOUNTS-22 AWS S3 is not complete without %s', (field, message) => {
  expect(without('aws_s3', field)).toEqual(toExpectedResult(field, message))
})

test.each([
  ['name', 'Enter the name of the bucket'],
  ['endpoint', 'Enter the storage URL'],
  ['access_key_id', 'Enter the access key ID'],
  ['secret_access_key', 'Enter the secret access key'],
] as const)('ACCOUNTS-23 an S3-compatible storage is not complete without %s', (field, message) => {
  expect(without('s3_compatible', field)).toEqual(toExpectedResult(field, message))
})

test.each([
  ['name', 'Enter the name of the bucket'],
  ['service_key', 'Choose the service key file'],
] as const)('ACCOUNTS-24 Google is not complete without %s', (field, message) => {
  expect(without('google', field)).toEqual(toExpectedResult(field, message))
})

test.each([
  ['name', 'Enter the name of the container'],
  ['connection_string', 'Enter the connection string'],
] as const)('ACCOUNTS-26 Azure is not complete without %s', (field, message) => {
  expect(without('azure', field)).toEqual(toExpectedResult(field, message))
})

test('ACCOUNTS-21 every vendor except none requires the name of the bucket', () => {
  const faulty = ['none', ...storageVendors].filter(
    (vendor) => validateStorage({ ...full, vendor: vendor as StorageValues['vendor'], name: '' }).form.length > 0,
  )
  expect(faulty).toEqual([...storageVendors])
})

test('ACCOUNTS-22 COMMON-53 the region of AWS S3 is us-east-1 until another is chosen', () => {
  expect(ofVendor(emptyStorage, emptyStorage, 'aws_s3', isKnownRegion).region).toBe('us-east-1')
})

test.each([
  ['no JSON', '{'],
  ['a text', '"x"'],
  ['null', 'null'],
  ['no private key', JSON.stringify({ client_email: 'a@b.example' })],
  ['no client', JSON.stringify({ private_key: 'k' })],
])('ACCOUNTS-24 rejects a service key that is %s', (_, text) => {
  expect(validateStorage({ ...full, vendor: 'google', service_key: text }).form).toEqual([
    ['storage.service_key', 'Invalid service key file, could not parse as JSON.'],
  ])
})

test('ACCOUNTS-27 a tag requires a name and a value', () => {
  const tags = [
    { Key: 'team', Value: 'support' },
    { Key: ' ', Value: 'x' },
    { Key: 'y', Value: '' },
  ]
  expect(validateStorage({ ...full, tags })).toEqual({
    form: [
      ['storage.tags.1.Key', 'Enter a name'],
      ['storage.tags.2.Value', 'Enter a value'],
    ],
    wire: true,
    complete: false,
  })
})

test('a tag that the storage cannot keep is reported at its name', () => {
  const tags = [{ Key: 'cost center', Value: 'Zürich' }]
  expect(validateStorage({ ...full, tags })).toMatchObject({
    form: [['storage.tags.0.Key', expect.stringContaining('S3 sends names in HTTP headers')]],
    wire: true,
  })
})

test('rejects an endpoint that is not an HTTP address', () => {
  expect(validateStorage({ ...full, vendor: 's3_compatible', endpoint: 'ftp://x' }).form).toEqual([
    ['storage.endpoint', 'Enter a URL that starts with http:// or https://'],
  ])
})

test('requires no storage and sends vendor none if recording is disabled', () => {
  const off = { ...noRecording, record_all_calls: true, storage: { ...full, name: '' } }
  expect(recordingValues.safeParse(off).success).toBe(true)
  expect(toRecordingPayload(off)).toEqual({
    record_all_calls: 0,
    record_format: 'mp3',
    bucket_credential: { vendor: 'none' },
  })
})

const stored = { record_all_calls: 1, record_format: 'wav' } as const

test.each([
  ['none', null],
  ['AWS', { vendor: 'aws_s3', name: 'b', region: 'eu-west-1', access_key_id: 'A', secret_access_key: 'abcdefXX' }],
  ['of a vendor to come', { vendor: 'tape', name: 'b' }],
])('storage of %s does not change if it is saved unedited', (_, bucket_credential) => {
  const values = toRecordingValues({ ...stored, bucket_credential })
  expect(values).toMatchObject({ enabled: true, record_all_calls: true, record_format: 'wav' })
  expect(recordingChanges(structuredClone(values), values)).toBe(false)
})

test('clears the mask of a stored secret on a vendor change, restores it with its vendor, and keeps typed secrets', () => {
  const masked = { ...full, secret_access_key: 'abcdefXXXX' }
  const other = ofVendor(masked, masked, 's3_compatible', isKnownRegion)
  expect(other).toMatchObject({ vendor: 's3_compatible', secret_access_key: '', region: '', access_key_id: 'AKIA' })
  expect(ofVendor(other, masked, 'aws_s3', isKnownRegion)).toMatchObject({
    secret_access_key: 'abcdefXXXX',
  })
  const typed = { ...other, secret_access_key: 'typed' }
  expect(ofVendor(typed, masked, 'aws_s3', isKnownRegion).secret_access_key).toBe('typed')
})
