import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { bucketCredentialIn, type StorageCredential } from '@patchbay/contract/recording-storage'
import { startAzureServer } from '@patchbay/testkit/fakes/object-storage/azure'
import type { FakeStorage } from '@patchbay/testkit/fakes/object-storage/fake-storage'
import { startGoogleServer } from '@patchbay/testkit/fakes/object-storage/google'
import { startS3Server } from '@patchbay/testkit/fakes/object-storage/s3'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mebibyte } from '../outbound-http/transport.ts'
import type { Bucket } from './bucket.ts'
import { createObjectStorage } from './object-storage.ts'

/** Uploads of content whose size is not known before, to the fakes of all vendors. */

const signal = () => AbortSignal.timeout(60_000)
const content = randomBytes(20 * mebibyte + 7)

/** Returns the content in pieces of uneven size. Fails after `failAfter` bytes. */
async function* stream(bytes: Buffer, failAfter = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  for (let position = 0; position < bytes.length; position += 300_007) {
    if (position > failAfter) throw new Error('the database was lost')
    yield await Promise.resolve(bytes.subarray(position, position + 300_007))
  }
}

interface Vendor {
  credential: object
  vendorAddresses?: Readonly<Record<string, string>>
  /** Makes the next requests fail temporarily, with statuses after which a client repeats them. */
  failTemporarily(): void
  stop(): Promise<void>
}

const withFailures = (start: () => Promise<FakeStorage & Pick<Vendor, 'credential'>>) => async (): Promise<Vendor> => {
  const server = await start()
  return {
    credential: server.credential,
    failTemporarily: () => server.failures.push(503),
    stop: () => server.stop(),
  }
}

const startGoogle = async (): Promise<Vendor> => {
  const server = await startGoogleServer()
  return {
    credential: server.credential,
    vendorAddresses: server.vendorAddresses,
    failTemporarily: () => server.interruptions.push(308, 503),
    stop: () => server.stop(),
  }
}

describe.each<[string, () => Promise<Vendor>]>([
  ['S3', withFailures(startS3Server)],
  ['Azure', withFailures(startAzureServer)],
  ['Google', startGoogle],
])('%s', (_name, startVendor) => {
  let vendor: Vendor
  let bucket: Bucket
  beforeEach(async () => {
    vendor = await startVendor()
    const { vendorAddresses = {} } = vendor
    const credential = bucketCredentialIn.parse(vendor.credential) as StorageCredential
    const storage = createObjectStorage({ privateNetworks: [loopbackNetwork], vendorAddresses })
    bucket = await storage.open(credential, 60)
  })
  afterEach(() => vendor.stop())

  const read = async (): Promise<Buffer> =>
    buffer(await bucket.readPart('folder/key', { first: 0, last: content.length - 1 }, signal()))

  test('stores a stream of several parts', async () => {
    await bucket.uploadStream('folder/key', stream(content), signal())
    expect(await bucket.find('folder/key', signal())).toMatchObject({ size: content.length })
    expect((await read()).equals(content)).toBe(true)
  })

  test('repeats a part after a temporary failure', async () => {
    vendor.failTemporarily()
    await bucket.uploadStream('folder/key', stream(content), signal())
    expect((await read()).equals(content)).toBe(true)
  })

  test('has no object if the stream fails after its first parts', async () => {
    const upload = bucket.uploadStream('folder/key', stream(content, 18 * mebibyte), signal())
    await expect(upload).rejects.toThrow('the database was lost')
    expect(await bucket.find('folder/key', signal())).toBeUndefined()
  })
})
