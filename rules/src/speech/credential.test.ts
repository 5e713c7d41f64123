import { findVendor, namedVendor, vendors } from '@patchbay/contract/speech/catalogue'
import type { Stored, Vendor } from '@patchbay/contract/speech/descriptor'
import { describe, expect, test } from 'vitest'
import {
  changedStored,
  newStored,
  selectParts,
  toCredentialMembers,
  toCredentialValues,
  toResponseMembers,
  type Uses,
  validateCredential,
} from './credential.ts'
import { vendorName } from './names.ts'

/** Returns the vendor with this name. */
const getVendor = (name: string): Vendor => {
  const vendor = findVendor(name)
  if (vendor === undefined) throw new Error(`no ${name}`)
  return vendor
}

const allUses: Uses[] = [
  { tts: true, stt: false },
  { tts: false, stt: true },
  { tts: true, stt: true },
]

const serviceKey = JSON.stringify({
  type: 'service_account',
  project_id: 'a-project',
  private_key: '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq-the-secret-part\n-----END PRIVATE KEY-----\n',
  client_email: 'speech@a-project.iam.gserviceaccount.com',
})

const shaped: Readonly<Record<string, string>> = {
  url: 'https://speech.example.org/v1',
  websocket: 'wss://speech.example.org/v1',
  host: 'speech.example.org',
  'host-port': 'speech.example.org:5000',
}

/** Fills in all fields that the form displays for these answers. */
const fillForm = (vendor: Vendor, answers: Readonly<Record<string, string | boolean>>, uses: Uses) => {
  const values: Record<string, string | boolean> = { ...answers }
  for (const part of selectParts(vendor, answers, uses).parts)
    if (part.kind === 'text') values[part.name] = part.shape ? (shaped[part.shape] ?? '') : `${part.name} of the tests`
    else if (part.kind === 'secret') values[part.name] = `secret ${part.name} of the tests`
    else if (part.kind === 'flag') values[part.name] = true
    else if (part.kind === 'choice') values[part.name] = part.options.at(-1)?.value ?? ''
    else if (part.kind === 'model') values[part.name] = 'a-model'
    else if (part.kind === 'file') values[part.name] = serviceKey
    else if (part.kind === 'options') values[part.name] = JSON.stringify(part.defaults)
  return values
}

/** Returns every combination of answers to a vendor's questions. */
const combineAnswers = (vendor: Vendor): Record<string, string | boolean>[] =>
  vendor.parts.reduce<Record<string, string | boolean>[]>(
    (ways, part) =>
      part.kind === 'question'
        ? ways.flatMap((way) =>
            (part.answers?.map(({ value }) => value) ?? [true, false]).map((answer) => ({
              ...way,
              [part.name]: answer,
            })),
          )
        : ways,
    [{}],
  )

const ways = vendors.flatMap((vendor) =>
  combineAnswers(vendor).flatMap((answers) =>
    allUses
      .filter(({ tts, stt }) => (!tts || vendor.tts) && (!stt || vendor.stt))
      .map((uses): [string, Vendor, Record<string, string | boolean>, Uses] => [
        `${vendor.vendor} ${JSON.stringify({ ...answers, ...uses })}`,
        vendor,
        answers,
        uses,
      ]),
  ),
)

const findSecretSuffixes = (vendor: Vendor, stored: Stored): string[] =>
  vendor.parts.flatMap((part) =>
    part.kind === 'secret'
      ? [(stored[part.name] as string | undefined) ?? '']
          .map((secret) => secret.slice(6))
          .filter((secret) => secret !== '')
      : part.kind === 'file'
        ? ['the-secret-part']
        : [],
  )

const storedFor = (vendor: Vendor, values: Readonly<Record<string, string | boolean>>, uses: Uses): Stored => {
  const result = newStored(vendor, toCredentialMembers(vendor, values, uses, false), uses)
  if ('fault' in result) throw new Error(result.fault)
  return result.stored
}

