import { getPort } from '@patchbay/testkit/ports'
import { loopbackNetwork } from '@patchbay/testkit/fake-object-storage'
import { once } from 'node:events'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createObjectStorage } from './object-storage.ts'
import { ObjectExistsError } from './bucket.ts'

/** Azure accepts files above this size only as a list of blocks. */
const maxSingleBytes = 256 * 1024 * 1024

test('commits the blocks of a large file only if the blob does not exist', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-azure-'))
  const path = join(folder, 'recording')
  await writeFile(path, '')
  await truncate(path, maxSingleBytes + 1)
  const requests: unknown[] = []
  const server = createServer((request, response) => {
    const operation = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams.get('comp')
    requests.push([operation, request.headers['if-none-match']])
    request.resume().on('end', () => {
      const headers = { 'content-type': 'application/xml' }
      if (operation === 'block') response.writeHead(201).end()
      else
        response.writeHead(409, headers).end('<Error><Code>BlobAlreadyExists</Code><Message>Exists</Message></Error>')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connection_string = `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=Yg==;BlobEndpoint=http://127.0.0.1:${getPort(server)}/a`
  try {
    const storage = createObjectStorage({ privateNetworks: [loopbackNetwork] })
    const bucket = await storage.open({ vendor: 'azure', name: 'a', connection_string, tags: [] }, 60)
    const upload = bucket.upload('key', { path, type: 'audio/wav', metadata: {} }, AbortSignal.timeout(60_000))
    await expect(upload).rejects.toThrow(ObjectExistsError)
    expect(requests.length).toBeGreaterThan(2)
    expect(requests.slice(0, -1)).toEqual(requests.slice(0, -1).map(() => ['block', undefined]))
    expect(requests.at(-1)).toEqual(['blocklist', '*'])
  } finally {
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true })
  }
})
