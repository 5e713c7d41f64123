import type { BucketTestOutcome, StorageCredential } from '@patchbay/contract/recording-storage'
import { randomUUID } from 'node:crypto'
import { withTimeLimit } from '../../time-limit.ts'
import { reasonOf as reasonFor } from '../outgoing/reasons.ts'
import type { Bucket, ObjectStorage } from './object-storage.ts'

/** What a storage is asked for must be done in this time, all of it. */
const mostSeconds = 20

const reasonOf = (error: unknown): string => reasonFor(error, 'storage')

const failed = (reason: string): BucketTestOutcome => ({ status: 'failed', reason })

/** Its own object, so that nobody's is overwritten; deleted also where it could not be read. */
const writeReadDelete = async (bucket: Bucket, stop: AbortSignal): Promise<BucketTestOutcome> => {
  const key = `patchbay-test-${randomUUID()}.txt`
  const content = Buffer.from(`Written to test this storage for recordings, and deleted at once. ${key}\n`)
  await bucket.write(key, content, stop)
  const read = await bucket.read(key, stop).catch((error: unknown) => error)
  try {
    await bucket.remove(key, stop)
  } catch (error) {
    return failed(`The test object ${key} was written, but cannot be deleted: ${reasonOf(error)}`)
  }
  if (!Buffer.isBuffer(read)) return failed(`The test object was written, but cannot be read back: ${reasonOf(read)}`)
  return read.equals(content) ? { status: 'ok' } : failed('The test object was read back with another content')
}

/** Whether recordings can be stored, read and deleted with a credential, tried with an object of a few bytes. */
export const tryBucket = async (storage: ObjectStorage, credential: StorageCredential): Promise<BucketTestOutcome> => {
  const stop = new AbortController()
  const tooLate = () => {
    stop.abort()
    return new DOMException('', 'TimeoutError')
  }
  try {
    const bucket = await storage.open(credential)
    // Not every library listens to the signal.
    return await withTimeLimit(writeReadDelete(bucket, stop.signal), mostSeconds, tooLate)
  } catch (error) {
    return failed(reasonOf(error))
  }
}
