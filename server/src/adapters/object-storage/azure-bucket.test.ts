import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AzureServer, startAzureServer } from '@patchbay/testkit/fakes/object-storage/azure'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { mebibyte } from '../outbound-http/transport.ts'
import { type Bucket, ObjectExistsError } from './bucket.ts'
import { createObjectStorage } from './object-storage.ts'

let folder: string
let azure: AzureServer
let bucket: Bucket
const signal = () => AbortSignal.timeout(60_000)
const tags = [
  { Key: 'cost-center', Value: '7' },
  { Key: '24/7', Value: 'yes' },
]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'patchbay-azure-'))
  azure = await startAzureServer()
  const storage = createObjectStorage({ privateNetworks: [loopbackNetwork] })
  const { name, connection_string } = azure.credential
  bucket = await storage.open({ vendor: 'azure', name, connection_string, tags }, 60)
})
afterEach(async () => {
  await azure.stop()
  await rm(folder, { recursive: true })
})

/** Uploads a file of this size. Returns its content. */
const upload = async (bytes: number): Promise<Buffer> => {
  const path = join(folder, 'recording')
  const content = Buffer.alloc(bytes, 'recording ')
  await writeFile(path, content)
  await bucket.upload('key', { path, type: 'audio/wav', metadata: { callSid: 'a' } }, signal())
  return content
}

test('uploads a large file in blocks, and commits them only if the blob does not exist', async () => {
  const content = await upload(17 * mebibyte)
  expect(azure.objects.get('key')?.content.equals(content)).toBe(true)
  expect(azure.requests).toHaveLength(4)
  await expect(upload(17 * mebibyte + 1)).rejects.toThrow(ObjectExistsError)
  expect(azure.objects.get('key')?.content.equals(content)).toBe(true)
})

test('uploads tags under names that Azure accepts', async () => {
  await upload(1)
  expect(azure.objects.get('key')?.metadata).toEqual({
    contentType: 'audio/wav',
    'x-ms-meta-callsid': 'a',
    'x-ms-meta-cost_center': '7',
    'x-ms-meta-_24_7': 'yes',
  })
})

test('repeats a request that Azure is too busy for, at most twice', async () => {
  azure.failures.push(503, 503)
  await upload(9 * mebibyte)
  expect(azure.requests).toHaveLength(5)
  azure.failures.push(503, 503, 503)
  await expect(bucket.find('key', signal())).rejects.toMatchObject({ statusCode: 503 })
  expect(azure.requests).toHaveLength(8)
  expect(await bucket.find('key', signal())).toMatchObject({ size: 9 * mebibyte })
})
