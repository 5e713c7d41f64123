import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Call } from '@patchbay/contract/recent-calls'
import type { StorageCredential } from '@patchbay/contract/recording-storage'
import { startGoogleServer } from '@patchbay/testkit/fakes/object-storage/google'
import { type Behavior, behaviorNames, behaviors, startHostilePeer } from '@patchbay/testkit/peers/hostile-peer'
import { afterAll, describe, test, vi } from 'vitest'
import { z } from 'zod'
import { createHomerCaptures } from '../../call-data/captures/homer-captures.ts'
import { createInfluxDb } from '../../call-data/influxdb/influxdb.ts'
import { createCloudWatchLogs } from '../../call-data/logs/cloudwatch-logs.ts'
import { createJaegerTraces } from '../../call-data/traces/jaeger-traces.ts'
import { createStripeBilling } from '../billing/stripe-billing.ts'
import { createDnsMadeEasy } from '../dns/dns-made-easy.ts'
import { createFeatureServer } from '../live-calls/feature-server.ts'
import type { Bucket } from '../object-storage/bucket.ts'
import { createObjectStorage } from '../object-storage/object-storage.ts'
import { createSignInProviders } from '../sign-in-providers/sign-in-providers.ts'
import { synthesizeSpeech } from '../speech/synthesize.ts'
import { aws, awsExternalId } from '../speech/vendors/aws.ts'
import { createOutgoing } from './outgoing.ts'
import { mebibyte } from './transport.ts'

/**
 * Tests every adapter of an external service against a misbehaving peer: it fails with its own error, quickly, and
 * without using much memory.
 */

const seconds = 0.25
const loopback = ['127.0.0.0/8']
/** Bytes that the operating system buffers per connection. */
const socketBuffers = 12 * mebibyte

const folder = mkdtempSync(join(tmpdir(), 'patchbay-hostile-'))
const path = join(folder, 'recording')
writeFileSync(path, Buffer.alloc(100_000))
const google = await startGoogleServer()
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await google.stop()
})

const call: Call = {
  call_sid: 'a',
  sip_callid: 'b',
  attempted_at: new Date().toISOString(),
  terminated_at: null,
} as Call

const influx = (origin: string) =>
  createInfluxDb(origin, seconds * 1000).search({
    measurement: 'cdrs',
    counted: ['duration'],
    search: { owner: { account_sid: 'a' }, page: 1, pageSize: 10 },
    conditions: [],
    params: {},
  })

const settings = (base: string) => ({ base, api: base, clientId: 'a', clientSecret: 'b', authorizeUrl: base })
const code = { code: 'a', redirect_uri: 'https://console.example.org/', code_verifier: undefined, nonce: undefined }
const signIn = (name: 'google' | 'github') => (origin: string) =>
  createSignInProviders({ google: settings(origin), github: settings(origin) }, { seconds })[name]?.identify(code)

const cloudWatch = async (origin: string) => {
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDWATCH_LOGS', origin)
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'a')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b')
  return createCloudWatchLogs('us-east-1', seconds).read(call)
}

const speech = (vendor: string, credential: object, host?: string) => (origin: string) => {
  const vendorAddresses = host === undefined ? {} : { [host]: origin }
  const outgoing = createOutgoing({ privateNetworks: loopback, vendorAddresses })
  const named = Object.fromEntries(
    Object.entries(credential).map(([name, value]) => [name, value === '' ? origin : value]),
  )
  return synthesizeSpeech(
    vendor,
    named,
    { text: 'a', language: 'en-US', voice: 'b' },
    { outgoing, asMp3: false, seconds },
  )
}

const awsRegion = 'us-east-1'

/** Tests speech recognition with Amazon, which first assumes the role that the credential may have. */
const listen = (origin: string, host: string, credential: object) => {
  const outgoing = createOutgoing({ privateNetworks: loopback, vendorAddresses: { [host]: origin } })
  return aws.testStt?.(
    { aws_region: awsRegion, ...credential },
    { outgoing, stop: AbortSignal.timeout(seconds * 1000) },
  )
}
const transcribe = (origin: string) =>
  listen(origin, `transcribe.${awsRegion}.amazonaws.com`, { access_key_id: 'a', secret_access_key: 'b' })
const assumeRole = (origin: string) => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'a')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b')
  return listen(origin, `sts.${awsRegion}.amazonaws.com`, { role_arn: 'arn:aws:iam::1:role/a', [awsExternalId]: 'c' })
}

const webhook = (origin: string) =>
  createOutgoing({ privateNetworks: loopback, vendorAddresses: {} }).send(origin, {
    stop: AbortSignal.timeout(seconds * 1000),
  })

