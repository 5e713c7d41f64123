import { expect, test } from 'vitest'
import { bucketCredentialIn } from '../recording-storage.ts'
import { type StorageVendor, storageVendors } from './storage.ts'
import { findTagProblems, type StorageTag, tagsAsMetadata, toCallMetadata, toMetadataValue } from './storage-tags.ts'

const tag = (Key: string, Value = 'x'): StorageTag => ({ Key, Value })

test.each(storageVendors)('%s keeps ordinary tags', (vendor) => {
  expect(findTagProblems(vendor, [tag('team', 'support'), tag('cost-center', '7'), tag('Zone', 'Zürich 😀')])).toEqual(
    [],
  )
})

test.each<[StorageVendor, StorageTag[], [number, string, RegExp][]]>([
  ['aws_s3', [tag('a b')], [[0, 'Key', /^must contain only .* because S3 sends names in HTTP headers/]]],
  ['s3_compatible', [tag('Größe')], [[0, 'Key', /^must contain only .* because S3 sends names in HTTP headers/]]],
  ['aws_s3', [tag('team:name'), tag('ok')], [[0, 'Key', /HTTP headers/]]],
  ['aws_s3', [tag('Team'), tag('team')], [[1, 'Key', /differ from “Team”, which S3 stores under the same name/]]],
  [
    'azure',
    [tag('cost-center'), tag('cost_center')],
    [[1, 'Key', /differ from “cost-center”, which Azure stores under/]],
  ],
  ['azure', [tag('account-sid'), tag('AccountSid')], [[1, 'Key', /must not be “AccountSid”/]]],
  ['azure', [tag('a b'), tag('Größe')], []],
  [
    'google',
    [tag('a b'), tag('Größe')],
    [
      [0, 'Key', /Google Cloud Storage sends names in HTTP headers/],
      [1, 'Key', /HTTP headers/],
    ],
  ],
  ['google', [tag('Team'), tag('team')], []],
  ['azure', [tag('ö'), tag('ü')], [[1, 'Key', /differ from “ö”, which Azure stores under the same name/]]],
  ['azure', [tag('2nd'), tag('_2ND')], [[1, 'Key', /differ from “2nd”/]]],
  ['s3_compatible', [tag(' Team '), tag('team')], [[1, 'Key', /differ from “Team”/]]],
  ['azure', [tag('a', '\ud83d')], [[0, 'Value', /character that can be encoded/]]],
  ['google', [tag('recordingId')], [[0, 'Key', /must not be “recordingId”/]]],
  [
    'aws_s3',
    [tag('a', 'x'.repeat(1024))],
    [[0, 'Value', /S3 stores 2 KB with a recording, of which all tags can have at most 1024 bytes/]],
  ],
  ['aws_s3', [tag('a', 'ü'.repeat(100)), tag('b', 'ü'.repeat(100))], [[1, 'Value', /at most 1024 bytes/]]],
  [
    'azure',
    Array.from({ length: 20 }, (_, nth) => tag(`t${nth}`, 'x'.repeat(256))),
    [[15, 'Value', /at most 4096 bytes/]],
  ],
])('%s cannot keep %j', (vendor, tags, expected) => {
  expect(findTagProblems(vendor, tags).map(({ index, member, message }) => [index, member, message])).toEqual(
    expected.map(([index, member, message]) => [index, member, expect.stringMatching(message)]),
  )
})

test.each([
  ['Zürich', 'Z%C3%BCrich'],
  ['two\nlines', 'two%0Alines'],
  [' outer ', '%20outer%20'],
  ['\ud83d', ''],
  ['plain, text', 'plain, text'],
])('encodes the value %j as %j', (value, encoded) => {
  expect(toMetadataValue(value)).toBe(encoded)
})

test('a stored tag never replaces the metadata by which a recording is found', () => {
  expect(tagsAsMetadata([tag('accountSid', 'other'), tag('RECORDINGID'), tag('team', 'Zürich')])).toEqual({
    team: 'Z%C3%BCrich',
  })
})

test('tags are stored under the names that the check accepts, without outer spaces', () => {
  expect(tagsAsMetadata([tag(' team ', ' a '), tag(' CallSid ')])).toEqual({ team: '%20a%20' })
})

test('the metadata of a call and the tags fit into the 2 KB that S3 stores', () => {
  const sid = '9351f46a-678c-43f5-b8a6-d4eb58d131af'
  const long = 'ü'.repeat(1000)
  const metadata = {
    accountSid: sid,
    callSid: sid,
    applicationSid: sid,
    recordingId: `1767225600000-${sid}`,
    sampleRate: '8000',
    direction: 'inbound',
    from: long,
    to: long,
    callId: long,
    originatingSipIp: long,
    originatingSipTrunkName: long,
  }
  const stored = toCallMetadata(metadata)
  const bytes = Object.entries(stored).flat().join('').length
  expect(bytes).toBeLessThanOrEqual(1024)
  expect(stored).toMatchObject({ accountSid: sid, recordingId: metadata.recordingId, callSid: sid })
  expect(decodeURIComponent(stored['from'] ?? '')).toMatch(/^ü{21}$/)
})

test('a long value of a call is kept in 256 bytes if the others are short', () => {
  expect(toCallMetadata({ from: '1508', callId: 'x'.repeat(300) })).toEqual({ from: '1508', callId: 'x'.repeat(256) })
  expect(toCallMetadata({ from: `${'x'.repeat(254)}ü` })).toEqual({ from: 'x'.repeat(254) })
})

test('a credential with tags that its storage cannot keep is rejected, and names the tag', () => {
  const credential = { vendor: 'aws_s3', name: 'b', region: 'eu-west-1', access_key_id: 'a', secret_access_key: 's' }
  const result = bucketCredentialIn.safeParse({ ...credential, tags: [tag('ok'), tag('a b')] })
  expect(result.error?.issues).toMatchObject([
    { path: ['tags', 1, 'Key'], message: expect.stringContaining('S3 sends names in HTTP headers') },
  ])
  expect(bucketCredentialIn.safeParse({ ...credential, tags: [tag('ok')] }).success).toBe(true)
})
