import { createHash } from 'node:crypto'
import { splitStream } from '../../lib/split-stream.ts'
import { mebibyte, readBody, type TransportResponse } from '../outbound-http/transport.ts'
import {
  checkStatus,
  type GoogleClient,
  GoogleStorageError,
  partialStatus,
  readJson,
  withRetries,
} from './google-client.ts'
import { getSession, readOffset, uploadResponse } from './google-upload.ts'

/** Google stores parts in multiples of 256 KiB, except for the last one. */
const partBytes = 8 * mebibyte

interface ContentPart {
  content: Buffer
  /** Position of its first byte in the object. */
  offset: number
  isLast: boolean
}

/** Returns parts with their positions. The last one is known when no other follows, so one is always kept back. */
async function* locateParts(source: AsyncIterable<Buffer>): AsyncGenerator<ContentPart> {
  let offset = 0
  let pending: Buffer | undefined
  for await (const part of splitStream(source, () => partBytes)) {
    if (pending !== undefined) {
      yield { content: pending, offset, isLast: false }
      offset += pending.length
    }
    pending = part
  }
  yield { content: pending ?? Buffer.alloc(0), offset, isLast: true }
}

/**
 * Uploads content of unknown size as an object, which appears after its last part, and verifies its checksum. A part
 * that fails temporarily, or is stored incompletely, is sent again from where Google has stored it
 * (cloud.google.com/storage/docs/performing-resumable-uploads#chunked-upload).
 *
 * @param url address of the upload, with the query that names the object
 * @param properties metadata of the object
 * @throws GoogleStorageError if Google rejects the upload
 */
export const streamToGoogle = async (
  client: GoogleClient,
  url: string,
  properties: object,
  source: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<void> => {
  const started = await client.send(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    body: JSON.stringify(properties),
    signal,
  })
  const session = getSession(started)
  await readBody(started)

  const put = (range: string, content: Buffer): Promise<TransportResponse> =>
    client.sendOnce(session, {
      method: 'PUT',
      headers: { 'content-length': String(content.length), 'content-range': range },
      body: content,
      signal,
    })

  /** Returns the response to the last byte of the part. */
  const sendPart = ({ content, offset, isLast }: ContentPart): Promise<TransportResponse> => {
    const end = offset + content.length
    const total = isLast ? String(end) : '*'
    const sendFrom = async (position: number): Promise<TransportResponse> => {
      const range = position === end ? `bytes */${total}` : `bytes ${position}-${end - 1}/${total}`
      const response = await put(range, content.subarray(position - offset))
      if (isLast || response.status !== partialStatus) return checkStatus(response)
      await readBody(response)
      if (readOffset(response) === end) return response
      throw new GoogleStorageError(partialStatus, 'Google stored only a part of what it was sent')
    }
    return withRetries(async (failures) => {
      if (failures === 0) return sendFrom(offset)
      const state = await put('bytes */*', Buffer.alloc(0))
      // An object that is complete answers with its description.
      if (state.status !== partialStatus) return checkStatus(state)
      await readBody(state)
      return sendFrom(Math.max(offset, readOffset(state)))
    }, signal)
  }

  const md5 = createHash('md5')
  let size = 0
  for await (const part of locateParts(source)) {
    md5.update(part.content)
    size += part.content.length
    const response = await sendPart(part)
    if (!part.isLast) continue
    const stored = await readJson(response, uploadResponse)
    const hash = md5.digest('base64')
    if (stored.size !== String(size) || (stored.md5Hash ?? hash) !== hash)
      throw new Error('Google stored different data than it was sent')
  }
}
