import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'

/** Values as gzipped JSON, and by what of theirs two of them are known to be the same. */
export const packed = async (value: unknown): Promise<{ part_key: string; content: Buffer }> => {
  const text = JSON.stringify(value)
  return { part_key: createHash('sha256').update(text).digest('hex'), content: await promisify(gzip)(text) }
}

/** What was packed was of this type. */
export const unpacked = async <T>(content: Uint8Array): Promise<T> =>
  JSON.parse((await promisify(gunzip)(content)).toString('utf8')) as T
