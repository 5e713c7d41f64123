import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type BlockBlobParallelUploadOptions, ContainerClient, RestError } from '@azure/storage-blob'
import type { StorageCredential } from '@patchbay/contract/recording-storage'
import { tagsAsMetadata, toAzureName } from '@patchbay/contract/recordings/storage-tags'
import { createAzureHttpClient } from '../outbound-http/azure-http-client.ts'
import { mebibyte, type TransferLimits } from '../outbound-http/transport.ts'
import { type Bucket, ObjectExistsError, type StorageAccess, unlessAbsent } from './bucket.ts'

type AzureCredential = Extract<StorageCredential, { vendor: 'azure' }>

const getStatus = (error: unknown) => (error instanceof RestError ? error.statusCode : undefined)

/** Azure answers 409 BlobAlreadyExists to `If-None-Match: *`, and 412 ConditionNotMet to other conditions. */
const isConflict = (error: unknown): boolean =>
  error instanceof RestError && (error.statusCode === 412 || error.code === 'BlobAlreadyExists')

/**
 * Larger files are uploaded as blocks of this size and then committed, so that a request that fails repeats at most one
 * block.
 */
const blockBytes = 8 * mebibyte

/** Azure accepts 50,000 blocks, so content of unknown size can have 780 GB. */
const streamedBlockBytes = 16 * mebibyte

/** The SDK repeats a failed request immediately, and then again after this delay. */
const retryOptions = { maxTries: 3, retryDelayInMs: 1000 }

const withValidNames = (metadata: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [toAzureName(name), value]))

const isReadable = ({ connection_string, name }: AzureCredential): boolean => {
  try {
    return URL.canParse(new ContainerClient(connection_string, name).url)
  } catch {
    return false
  }
}

/**
 * Opens a container of Azure Blob Storage.
 * @throws Error if the connection string is invalid
 */
export const openAzureBucket = (credential: AzureCredential, { transport, limits }: StorageAccess): Bucket => {
  if (!isReadable(credential)) throw new Error('The connection string cannot be parsed')
  const { connection_string, name, tags } = credential
  const containerWith = (transferLimits: TransferLimits) =>
    new ContainerClient(connection_string, name, {
      retryOptions,
      httpClient: createAzureHttpClient(transport, transferLimits),
    })
  const container = containerWith(limits.control)
  const download = async (
    key: string,
    { first, count, maxBytes }: { first: number; count?: number; maxBytes: number },
    signal: AbortSignal,
  ): Promise<Readable> => {
    const unusable = new AbortController()
    const blob = containerWith(limits.content(maxBytes)).getBlobClient(key)
    try {
      const abortSignal = AbortSignal.any([signal, unusable.signal])
      // Without this option, the SDK would resume an interrupted download with additional requests.
      const { readableStreamBody } = await blob.download(first, count, { abortSignal, maxRetryRequests: 0 })
      return Readable.from(readableStreamBody ?? [])
    } catch (error) {
      // The SDK leaves an unexpected response unread, so the request is aborted.
      unusable.abort(error)
      throw error
    }
  }
  return {
    async upload(key, { path, type, metadata }, abortSignal) {
      const options: BlockBlobParallelUploadOptions = {
        abortSignal,
        metadata: withValidNames({ ...tagsAsMetadata(tags), ...metadata }),
        blobHTTPHeaders: { blobContentType: type },
        blockSize: blockBytes,
        maxSingleShotSize: blockBytes,
        concurrency: 1,
        conditions: { ifNoneMatch: '*' },
      }
      try {
        await container.getBlockBlobClient(key).uploadFile(path, options)
      } catch (error) {
        throw isConflict(error) ? new ObjectExistsError(key, error) : error
      }
    },
    async uploadStream(key, content, abortSignal) {
      await container.getBlockBlobClient(key).uploadStream(Readable.from(content), streamedBlockBytes, 1, {
        abortSignal,
        blobHTTPHeaders: { blobContentType: 'application/octet-stream' },
      })
    },
    async find(key, abortSignal) {
      const properties = await container
        .getBlobClient(key)
        .getProperties({ abortSignal })
        .catch(unlessAbsent(getStatus))
      return properties && { size: properties.contentLength ?? 0, metadata: properties.metadata ?? {} }
    },
    readPart: (key, { first, last }, abortSignal) =>
      download(key, { first, count: last - first + 1, maxBytes: last - first + 1 }, abortSignal),
    async write(key, content, abortSignal) {
      await container.getBlockBlobClient(key).uploadData(content, {
        abortSignal,
        metadata: withValidNames(tagsAsMetadata(tags)),
        blobHTTPHeaders: { blobContentType: 'text/plain' },
      })
    },
    read: async (key, maxBytes, abortSignal) => buffer(await download(key, { first: 0, maxBytes }, abortSignal)),
    async remove(key, abortSignal) {
      await container.getBlobClient(key).delete({ abortSignal })
    },
  }
}
