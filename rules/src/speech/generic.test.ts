import { speechCredential } from '@patchbay/contract/speech-credentials'
import { describe, expect, test } from 'vitest'
import { vendorChoices } from './choices.ts'
import { toResponseMembers, withNewKeys } from './credential.ts'
import {
  credentialColumns,
  describeVendor,
  genericFields,
  newGenericMembers,
  validateFieldName,
  validateVendorName,
} from './generic.ts'

/** Vendors that Patchbay does not know. */

test('a known vendor keeps its descriptor, and an unknown one gets the fields of its credential', () => {
  expect(describeVendor('deepgram', { other: 'x' }).parts.map(({ name }) => name)).not.toContain('other')
  const vendor = describeVendor('fishaudio', { api_key: 'k', region: 'eu' })
  expect(vendor.parts.map(({ name, kind, locked }) => [name, kind, locked])).toEqual([
    ['api_key', 'secret', true],
    ['region', 'secret', true],
  ])
})

test('each value of an unknown vendor is masked completely, unless it is a flag or null', () => {
  const stored = { key: 'geheim', pin: 4711, nested: { key: 'geheim' }, list: ['geheim'], streaming: true, none: null }
  expect(toResponseMembers(describeVendor('fishaudio', stored), stored, true)).toEqual({
    key: '********',
    pin: '********',
    nested: '********',
    list: '********',
    streaming: true,
    none: null,
  })
  expect(toResponseMembers(describeVendor('fishaudio', stored), stored, false)).toEqual({})
})

test('the mask of a field is not accepted as its new value', () => {
  const stored = { api_key: 'k' }
  const vendor = describeVendor('fishaudio', stored)
  expect(withNewKeys(vendor, stored, { api_key: '********' })).toMatchObject({ field: 'api_key' })
  expect(withNewKeys(vendor, stored, { api_key: 'n' })).toEqual({ stored: { api_key: 'n' } })
})

describe('a new credential', () => {
  test('has its members without empty ones and columns', () => {
    const body = { api_key: 'k', model_id: '', options: null, created_at: 'x', streaming: false }
    expect(newGenericMembers('fishaudio', body, 10)).toEqual({ members: { api_key: 'k', streaming: false } })
  })

  test.each([
    [{}, 'a field is required'],
    [Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`f${at}`, 'x'])), 'at most 32 fields'],
    [{ 'a.b': 'x' }, 'a.b'],
    [{ ['__proto__']: 'x' }, '__proto__'],
    [{ key: ['x'] }, 'key must be text'],
    [{ key: 'x'.repeat(11) }, 'at most 10'],
  ])('with %j is rejected', (body, message) => {
    expect(newGenericMembers('fishaudio', body, 10)).toMatchObject({
      fault: expect.stringContaining(message) as unknown,
    })
  })
})

test('names of vendors are those of the platform', () => {
  for (const name of ['fishaudio', 'mistral', 'acme-2']) expect(validateVendorName(name)).toBeUndefined()
  for (const name of ['', 'Fish', 'custom', 'custom:', 'other', 'a b', '2go'])
    expect(validateVendorName(name)).toBeDefined()
})

test('columns of a credential are not names of fields', () => {
  expect(credentialColumns.toSorted()).toEqual(speechCredential.keyof().options.toSorted())
  expect(validateFieldName('label')).toBe('label is a setting of the service')
  expect(genericFields({ vendor: 'v', label: 'l', api_key: 'k', 'a.b': 'x' })).toEqual({ api_key: 'k' })
})

test('applications can select the unknown vendors of the existing credentials', () => {
  const credential = { account_sid: null, vendor: 'fishaudio', label: null, use_for_tts: 1, use_for_stt: 0 } as const
  expect(vendorChoices('tts', [credential, credential]).filter(({ value }) => value === 'fishaudio')).toEqual([
    { value: 'fishaudio', name: 'fishaudio' },
  ])
  expect(vendorChoices('stt', [credential]).map(({ value }) => value)).not.toContain('fishaudio')
})

test('Giggy and Paxa synthesize speech, and ElevenLabs recognizes it', () => {
  expect(vendorChoices('tts', []).map(({ value }) => value)).toEqual(expect.arrayContaining(['giggy', 'paxa']))
  expect(vendorChoices('stt', []).map(({ value }) => value)).toContain('elevenlabs')
})
