import { bucketCredentialIn } from '@patchbay/contract/recording-storage'
import {
  requiredStorageFields,
  type StorageField,
  type StorageVendor,
  storageVendors,
} from '@patchbay/contract/recordings/storage'
import { describe, expect, test } from 'vitest'
import { isKnownRegion } from './regions.ts'
import {
  toCredentialPayload,
  emptyStorage,
  isComplete,
  noRecording,
  ofVendor,
  recordingChanges,
  toRecordingValues,
  toRecordingPayload,
  recordingValues,
  type StorageValues,
} from './recording-values.ts'

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

/** The fields of the form in error, and whether the wire refuses it likewise. */
const faultsOf = (storage: StorageValues) => {
  const { error } = recordingValues.safeParse({ ...noRecording, enabled: true, storage })
  return {
    form: (error?.issues ?? []).map(({ path, message }) => [path.join('.'), message]),
    wire: !bucketCredentialIn.safeParse(toCredentialPayload(storage)).success,
    complete: isComplete(storage),
  }
}

describe.each(storageVendors)('what %s wants', (vendor) => {
  test('all of it, and nothing of the others', () => {
    const only: StorageValues = { ...emptyStorage, region: '', vendor }
    for (const field of requiredStorageFields[vendor]) only[field] = full[field]
    expect(faultsOf(only)).toEqual({ form: [], wire: false, complete: true })
  })
})

/** Said at the field, by the form and by the wire. */
const faultOfOne = (field: StorageField, message: string) => ({
  form: [[`storage.${field}`, message]],
  wire: true,
  complete: false,
})
const without = (vendor: StorageVendor, field: StorageField) => faultsOf({ ...full, vendor, [field]: ' ' })

test.each([
  ['name', 'Enter the name of the bucket'],
  ['region', 'Choose a region'],
  ['access_key_id', 'Enter the access key ID'],
  ['secret_access_key', 'Enter the secret access key'],
] as const)('ACCOUNTS-22 AWS S3 is not complete without %s', (field, message) => {
  expect(without('aws_s3', field)).toEqual(faultOfOne(field, message))
})

test.each([
  ['name', 'Enter the name of the bucket'],
  ['endpoint', 'Enter the address of the storage'],
  ['access_key_id', 'Enter the access key ID'],
  ['secret_access_key', 'Enter the secret access key'],
] as const)('ACCOUNTS-23 an S3-compatible storage is not complete without %s', (field, message) => {
  expect(without('s3_compatible', field)).toEqual(faultOfOne(field, message))
})

test.each([
  ['name', 'Enter the name of the bucket'],
  ['service_key', 'Choose the file of the service key'],
] as const)('ACCOUNTS-24 Google is not complete without %s', (field, message) => {
  expect(without('google', field)).toEqual(faultOfOne(field, message))
})

test.each([
  ['name', 'Enter the name of the container'],
  ['connection_string', 'Enter the connection string'],
] as const)('ACCOUNTS-26 Azure is not complete without %s', (field, message) => {
  expect(without('azure', field)).toEqual(faultOfOne(field, message))
})

test('ACCOUNTS-21 the name of the bucket is required of every vendor but none', () => {
  const faulty = ['none', ...storageVendors].filter(
    (vendor) => faultsOf({ ...full, vendor: vendor as StorageValues['vendor'], name: '' }).form.length > 0,
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
])('ACCOUNTS-24 a service key that is %s', (_, text) => {
  expect(faultsOf({ ...full, vendor: 'google', service_key: text }).form).toEqual([
    ['storage.service_key', 'Invalid service key file, could not parse as JSON.'],
  ])
})

test('ACCOUNTS-27 of a tag both the name and the value are required', () => {
  const tags = [
    { Key: 'team', Value: 'support' },
    { Key: ' ', Value: 'x' },
    { Key: 'y', Value: '' },
  ]
  expect(faultsOf({ ...full, tags })).toEqual({
    form: [
      ['storage.tags.1.Key', 'Enter a name'],
      ['storage.tags.2.Value', 'Enter a value'],
    ],
    wire: true,
    complete: false,
  })
})

test('an endpoint is an address', () => {
  expect(faultsOf({ ...full, vendor: 's3_compatible', endpoint: 'ftp://x' }).form).toEqual([
    ['storage.endpoint', 'Enter an address that starts with http:// or https://'],
  ])
})

test('switched off, nothing is asked, and that there is nothing is what is sent', () => {
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
])('what is stored of %s is no change when it is saved untouched', (_, bucket_credential) => {
  const values = toRecordingValues({ ...stored, bucket_credential })
  expect(values).toMatchObject({ enabled: true, record_all_calls: true, record_format: 'wav' })
  expect(recordingChanges(structuredClone(values), values)).toBe(false)
})

test('the mask of a stored secret is gone with its vendor and comes back with it; what was typed stays', () => {
  const masked = { ...full, secret_access_key: 'abcdefXXXX' }
  const other = ofVendor(masked, masked, 's3_compatible', isKnownRegion)
  expect(other).toMatchObject({ vendor: 's3_compatible', secret_access_key: '', region: '', access_key_id: 'AKIA' })
  expect(ofVendor(other, masked, 'aws_s3', isKnownRegion)).toMatchObject({
    secret_access_key: 'abcdefXXXX',
  })
  const typed = { ...other, secret_access_key: 'typed' }
  expect(ofVendor(typed, masked, 'aws_s3', isKnownRegion).secret_access_key).toBe('typed')
})
