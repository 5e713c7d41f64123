import type { StorageCredential } from '@patchbay/contract/recording-storage'
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { z } from 'zod'
import { googleAccount, googleAssertion, googleTokenUrl } from '../google-account.ts'
import {
  readBody,
  type TransferLimits,
  type TransportRequest,
  type TransportResponse,
} from '../outbound-http/transport.ts'
import { type StorageAccess, unlessAbsent, ObjectExistsError, type Bucket, tagsAsMetadata } from './bucket.ts'

/**
 * Google Cloud Storage through its JSON API (cloud.google.com/storage/docs/json_api). Google's own library can neither
 * abort requests nor send them through a transport.
 */

type GoogleCredential = Extract<StorageCredential, { vendor: 'google' }>

const origin = 'https://storage.googleapis.com'
const scope = 'https://www.googleapis.com/auth/devstorage.read_write'
/** Tokens are valid for an hour. */
const tokenMs = 50 * 60_000

class GoogleStorageError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const getStatus = (error: unknown) => (error instanceof GoogleStorageError ? error.status : undefined)

const failure = z.object({
  error: z.union([z.string(), z.object({ message: z.string() })]),
  error_description: z.string().optional(),
})
const token = z.object({ access_token: z.string() })
const uploadResponse = z.object({ size: z.string(), md5Hash: z.string().optional() })
const objectResponse = z.object({ size: z.string(), metadata: z.record(z.string(), z.string()).default({}) })

const parseErrorMessage = (status: number, body: string): string => {
  try {
    const { error, error_description } = failure.parse(JSON.parse(body))
    if (typeof error === 'object') return error.message
    return error_description === undefined ? error : `${error}: ${error_description}`
  } catch {
    return `Google answered with status ${status}`
  }
}

const readJson = async <T>(response: TransportResponse, schema: z.ZodType<T>): Promise<T> => {
  const body = (await readBody(response)).toString('utf8')
  try {
    return schema.parse(JSON.parse(body))
  } catch {
    throw new GoogleStorageError(response.status, 'Google returned an unexpected response')
  }
}

/** The content of an object, as a file or in memory. */
interface Content {
  size: number
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/**
 * Opens a bucket of Google Cloud Storage.
 * @throws Error if the service key is invalid
 */
export const openGoogleBucket = (credential: GoogleCredential, { transport, limits }: StorageAccess): Bucket => {
  const account = googleAccount(credential.service_key)
  const bucketPath = `storage/v1/b/${encodeURIComponent(credential.name)}/o`
  const objectUrl = (key: string) => `${origin}/${bucketPath}/${encodeURIComponent(key)}`
  let cachedToken: { token: string; until: number } | undefined

  const send = async (url: string, request: TransportRequest): Promise<TransportResponse> => {
    const response = await transport.send(url, { ...request, limits: { ...limits.control, ...request.limits } })
    const { status } = response
    if (status >= 200 && status <= 299) return response
    throw new GoogleStorageError(status, parseErrorMessage(status, (await readBody(response)).toString('utf8')))
  }

  const signIn = async (signal: AbortSignal): Promise<string> => {
    if (cachedToken !== undefined && cachedToken.until > performance.now()) return cachedToken.token
    const grant = {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: await googleAssertion(account, scope),
    }
    const response = await send(googleTokenUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(grant).toString(),
      signal,
    })
    const { access_token } = await readJson(response, token)
    cachedToken = { token: access_token, until: performance.now() + tokenMs }
    return access_token
  }

  const sendOnce = async (
    url: string,
    request: TransportRequest & { signal: AbortSignal },
  ): Promise<TransportResponse> => {
    const authorization = `Bearer ${await signIn(request.signal)}`
    try {
      return await send(url, { ...request, headers: { ...request.headers, authorization } })
    } catch (error) {
      // Google can revoke a token before it expires.
      if (getStatus(error) === 401) cachedToken = undefined
      throw error
    }
  }

  /** Sends a request, again with a new token if Google rejects the token. The caller has to repeat uploads. */
  const sendAuthorized = async (
    url: string,
    request: TransportRequest & { signal: AbortSignal },
  ): Promise<TransportResponse> => {
    try {
      return await sendOnce(url, request)
    } catch (error) {
      if (getStatus(error) !== 401 || request.body !== undefined) throw error
      return sendOnce(url, request)
    }
  }

  /** Sends metadata and content in one request (multipart/related), and verifies that they arrived completely. */
  const put = async (
    key: string,
    properties: object,
    { size, chunks }: Content,
    signal: AbortSignal,
    conditions: Record<string, string> = {},
  ): Promise<void> => {
    const boundary = randomUUID()
    const head = Buffer.from(
      [
        `--${boundary}`,
        'content-type: application/json; charset=UTF-8',
        '',
        JSON.stringify({ name: key, ...properties }),
        `--${boundary}`,
        'content-type: application/octet-stream',
        '',
        '',
      ].join('\r\n'),
    )
    const tail = Buffer.from(`\r\n--${boundary}--`)
    const md5 = createHash('md5')
    const body = async function* () {
      yield head
      for await (const chunk of chunks) {
        md5.update(chunk)
        yield chunk
      }
      yield tail
    }
    const query = new URLSearchParams({ uploadType: 'multipart', name: key, ...conditions }).toString()
    const response = await sendAuthorized(`${origin}/upload/${bucketPath}?${query}`, {
      method: 'POST',
      headers: {
        'content-type': `multipart/related; boundary=${boundary}`,
        'content-length': String(head.length + size + tail.length),
      },
      body: body(),
      signal,
    })
    const uploadedObject = await readJson(response, uploadResponse)
    const isComplete =
      uploadedObject.size === String(size) &&
      (uploadedObject.md5Hash ?? md5.copy().digest('base64')) === md5.digest('base64')
    if (!isComplete) throw new Error('Google stored different data than it was sent')
  }

  const download = async (key: string, headers: Record<string, string>, content: TransferLimits, signal: AbortSignal) =>
    (await sendAuthorized(`${objectUrl(key)}?alt=media`, { headers, limits: content, signal })).body

  return {
    async upload(key, { path, type, metadata }, signal) {
      const { size } = await stat(path)
      const properties = { contentType: type, metadata: { ...metadata, ...tagsAsMetadata(credential.tags) } }
      const chunks = createReadStream(path)
      try {
        // Generation 0 means that the object must not exist.
        await put(key, properties, { size, chunks }, signal, { ifGenerationMatch: '0' })
      } catch (error) {
        throw getStatus(error) === 412 ? new ObjectExistsError(key, error) : error
      } finally {
        chunks.destroy()
      }
    },
    async find(key, signal) {
      const response = await sendAuthorized(objectUrl(key), { signal }).catch(unlessAbsent(getStatus))
      if (response === undefined) return undefined
      const { size, metadata } = await readJson(response, objectResponse)
      return { size: Number(size), metadata }
    },
    readPart: (key, { first, last }, signal) =>
      download(key, { range: `bytes=${first}-${last}` }, limits.content(last - first + 1), signal),
    async write(key, content, signal) {
      const properties = { contentType: 'text/plain', metadata: tagsAsMetadata(credential.tags) }
      await put(key, properties, { size: content.length, chunks: [content] }, signal)
    },
    read: async (key, maxBytes, signal) => buffer(await download(key, {}, limits.content(maxBytes), signal)),
    async remove(key, signal) {
      const response = await sendAuthorized(objectUrl(key), { method: 'DELETE', signal })
      await readBody(response)
    },
  }
}
