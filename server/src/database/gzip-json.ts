import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'

interface Packed {
  /** SHA-256 of the JSON, so that equal values have the same key. */
  part_key: string
  /** The gzipped JSON. */
  content: Uint8Array
  /** Length of the JSON. */
  bytes: number
}

/** Returns a value as gzipped JSON. */
export const gzipJson = async (value: unknown): Promise<Packed> => {
  const text = Buffer.from(JSON.stringify(value))
  const part_key = createHash('sha256').update(text).digest('hex')
  // zlib returns a view of a much larger buffer. A copy uses only as much memory as needed, and only that much is
  // transferred between threads.
  const content = new Uint8Array(await promisify(gzip)(text))
  return { part_key, content, bytes: text.length }
}

/** Returns the JSON of a packed value. Throws `ERR_BUFFER_TOO_LARGE` if it has more than `maxBytes` bytes. */
export const unpackedText = async (content: Uint8Array, maxBytes: number): Promise<Buffer> =>
  promisify(gunzip)(content, { maxOutputLength: maxBytes })
