import { createHash } from 'node:crypto'
import { ContainerClient, RestError } from '@azure/storage-blob'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AzureServer, startAzureServer } from './azure.ts'

let server: AzureServer
let container: ContainerClient

beforeAll(async () => {
  server = await startAzureServer()
  const { connection_string, name } = server.credential
  container = new ContainerClient(connection_string, name, { retryOptions: { maxTries: 1 } })
})
afterAll(() => server.stop())
beforeEach(() => server.objects.clear())

test('rejects requests without a version, a date, or a signature, and requests from another time', async () => {
  const send = async (headers: Record<string, string>) => {
    const response = await fetch(`${server.origin}/recorder/recordings/object`, { headers })
    return [response.status, /<Message>([^<]+)/.exec(await response.text())?.[1]]
  }
  const version = { 'x-ms-version': '2026-02-06' }
  const authorization = 'SharedKey recorder:bm8gc2lnbmF0dXJl'
  const now = new Date().toUTCString()
  const tooOld = [403, 'Request date header too old.']
  expect((await send({ 'x-ms-date': now }))[0]).toBe(400)
  expect((await send({ 'x-ms-date': now, 'x-ms-version': 'latest' }))[0]).toBe(400)
  expect(await send({ ...version, authorization })).toEqual(tooOld)
  const past = new Date(Date.now() - 16 * 60_000).toUTCString()
  expect(await send({ ...version, authorization, 'x-ms-date': past })).toEqual(tooOld)
  const unauthenticated = 'Server failed to authenticate the request.'
  expect(await send({ ...version, 'x-ms-date': now })).toEqual([401, unauthenticated])
  expect(await send({ ...version, authorization, 'x-ms-date': now })).toEqual([403, unauthenticated])
})

/** Returns the error code of a request that Azure rejects. */
const getRejection = async (request: Promise<unknown>): Promise<unknown> => {
  const error: unknown = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof RestError ? [error.statusCode, error.code] : error
}

describe('uploads', () => {
  const id = (text: string) => Buffer.from(text).toString('base64')

  test('are assembled from the committed blocks in the order of the list', async () => {
    const blob = container.getBlockBlobClient('blob')
    await blob.stageBlock(id('a'), 'first', 5)
    await blob.stageBlock(id('b'), 'second', 6)
    await blob.stageBlock(id('c'), 'third', 5)
    expect(await getRejection(blob.getProperties())).toEqual([404, undefined])
    await blob.commitBlockList([id('b'), id('a')])
    expect(String(server.objects.get('blob')?.content)).toBe('secondfirst')
    // The commit has discarded the third block.
    expect(await getRejection(blob.commitBlockList([id('c')]))).toEqual([400, 'InvalidBlockList'])
  })

  test.each([
    ['an unknown block', ['a'], ['a', 'b'], [400, 'InvalidBlockList']],
    ['block ids of different lengths', ['a', 'long'], [], [400, 'InvalidBlobOrBlock']],
    ['a block id of more than 64 bytes', ['x'.repeat(65)], [], [400, 'InvalidQueryParameterValue']],
  ])('are rejected with %s', async (_, staged, committed, error) => {
    const blob = container.getBlockBlobClient(staged.join('-'))
    const upload = async () => {
      for (const name of staged) await blob.stageBlock(id(name), 'x', 1)
      await blob.commitBlockList(committed.map(id))
    }
    expect(await getRejection(upload())).toEqual(error)
    expect(server.objects.size).toBe(0)
  })

  test('are rejected if the container or the metadata is unknown to Azure, or the content was changed', async () => {
    const blob = container.getBlockBlobClient('blob')
    const nowhere = new ContainerClient(server.credential.connection_string, 'nowhere').getBlockBlobClient('blob')
    expect(await getRejection(nowhere.upload('x', 1))).toEqual([404, 'ContainerNotFound'])
    expect(await getRejection(blob.upload('x', 1, { metadata: { 'cost-center': '1' } }))).toEqual([
      400,
      'InvalidMetadata',
    ])
    const blobContentMD5 = createHash('md5').update('y').digest()
    const changed = blob.stageBlock(id('a'), 'x', 1, { transactionalContentMD5: blobContentMD5 })
    expect(await getRejection(changed)).toEqual([400, 'Md5Mismatch'])
  })

  test('are rejected if the blob exists and the condition forbids to replace it', async () => {
    const blob = container.getBlockBlobClient('blob')
    await blob.upload('x', 1)
    const conditions = { ifNoneMatch: '*' }
    expect(await getRejection(blob.upload('y', 1, { conditions }))).toEqual([409, 'BlobAlreadyExists'])
    await blob.stageBlock(id('a'), 'y', 1)
    expect(await getRejection(blob.commitBlockList([id('a')], { conditions }))).toEqual([409, 'BlobAlreadyExists'])
    expect(String(server.objects.get('blob')?.content)).toBe('x')
  })
})

test('responds 503 as often as the test demands', async () => {
  const blob = container.getBlockBlobClient('blob')
  server.failures.push(503)
  expect(await getRejection(blob.upload('x', 1))).toEqual([503, 'ServerBusy'])
  await blob.upload('x', 1)
})
