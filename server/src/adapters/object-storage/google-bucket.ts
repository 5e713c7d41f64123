import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { StorageCredential } from '@patchbay/contract/recording-storage'
import { tagsAsMetadata } from '@patchbay/contract/recordings/storage-tags'
import { z } from 'zod'
import { readBody, type TransferLimits } from '../outbound-http/transport.ts'
import { type Bucket, ObjectExistsError, type StorageAccess, unlessAbsent } from './bucket.ts'
import { createGoogleClient, getStatus, googleOrigin, readJson } from './google-client.ts'
import { streamToGoogle } from './google-stream-upload.ts'
import { type Content, uploadToGoogle } from './google-upload.ts'

type GoogleCredential = Extract<StorageCredential, { vendor: 'google' }>

const objectResponse = z.object({ size: z.string(), metadata: z.record(z.string(), z.string()).default({}) })

/**
 * Opens a bucket of Google Cloud Storage through its JSON API. Google's own library can neither abort requests nor send
 * them through a transport.
 * @throws Error if the service key is invalid
 */
export const openGoogleBucket = (credential: GoogleCredential, access: StorageAccess): Bucket => {
  const { limits } = access
  const client = createGoogleClient(credential.service_key, access)
  const bucketPath = `storage/v1/b/${encodeURIComponent(credential.name)}/o`
  const objectUrl = (key: string) => `${googleOrigin}/${bucketPath}/${encodeURIComponent(key)}`

  const put = (
    key: string,
    properties: object,
    content: Content,
    signal: AbortSignal,
    conditions: Record<string, string> = {},
  ) => {
    const query = new URLSearchParams({ uploadType: 'resumable', name: key, ...conditions }).toString()
    return uploadToGoogle(client, `${googleOrigin}/upload/${bucketPath}?${query}`, properties, content, signal)
  }

  const download = async (key: string, headers: Record<string, string>, content: TransferLimits, signal: AbortSignal) =>
    (await client.send(`${objectUrl(key)}?alt=media`, { headers, limits: content, signal })).body

  return {
    async upload(key, { path, type, metadata }, signal) {
      const { size } = await stat(path)
      const properties = { contentType: type, metadata: { ...tagsAsMetadata(credential.tags), ...metadata } }
      try {
        // Generation 0 means that the object must not exist.
        const conditions = { ifGenerationMatch: '0' }
        await put(key, properties, { size, read: () => createReadStream(path) }, signal, conditions)
      } catch (error) {
        throw getStatus(error) === 412 ? new ObjectExistsError(key, error) : error
      }
    },
    async uploadStream(key, content, signal) {
      const query = new URLSearchParams({ uploadType: 'resumable', name: key }).toString()
      const url = `${googleOrigin}/upload/${bucketPath}?${query}`
      await streamToGoogle(client, url, { contentType: 'application/octet-stream' }, content, signal)
    },
    async find(key, signal) {
      const response = await client.send(objectUrl(key), { signal }).catch(unlessAbsent(getStatus))
      if (response === undefined) return undefined
      const { size, metadata } = await readJson(response, objectResponse)
      return { size: Number(size), metadata }
    },
    readPart: (key, { first, last }, signal) =>
      download(key, { range: `bytes=${first}-${last}` }, limits.content(last - first + 1), signal),
    async write(key, content, signal) {
      const properties = { contentType: 'text/plain', metadata: tagsAsMetadata(credential.tags) }
      await put(key, properties, { size: content.length, read: () => [content] }, signal)
    },
    read: async (key, maxBytes, signal) => buffer(await download(key, {}, limits.content(maxBytes), signal)),
    async remove(key, signal) {
      await readBody(await client.send(objectUrl(key), { method: 'DELETE', signal }))
    },
  }
}
