import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GoogleServer, startGoogleServer } from '@patchbay/testkit/fakes/object-storage/google'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mebibyte } from '../outbound-http/transport.ts'
import { type Bucket, ObjectExistsError } from './bucket.ts'
import { createObjectStorage } from './object-storage.ts'

let folder: string
let google: GoogleServer
let bucket: Bucket
const signal = () => AbortSignal.timeout(60_000)

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'patchbay-google-'))
  google = await startGoogleServer()
  const { vendorAddresses, credential } = google
  const storage = createObjectStorage({ privateNetworks: [loopbackNetwork], vendorAddresses })
  const { name, service_key } = credential
  bucket = await storage.open({ vendor: 'google', name, service_key, tags: [] }, 60)
})
afterEach(async () => {
  await google.stop()
  await rm(folder, { recursive: true })
})

const content = Buffer.alloc(2 * mebibyte + 7, 'recording ')
const upload = async () => {
  const path = join(folder, 'recording')
  await writeFile(path, content)
  await bucket.upload('key', { path, type: 'audio/wav', metadata: {} }, signal())
}
const isStored = () => google.objects.get('key')?.content.equals(content) ?? false
const countUploads = () => google.requests.filter((request) => request.startsWith('PUT')).length

describe('an upload', () => {
  test.each([308, 503] as const)('resumes after the stored part if Google answers %i', async (status) => {
    google.interruptions.push(status)
    await upload()
    expect(isStored()).toBe(true)
    // The content, the question how much is stored, and the rest of the content.
    expect(countUploads()).toBe(3)
    await expect(upload()).rejects.toThrow(ObjectExistsError)
  })

  test('starts again if Google has stored nothing, and fails after three attempts', async () => {
    google.interruptions.push(503, 503, 503)
    await expect(bucket.write('key', Buffer.from('x'), signal())).rejects.toThrow('Backend Error')
    expect([countUploads(), google.objects.size]).toEqual([5, 0])
    google.interruptions.push(503)
    await bucket.write('key', Buffer.from('x'), signal())
    expect(google.objects.get('key')?.content.toString()).toBe('x')
  })

  test('accepts an empty recording', async () => {
    await bucket.write('key', Buffer.alloc(0), signal())
    expect(google.objects.get('key')?.content).toHaveLength(0)
  })
})

test('gets a new token once if Google revokes one', async () => {
  await upload()
  google.expireTokens()
  expect(await bucket.find('key', signal())).toMatchObject({ size: content.length })
  google.expireTokens()
  await bucket.write('other', Buffer.from('x'), signal())
  expect(google.requests.filter((request) => request === 'POST /token')).toHaveLength(3)
  google.failures.push(401, 401)
  await expect(bucket.find('key', signal())).rejects.toThrow('Try again later.')
})

test.each([429, 503] as const)('repeats a request that Google answers with %i, at most twice', async (status) => {
  await upload()
  google.failures.push(status, status)
  expect(await bucket.find('key', signal())).toMatchObject({ size: content.length })
  google.requests.length = 0
  google.failures.push(status, status, status)
  await expect(bucket.find('key', signal())).rejects.toThrow('Try again later.')
  expect(google.requests).toHaveLength(3)
})
