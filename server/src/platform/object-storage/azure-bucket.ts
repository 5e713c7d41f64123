import { ContainerClient, RestError, type StoragePipelineOptions } from '@azure/storage-blob'
import type { Agent } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { StorageCredential } from '@patchbay/contract/recording-storage'
import { type Bucket, type StorageNetwork, unlessAbsent } from './object-storage.ts'
import { publicAgents } from '../outgoing/public-agents.ts'
import { tagsAsMetadata } from './tags.ts'

type AzureCredential = Extract<StorageCredential, { vendor: 'azure' }>

const second = 1000

const statusOf = (error: unknown) => (error instanceof RestError ? error.statusCode : undefined)

const addressOf = (connection_string: string, name: string): URL => {
  try {
    return new URL(new ContainerClient(connection_string, name).url)
  } catch {
    throw new Error('The connection string cannot be read')
  }
}

export const openAzureBucket = (
  { connection_string, name, tags }: AzureCredential,
  { privateNetworks }: StorageNetwork,
  seconds: number,
): Bucket => {
  const { protocol } = addressOf(connection_string, name)
  const agents = publicAgents(privateNetworks)
  // The pipeline takes an agent, though its type does not say so.
  const options: StoragePipelineOptions & { agent: Agent } = {
    retryOptions: { maxTries: 2, tryTimeoutInMs: seconds * second },
    agent: protocol === 'http:' ? agents.http : agents.https,
  }
  const container = new ContainerClient(connection_string, name, options)
  return {
    async upload(key, { path, type, metadata }, abortSignal) {
      await container.getBlockBlobClient(key).uploadFile(path, {
        abortSignal,
        metadata: { ...metadata, ...tagsAsMetadata(tags) },
        blobHTTPHeaders: { blobContentType: type },
        concurrency: 1,
      })
    },
    async find(key) {
      const found = await container.getBlobClient(key).getProperties().catch(unlessAbsent(statusOf))
      return found && { size: found.contentLength ?? 0, metadata: found.metadata ?? {} }
    },
    async readPart(key, { first, last }, abortSignal) {
      const { readableStreamBody } = await container
        .getBlobClient(key)
        .download(first, last - first + 1, { abortSignal })
      return Readable.from(readableStreamBody ?? [])
    },
    async write(key, content, abortSignal) {
      await container.getBlockBlobClient(key).uploadData(content, {
        abortSignal,
        metadata: tagsAsMetadata(tags),
        blobHTTPHeaders: { blobContentType: 'text/plain' },
      })
    },
    async read(key, abortSignal) {
      const { readableStreamBody } = await container.getBlobClient(key).download(0, undefined, { abortSignal })
      return readableStreamBody ? buffer(Readable.from(readableStreamBody)) : Buffer.alloc(0)
    },
    async remove(key, abortSignal) {
      await container.getBlobClient(key).delete({ abortSignal })
    },
  }
}