const credentials: Readonly<Record<string, (origin: string) => object>> = {
  S3: (endpoint) => ({ vendor: 's3_compatible', endpoint, name: 'a', access_key_id: 'b', secret_access_key: 'c' }),
  Azure: (origin) => ({
    vendor: 'azure',
    name: 'a',
    connection_string: `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=Yg==;BlobEndpoint=${origin}/a`,
  }),
  Google: () => google.credential,
}

const operations: Readonly<Record<string, (bucket: Bucket, signal: AbortSignal) => Promise<unknown>>> = {
  upload: (bucket, signal) => bucket.upload('a', { path, type: 'audio/mp3', metadata: {} }, signal),
  write: (bucket, signal) => bucket.write('a', Buffer.from('b'), signal),
  find: (bucket, signal) => bucket.find('a', signal),
  read: (bucket, signal) => bucket.read('a', 1024, signal),
  readPart: async (bucket, signal) => buffer(await bucket.readPart('a', { first: 0, last: 99 }, signal)),
  remove: (bucket, signal) => bucket.remove('a', signal),
}

const storageCases = Object.entries(credentials).flatMap(([vendor, credentialFor]) =>
  Object.entries(operations).map(([operation, run]) => {
    const use = async (origin: string) => {
      const vendorAddresses = { 'storage.googleapis.com': origin, 'oauth2.googleapis.com': google.origin }
      const storage = createObjectStorage({ privateNetworks: loopback, vendorAddresses })
      // Each fixture matches the type of its vendor.
      const bucket = await storage.open(credentialFor(origin) as StorageCredential, seconds)
      // Reading is limited by the reader's time, not by that of a request.
      return run(bucket, AbortSignal.timeout(4 * seconds * 1000))
    }
    return [`${vendor} storage, ${operation}`, use, 1] as const
  }),
)

/** By name: the operation that uses the peer, and the number of megabytes that it accepts. */
const adapters: (readonly [string, (origin: string) => Promise<unknown> | undefined, number])[] = [
  ['InfluxDB', influx, 16],
  ['Jaeger', (origin) => createJaegerTraces(origin, seconds).read('0'.repeat(32)), 16],
  [
    'Homer',
    (base) => createHomerCaptures({ base, username: 'a', password: 'b' }, { timeoutSeconds: seconds }).read('c'),
    16,
  ],
  ['DNS Made Easy', (base) => createDnsMadeEasy({ base, key: 'a', secret: 'b' }, { seconds }).findZone('c.d'), 4],
  ['a feature server', (origin) => createFeatureServer(seconds * 1000).post([origin], 'v1/createCall', {}), 4],
  ['sign-in with Google', signIn('google'), 1],
  ['sign-in with GitHub', signIn('github'), 1],
  [
    'Stripe',
    (origin) => createStripeBilling({ origin, key: 'a', webhookSecret: 'b', timeoutMs: seconds * 1000 }).offers(),
    8,
  ],
  ['CloudWatch', cloudWatch, 8],
  ['a webhook', webhook, 4],
  ['a speech service of the account', speech('custom:mine', { custom_tts_url: '' }), 4],
  ['Deepgram', speech('deepgram', { api_key: 'a', deepgram_tts_uri: '' }), 4],
  ['Amazon Polly', speech('aws', { access_key_id: 'a', secret_access_key: 'b' }, 'polly.us-east-1.amazonaws.com'), 4],
  ['Amazon Transcribe', transcribe, 4],
  ['Amazon STS', assumeRole, 4],
  ...storageCases,
]

afterAll(() => vi.unstubAllEnvs())

/** Parser errors that the adapter has not converted to its own errors. */
const isUnexpected = (error: unknown) => error instanceof SyntaxError || error instanceof z.ZodError

// Most of the time is spent in waiting for time limits, so the adapters are tested at the same time.
describe.concurrent.each(adapters)('%s', (_, use, megabytes) => {
  test('ends quickly, closes its connections, and reads no more than its limit, whatever the peer does', async ({
    expect,
  }) => {
    let behavior: Behavior = behaviors['nothing at all']
    for (const name of behaviorNames) {
      const peer = await startHostilePeer(() => behavior)
      behavior = behaviors[name]
      const outcome = await Promise.resolve(use(peer.origin)).catch((error: unknown) => error)
      expect.soft(isUnexpected(outcome), `${name}: ${String(outcome)}`).toBe(false)
      await peer.untilAbandoned()
      const allowed = Math.max(1, peer.connections()) * (megabytes * mebibyte + socketBuffers)
      expect.soft(peer.bytesTaken(), name).toBeLessThan(allowed)
      // The storages of Google and Azure retry twice. Homer and GitHub need more than one request.
      expect.soft(peer.connections(), name).toBeLessThanOrEqual(3)
      await peer.stop()
    }
  })
})