describe.each(ways)('%s', (_, vendor, answers, uses) => {
  const values = fillForm(vendor, answers, uses)

  test('accepts a completed form on the server', () => {
    expect(validateCredential(vendor, values, uses, false)).toEqual({})
    const { parts } = selectParts(vendor, values, uses)
    expect(newStored(vendor, toCredentialMembers(vendor, values, uses, false), uses)).toHaveProperty('stored')
    expect(parts.every(({ unasked }) => !unasked)).toBe(true)
  })

  test('shows the stored values in the form, and keeps them on a second save', () => {
    const stored = storedFor(vendor, values, uses)
    const again = toCredentialValues(vendor, stored)
    const { parts, facts } = selectParts(vendor, values, uses)
    // The API returns only the public members of a file.
    const names = parts.filter(({ kind }) => kind !== 'file').map(({ name }) => name)
    expect(names.map((name) => again[name])).toEqual(names.map((name) => facts[name]))
    expect(changedStored(vendor, stored, toCredentialMembers(vendor, again, uses, true), uses)).toEqual({ stored })
  })

  test('masks secrets in responses, and keeps them on a change', () => {
    const stored = storedFor(vendor, values, uses)
    const secrets = findSecretSuffixes(vendor, stored)
    const toOwner = JSON.stringify(toResponseMembers(vendor, stored, true))
    const toOthers = JSON.stringify(toResponseMembers(vendor, stored, false))
    for (const secret of secrets) {
      expect(toOwner).not.toContain(secret)
      expect(toOthers).not.toContain(secret)
    }
    const secretNames = vendor.parts.filter(({ kind }) => kind === 'secret' || kind === 'file').map(({ name }) => name)
    expect(Object.keys(toResponseMembers(vendor, stored, false)).filter((name) => secretNames.includes(name))).toEqual(
      [],
    )
    // Other clients send back what they have read, including masks. The second body has an arbitrary text for every
    // member.
    const isAddress = (name: string) => /(?:_ur[il]|region)$/.test(name)
    const forged = Object.fromEntries(
      vendor.parts.map(({ name }) => [name, isAddress(name) ? stored[name] : 'something else']),
    )
    for (const body of [toResponseMembers(vendor, stored, true), forged]) {
      const changed = changedStored(vendor, stored, body, uses)
      expect(changed).toHaveProperty('stored')
      expect(findSecretSuffixes(vendor, 'stored' in changed ? changed.stored : {})).toEqual(secrets)
    }
  })
})

describe('required form fields', () => {
  const missing = (name: string, values: Record<string, string | boolean>, uses: Uses) => {
    const vendor = getVendor(name)
    return Object.keys(validateCredential(vendor, { ...toCredentialValues(vendor), ...values }, uses, false))
  }
  const both = { tts: true, stt: true }
  const tts = { tts: true, stt: false }
  const stt = { tts: false, stt: true }

  test.each<[string, string, Record<string, string | boolean>, Uses, string[]]>([
    [
      'an access key',
      'aws',
      { credential_type: 'access_key' },
      both,
      ['access_key_id', 'secret_access_key', 'aws_region'],
    ],
    ['a role', 'aws', { credential_type: 'assume_role' }, both, ['role_arn', 'aws_region']],
    ['an instance profile', 'aws', { credential_type: 'instance_profile' }, both, ['aws_region']],
    ['a key file', 'google', {}, both, ['service_key']],
    ['hosted', 'microsoft', {}, both, ['region', 'api_key']],
    ['containers', 'microsoft', { place: 'on_premise' }, both, ['custom_tts_endpoint_url', 'custom_stt_endpoint_url']],
    ['containers', 'microsoft', { place: 'on_premise' }, tts, ['custom_tts_endpoint_url']],
    ['a custom voice', 'microsoft', { custom_voice: true }, both, ['region', 'api_key', 'custom_tts_endpoint']],
    ['custom speech', 'microsoft', { custom_speech: true }, both, ['region', 'api_key', 'custom_stt_endpoint']],
    ['a custom voice without its use', 'microsoft', { custom_voice: true }, stt, ['region', 'api_key']],
    ['hosted', 'deepgram', {}, both, ['api_key']],
    ['containers', 'deepgram', { place: 'on_premise' }, both, ['deepgram_stt_uri', 'deepgram_tts_uri']],
    ['both halves', 'ibm', {}, both, ['tts_region', 'tts_api_key', 'stt_region', 'stt_api_key', 'instance_id']],
    ['one half', 'ibm', {}, tts, ['tts_region', 'tts_api_key']],
    ['hosted', 'nuance', {}, both, ['client_id', 'secret']],
    ['one container', 'nuance', { on_premise_tts: true }, both, ['nuance_tts_uri']],
    ['either address', 'custom', {}, tts, ['custom_tts_url']],
    ['streaming alone', 'custom', { custom_tts_streaming_url: 'wss://a.example' }, tts, []],
    ['recognition', 'custom:acme', {}, stt, ['custom_stt_url']],
    ['models', 'cartesia', {}, both, ['api_key', 'model_id', 'stt_model_id']],
    ['one model', 'cartesia', {}, stt, ['api_key', 'stt_model_id']],
    ['hosted', 'playht', {}, tts, ['user_id', 'api_key', 'voice_engine']],
    ['a container', 'playht', { place: 'on_premise' }, tts, ['playht_tts_uri', 'user_id', 'api_key', 'voice_engine']],
    ['an endpoint', 'speechmatics', {}, stt, ['api_key', 'speechmatics_stt_uri']],
    ['verbio', 'verbio', {}, both, ['client_id', 'client_secret']],
    ['a region', 'gladia', {}, stt, ['api_key', 'region']],
  ])('SPEECH-19 %s: %s %j %j requires %j', (_, name, values, uses, expected) => {
    expect(missing(name === 'custom' ? 'custom:x' : name, values, uses)).toEqual(expected)
  })

  test.each([
    ['elevenlabs', 'options', '{"speed": 1}', undefined],
    ['elevenlabs', 'options', '{"speed": 1', 'Must be a JSON object'],
    ['elevenlabs', 'options', '[1]', 'Must be a JSON object'],
    ['elevenlabs', 'options', '', undefined],
    ['google', 'service_key', '{}', 'Choose a JSON file with private_key and client_email'],
    ['google', 'service_key', '{"private_key":"x"}', 'Choose a JSON file with private_key and client_email'],
    ['nuance', 'nuance_tts_uri', 'nuance.example.org', 'Must be host:port'],
    ['nuance', 'nuance_tts_uri', 'nuance.example.org:1234567', 'Must be host:port'],
    ['nuance', 'nuance_tts_uri', 'nuance.example.org:123456', undefined],
    ['nuance', 'nuance_tts_uri', '[2001:db8::1]:80', undefined],
    ['custom:x', 'custom_tts_url', 'wss://x.example', 'Must be a URL that starts with http:// or https://'],
    ['custom:x', 'custom_stt_url', 'https://x.example', 'Must be a URL that starts with ws:// or wss://'],
  ])('SPEECH-11 %s: validates %s %j: %s', (name, field, text, fault) => {
    const vendor = getVendor(name)
    const answers = { on_premise_tts: true }
    const values = { ...fillForm(vendor, answers, both), [field]: text }
    expect(validateCredential(vendor, values, both, false)[field]).toBe(fault)
  })

  test('SPEECH-53 treats a stored flag greater than zero as on, whatever its type', () => {
    const microsoft = getVendor('microsoft')
    const isOn = (use_custom_tts: unknown) => toCredentialValues(microsoft, { use_custom_tts })['custom_voice']
    expect([1, '1', true, 2].map(isOn)).toEqual([true, true, true, true])
    expect([0, '0', false, null, undefined].map(isOn)).toEqual([false, false, false, false, false])
  })
})

