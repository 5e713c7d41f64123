import { createHash } from 'node:crypto'
import { z } from 'zod'
import { readBody, type TransportResponse } from '../outbound-http/transport.ts'
import {
  checkStatus,
  type GoogleClient,
  GoogleStorageError,
  googleOrigin,
  partialStatus,
  readJson,
  withRetries,
} from './google-client.ts'

/** The content of an object, as a file or in memory. `read` can be called repeatedly. */
export interface Content {
  /** Bytes. */
  size: number
  read(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** The response after the last byte of an object. */
export const uploadResponse = z.object({ size: z.string(), md5Hash: z.string().optional() })

/** Returns the number of bytes that Google has stored. The header is absent if there are none. */
export const readOffset = ({ headers, status }: TransportResponse): number => {
  const { range } = headers
  if (range === undefined) return 0
  const last = /^bytes=0-(\d{1,15})$/.exec(range)?.[1]
  if (last === undefined) throw new GoogleStorageError(status, 'Google returned an unexpected response')
  return Number(last) + 1
}

/** Returns the address of an upload session, which contains its authorization. */
export const getSession = ({ headers, status }: TransportResponse): string => {
  const { location = '' } = headers
  if (location.startsWith(`${googleOrigin}/`)) return location
  throw new GoogleStorageError(status, 'Google returned an unexpected response')
}

/**
 * Uploads an object, and verifies that it arrived completely. If Google stores only a part, or fails temporarily, the
 * upload resumes after the stored part (cloud.google.com/storage/docs/resumable-uploads).
 *
 * @param url address of the upload, with the query that names the object
 * @param properties metadata of the object
 * @throws GoogleStorageError if Google rejects the upload
 */
export const uploadToGoogle = async (
  client: GoogleClient,
  url: string,
  properties: object,
  { size, read }: Content,
  signal: AbortSignal,
): Promise<void> => {
  const started = await client.send(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=UTF-8', 'x-upload-content-length': String(size) },
    body: JSON.stringify(properties),
    signal,
  })
  const session = getSession(started)
  await readBody(started)
  let md5 = createHash('md5')

  /** Yields the content from an offset. The hash covers all of it. */
  const readFrom = async function* (offset: number) {
    md5 = createHash('md5')
    let position = 0
    for await (const chunk of read()) {
      md5.update(chunk)
      if (position + chunk.length > offset) yield chunk.subarray(Math.max(0, offset - position))
      position += chunk.length
    }
  }

  const put = (headers: Record<string, string>, body?: AsyncIterable<Uint8Array>) =>
    client.sendOnce(session, { method: 'PUT', headers, body, signal })

  const sendFrom = (offset: number) => {
    const range: Record<string, string> = offset === 0 ? {} : { 'content-range': `bytes ${offset}-${size - 1}/${size}` }
    return put({ 'content-length': String(size - offset), ...range }, readFrom(offset))
  }

  const finished = await withRetries(async (failures) => {
    if (failures === 0) return checkStatus(await sendFrom(0))
    const state = await put({ 'content-length': '0', 'content-range': `bytes */${size}` })
    if (state.status !== partialStatus) return checkStatus(state)
    const offset = readOffset(state)
    await readBody(state)
    return checkStatus(await sendFrom(offset))
  }, signal)
  const { size: storedSize, md5Hash } = await readJson(finished, uploadResponse)
  const hash = md5.digest('base64')
  if (storedSize !== String(size) || (md5Hash ?? hash) !== hash)
    throw new Error('Google stored different data than it was sent')
}
