import { accountOfAws, roleOfAws, serverOfAws } from '@patchbay/testkit/fakes/speech/aws'
import { connectFakeVendors } from '@patchbay/testkit/fakes/speech/connect-fake-vendors'
import { mp3 } from '@patchbay/testkit/fakes/speech/fake-vendor'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { SynthesisRequest } from './speech.ts'
import { testCredential } from './test-credential.ts'
import { aws } from './vendors/aws.ts'

/**
 * AWS with each kind of credential (docs/reference/platform-api/speech-vendor-requests.md#credentials-of-the-vendors),
 * and its voices (docs/reference/platform-api/speech-vendor-requests.md#voice-lists).
 */

const { vendorServer, outgoing } = await connectFakeVendors()

const userKeys = { access_key_id: 'AKIAUSEROFTESTS', secret_access_key: 'the secret of a user' }

/** By default the server has no AWS identity of its own. */
beforeEach(() => {
  const missingFile = '/nonexistent'
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', missingFile)
  vi.stubEnv('AWS_CONFIG_FILE', missingFile)
  vendorServer.taken()
})
afterEach(() => vi.unstubAllEnvs())

const giveServerIdentity = () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', serverOfAws.id)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', serverOfAws.secret)
}

const testHalf = async (which: 'tts' | 'stt', credential: object) =>
  testCredential('aws', which, { aws_region: 'us-east-1', aws_external_id: accountOfAws, ...credential }, outgoing)

const hosts = { tts: 'polly', stt: 'transcribe' }

describe.each(['tts', 'stt'] as const)('%s', (which) => {
  const expectedRequest = expect.stringContaining(`https://${hosts[which]}.us-east-1.amazonaws.com/`) as string

  test('uses the stored access key', async () => {
    expect(await testHalf(which, userKeys)).toEqual({ status: 'ok' })
    expect(vendorServer.taken()).toEqual([expectedRequest])
  })

  test('assumes the stored role for each request', async () => {
    giveServerIdentity()
    const assumeRoleRequest = 'POST https://sts.us-east-1.amazonaws.com/'
    for (const _ of [1, 2]) {
      expect(await testHalf(which, { role_arn: roleOfAws })).toEqual({ status: 'ok' })
      expect(vendorServer.taken()).toEqual([assumeRoleRequest, expectedRequest])
    }
  })

  test('uses the identity of the server if no key or role is stored', async () => {
    giveServerIdentity()
    expect(await testHalf(which, {})).toEqual({ status: 'ok' })
    expect(vendorServer.taken()).toEqual([expectedRequest])
  })

  test.each([
    ['directly', {}],
    ['to assume a role', { role_arn: roleOfAws }],
  ])("does not use the identity of the server %s without the operator's consent", async (_how, credential) => {
    giveServerIdentity()
    expect(await testHalf(which, { ...credential, aws_external_id: null })).toEqual({
      status: 'fail',
      reason:
        'The service has no access key, and the operator does not allow the identity of the server (AWS_IDENTITY_FOR_SPEECH)',
    })
    expect(vendorServer.taken()).toEqual([])
  })

  test('assumes a role only with the external ID of the account', async () => {
    giveServerIdentity()
    expect(await testHalf(which, { role_arn: roleOfAws, aws_external_id: 'another account' })).toEqual({
      status: 'fail',
      reason: 'User is not authorized to perform: sts:AssumeRole (AccessDenied)',
    })
  })

  test('sends no request if the server has no identity', async () => {
    expect(await testHalf(which, {})).toEqual({
      status: 'fail',
      reason: expect.stringContaining('Could not load credentials') as string,
    })
    expect(vendorServer.taken()).toEqual([])
  })

  test('fails if the role cannot be assumed', async () => {
    giveServerIdentity()
    expect(await testHalf(which, { role_arn: `${roleOfAws}-of-others` })).toEqual({
      status: 'fail',
      reason: 'User is not authorized to perform: sts:AssumeRole (AccessDenied)',
    })
  })
})

test("reports a wrong access key or secret with the vendor's message", async () => {
  const outcome = async (more: object) => testHalf('tts', { ...userKeys, ...more })
  expect(await outcome({ access_key_id: 'wrong' })).toEqual({
    status: 'fail',
    reason: 'The security token included in the request is invalid. (UnrecognizedClientException)',
  })
  expect(await outcome({ secret_access_key: 'wrong' })).toEqual({
    status: 'fail',
    reason: expect.stringContaining('signature we calculated does not match') as string,
  })
})

test('uses the stored region, or else the region of the server', async () => {
  vi.stubEnv('AWS_REGION', 'us-east-1')
  expect(await testHalf('tts', { ...userKeys, aws_region: null })).toEqual({ status: 'ok' })
})

const createContext = () => ({ outgoing, stop: new AbortController().signal })

const credential = { ...userKeys, aws_region: 'us-east-1' }

const phrases: [what: string, phrase: Partial<SynthesisRequest>][] = [
  ['text', { text: 'Hello' }],
  ['markup', { text: '<speak>Hello</speak>' }],
  ['by an engine', { text: 'Hello', engine: 'neural' }],
]

test.each(phrases)('synthesizes %s', async (_, phrase) => {
  const request = { text: '', language: 'en-US', voice: 'Joanna', ...phrase }
  expect(await aws.synthesize?.(credential, request, createContext())).toEqual({ type: 'audio/mpeg', content: mp3 })
})

test('fails for an unknown engine', async () => {
  const phrase = { text: 'Hello', language: 'en-US', voice: 'Joanna', engine: 'steam' }
  await expect(aws.synthesize?.(credential, phrase, createContext())).rejects.toThrow('The request is not valid.')
})

const staticLists = {
  tts: [{ value: 'cy-GB', name: 'Welsh', voices: [] }],
  stt: [{ value: 'en-US', name: 'US English' }],
}

test('lists the voices by language', async () => {
  expect(await aws.lists?.(credential, staticLists, createContext())).toEqual({
    stt: staticLists.stt,
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