describe('members required by the API', () => {
  test.each([
    ['deepgram', {}, 'invalid deepgram speech credential: api_key is required'],
    ['deepgram', { deepgram_stt_uri: 'a:1', deepgram_tts_uri: 'http://a' }, undefined],
    ['microsoft', { api_key: 'k' }, 'invalid azure speech credential: region is required'],
    ['microsoft', { custom_stt_endpoint_url: 'http://a' }, undefined],
    ['elevenlabs', { api_key: 'k' }, 'invalid elevenLabs speech credential: model_id is required'],
    ['nvidia', {}, 'invalid riva server uri: riva_server_uri is required'],
    ['google', {}, 'invalid json key: service_key is required'],
    ['google', { service_key: 'no' }, 'invalid google service account key - not JSON'],
    ['google', { service_key: '{"client_email":"a"}' }, 'invalid google service account key - not JSON'],
    ['aws', {}, undefined],
    ['gladia', {}, undefined],
  ])('%s with %j: %s', (name, body, fault) => {
    const vendor = getVendor(name)
    const result = newStored(vendor, body, { tts: true, stt: true })
    expect('fault' in result ? result.fault : undefined).toBe(fault)
  })

  test('drops members of other vendors and empty AWS keys', () => {
    const aws = getVendor('aws')
    const body = { access_key_id: '', role_arn: 'arn', aws_region: 'eu-west-1', api_key: 'k', vendor: 'aws' }
    expect(newStored(aws, body, { tts: true, stt: true })).toEqual({
      stored: { role_arn: 'arn', aws_region: 'eu-west-1' },
    })
  })

  test('stores the Google model in the key, and removes it when it is emptied', () => {
    const google = getVendor('google')
    const uses = { tts: true, stt: true }
    const result = newStored(google, { service_key: serviceKey, model_id: 'gemini' }, uses)
    const stored = 'stored' in result ? result.stored : {}
    expect(stored).toEqual({ ...(JSON.parse(serviceKey) as object), model_id: 'gemini' })
    expect(changedStored(google, stored, {}, uses)).toEqual({ stored })
    expect(changedStored(google, stored, { model_id: null }, uses)).toEqual({
      stored: JSON.parse(serviceKey) as object,
    })
    expect(JSON.parse(String(toResponseMembers(google, stored, true)['service_key']))).toEqual({
      ...(JSON.parse(serviceKey) as object),
      private_key: expect.stringMatching(/^-----BEGIN PRIVATE KEY-----\nMIIEvQX+$/) as string,
    })
  })
})

test('returns a display name for every vendor, and the given name for custom vendors', () => {
  for (const { vendor } of vendors) expect(vendorName(vendor)).not.toBe(vendor)
  expect(vendorName(namedVendor('acme'))).toBe('acme')
  expect(vendorName('constructor')).toBe('constructor')
  expect(findVendor('custom:acme')?.vendor).toBe('custom')
  expect(findVendor('custom')).toBeUndefined()
  expect(findVendor('nobody')).toBeUndefined()
  const names = vendors.map(({ vendor }) => vendorName(vendor))
  expect(names).toEqual(names.toSorted((one, other) => one.localeCompare(other)))
})
