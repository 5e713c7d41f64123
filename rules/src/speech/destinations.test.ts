import { vendors } from '@patchbay/contract/speech/catalogue'
import type { Stored, Vendor } from '@patchbay/contract/speech/descriptor'
import { describe, expect, test } from 'vitest'
import { maskKey } from '../masking/masking.ts'
import { changedStored } from './credential.ts'
import { newDestination } from './destinations.ts'

const uses = { tts: true, stt: true }
const secret = 'the-secret-of-the-service'

/** Vendors with secrets and a configurable address. */
const movable = vendors.flatMap((vendor): [string, Vendor, string, string][] => {
  const secrets = vendor.parts.filter(({ kind }) => kind === 'secret').map(({ name }) => name)
  const addresses = vendor.parts.filter(({ kind, name }) => kind === 'text' && /_ur[il]$/.test(name))
  const [first] = secrets
  return first === undefined ? [] : addresses.map(({ name }) => [`${vendor.vendor} ${name}`, vendor, name, first])
})

const scheme = (address: string): string => (/^custom_.*stt|streaming|houndify/.test(address) ? 'wss:' : 'https:')
const filled = (vendor: Vendor): Stored =>
  Object.fromEntries(
    vendor.parts.filter(({ kind }) => kind !== 'question').map(({ name }) => [name, name === 'options' ? '{}' : 'x']),
  )

test('knows the vendors that run on premises', () => {
  const names = new Set(movable.map(([, { vendor }]) => vendor))
  for (const vendor of ['custom', 'deepgram', 'microsoft', 'resemble', 'speechmatics', 'playht', 'houndify', 'nuance'])
    expect(names).toContain(vendor)
})

describe.each(movable)('%s', (_, vendor, address, name) => {
  const secrets = vendor.parts.filter(({ kind }) => kind === 'secret').map((part) => [part.name, secret])
  const before: Stored = {
    ...filled(vendor),
    ...Object.fromEntries(secrets),
    [address]: `${scheme(address)}//speech.example.com/v1`,
  }
  const change = (body: Stored) => changedStored(vendor, before, { ...before, ...body }, uses)
  const moved = `${scheme(address)}//attacker.example`

  test.each([
    ['without the secret', undefined],
    ['with an empty secret', ''],
    ['with the mask of the secret', maskKey(secret)],
  ])('refuses to move to a new host %s', (_how, newSecret) => {
    expect(change({ [address]: moved, [name]: newSecret })).toMatchObject({
      field: name,
      fault: `${name} must be sent again, because the service moves to a new host: attacker.example`,
    })
  })

  test('moves to a new host with its secret, which replaces the stored one', () => {
    expect(change({ [address]: moved, [name]: 'a new secret' })).toMatchObject({
      stored: { [address]: moved, [name]: 'a new secret' },
    })
  })

  test('keeps the secret on the same host', () => {
    const path = `${scheme(address)}//SPEECH.example.com/v2`
    expect(change({ [address]: path, [name]: undefined })).toMatchObject({
      stored: { [address]: path, [name]: secret },
    })
  })

  test('treats another port, an unencrypted connection, and a user name as a new host', () => {
    const after = (text: string) => newDestination(vendor, before, { ...before, [address]: text })
    expect(after(`${scheme(address)}//speech.example.com:8443/`)).toBe('speech.example.com:8443')
    expect(after('http://speech.example.com/')).toBe('http://speech.example.com')
    expect(after(`${scheme(address)}//speech.example.com@attacker.example/`)).toBe('attacker.example')
  })
})

test('treats the vendor’s own options as known hosts, and other values as new hosts', () => {
  const microsoft = vendors.find(({ vendor }) => vendor === 'microsoft')
  const deepgram = vendors.find(({ vendor }) => vendor === 'deepgram')
  if (!microsoft || !deepgram) throw new Error('the catalogue has changed')
  const findNewHost = (region: string) => newDestination(microsoft, { region: 'eastus' }, { region })
  expect(findNewHost('westeurope')).toBeUndefined()
  expect(findNewHost('attacker.example/#')).toBe('attacker.example')
  expect(newDestination(deepgram, {}, { deepgram_stt_uri: 'api.eu.deepgram.com' })).toBeUndefined()
})
