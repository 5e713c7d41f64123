import { accountOfAws, roleOfAws, serverOfAws } from '@patchbay/testkit/speech/aws'
import { mp3 } from '@patchbay/testkit/speech/fake-vendor'
import { startFakeVendorServer } from '@patchbay/testkit/speech/fake-vendor-server'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createOutgoing } from '../outbound-http/outgoing.ts'
import type { SynthesisRequest } from './speech.ts'
import { testCredential } from './test-credential.ts'
import { aws } from './vendors/aws.ts'

/** AWS by each kind of credential (api/3-speech.md §2.3, §2.7.2), and its voices (§3.1). */

const vendorServer = await startFakeVendorServer()
afterAll(() => vendorServer.stop())

const outgoing = createOutgoing({ privateNetworks: [], vendorAddresses: vendorServer.addresses })

const userKeys = { access_key_id: 'AKIAUSEROFTESTS', secret_access_key: 'the secret of a user' }

/** The server as it is, unless a test says who it is. */
beforeEach(() => {
  const noOwner = '/nonexistent'
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', noOwner)
  vi.stubEnv('AWS_CONFIG_FILE', noOwner)
  vendorServer.taken()
})
afterEach(() => vi.unstubAllEnvs())

const serverIsKnown = () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', serverOfAws.id)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', serverOfAws.secret)
}

const half = async (which: 'tts' | 'stt', credential: object) =>
  testCredential('aws', which, { aws_region: 'us-east-1', aws_external_id: accountOfAws, ...credential }, outgoing)

const hostOf = { tts: 'polly', stt: 'transcribe' }

describe.each(['tts', 'stt'] as const)('%s', (which) => {
  const asked = expect.stringContaining(`https://${hostOf[which]}.us-east-1.amazonaws.com/`) as string

  test('is asked by the key that is stored', async () => {
    expect(await half(which, userKeys)).toEqual({ status: 'ok' })
    expect(vendorServer.taken()).toEqual([asked])
  })

  test('is asked as the role that is stored, which is assumed each time', async () => {
    serverIsKnown()
    const assumed = 'POST https://sts.us-east-1.amazonaws.com/'
    for (const _ of [1, 2]) {
      expect(await half(which, { role_arn: roleOfAws })).toEqual({ status: 'ok' })
      expect(vendorServer.taken()).toEqual([assumed, asked])
    }
  })

  test('is asked as the server itself where nothing is stored', async () => {
    serverIsKnown()
    expect(await half(which, {})).toEqual({ status: 'ok' })
    expect(vendorServer.taken()).toEqual([asked])
  })

  test.each([
    ['directly', {}],
    ['to assume a role', { role_arn: roleOfAws }],
  ])('does not use the identity of the server %s without consent', async (_how, credential) => {
    serverIsKnown()
    expect(await half(which, { ...credential, aws_external_id: null })).toEqual({
      status: 'fail',
      reason:
        'The service has no access key, and the operator does not allow the identity of the server (AWS_IDENTITY_FOR_SPEECH)',
    })
    expect(vendorServer.taken()).toEqual([])
  })

  test('assumes a role only with the external ID of the account', async () => {
    serverIsKnown()
    expect(await half(which, { role_arn: roleOfAws, aws_external_id: 'another account' })).toEqual({
      status: 'fail',
      reason: 'User is not authorized to perform: sts:AssumeRole (AccessDenied)',
    })
  })

  test('is not asked where the server has no identity', async () => {
    expect(await half(which, {})).toEqual({
      status: 'fail',
      reason: expect.stringContaining('Could not load credentials') as string,
    })
    expect(vendorServer.taken()).toEqual([])
  })

  test('is not asked as a role that may not be assumed', async () => {
    serverIsKnown()
    expect(await half(which, { role_arn: `${roleOfAws}-of-others` })).toEqual({
      status: 'fail',
      reason: 'User is not authorized to perform: sts:AssumeRole (AccessDenied)',
    })
  })
})

test('a key and a secret that do not fit are told in the words of the vendor', async () => {
  const outcome = async (more: object) => half('tts', { ...userKeys, ...more })
  expect(await outcome({ access_key_id: 'wrong' })).toEqual({
    status: 'fail',
    reason: 'The security token included in the request is invalid. (UnrecognizedClientException)',
  })
  expect(await outcome({ secret_access_key: 'wrong' })).toEqual({
    status: 'fail',
    reason: expect.stringContaining('signature we calculated does not match') as string,
  })
})

test('the region is the one that is stored, else the one of the server', async () => {
  vi.stubEnv('AWS_REGION', 'us-east-1')
  expect(await half('tts', { ...userKeys, aws_region: null })).toEqual({ status: 'ok' })
})

const asking = () => ({ outgoing, stop: new AbortController().signal })

const credential = { ...userKeys, aws_region: 'us-east-1' }

const spoken: [what: string, phrase: Partial<SynthesisRequest>][] = [
  ['text', { text: 'Hello' }],
  ['markup', { text: '<speak>Hello</speak>' }],
  ['by an engine', { text: 'Hello', engine: 'neural' }],
]

test.each(spoken)('speaks %s', async (_, phrase) => {
  const whole = { text: '', language: 'en-US', voice: 'Joanna', ...phrase }
  expect(await aws.synthesize?.(credential, whole, asking())).toEqual({ type: 'audio/mpeg', content: mp3 })
})

test('does not speak by an engine that is not there', async () => {
  const phrase = { text: 'Hello', language: 'en-US', voice: 'Joanna', engine: 'steam' }
  await expect(aws.synthesize?.(credential, phrase, asking())).rejects.toThrow('The request is not valid.')
})

const known = { tts: [{ value: 'cy-GB', name: 'Welsh', voices: [] }], stt: [{ value: 'en-US', name: 'US English' }] }

test('has the voices by language', async () => {
  expect(await aws.lists?.(credential, known, asking())).toEqual({
    stt: known.stt,
    tts: [
      {
        value: 'en-US',
        name: 'US English',
        voices: [
          { value: 'Joanna', name: 'Joanna (Female)' },
          { value: 'Matthew', name: 'Matthew (Male)' },
        ],
      },
      { value: 'de-DE', name: 'German', voices: [{ value: 'Hans', name: 'Hans (Male)' }] },
    ],
  })
})
