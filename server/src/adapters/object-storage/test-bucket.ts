import { randomUUID } from 'node:crypto'
import type { BucketTestOutcome, StorageCredential } from '@patchbay/contract/recording-storage'
import { describeError as reasonFor } from '../outbound-http/error-messages.ts'
import { kibibyte } from '../outbound-http/transport.ts'
import { tenantErrorGuard } from '../tenant-errors.ts'
import type { Bucket } from './bucket.ts'
import { isolateBucket } from './isolated-bucket.ts'
import type { ObjectStorage } from './object-storage.ts'

/** The time limit of the whole test. */
const timeoutMs = 20_000
/** Larger than the test object. */
const maxReadBytes = kibibyte

const describeStorageError = (error: unknown): string => reasonFor(error, 'storage')

const failed = (reason: string): BucketTestOutcome => ({ status: 'failed', reason })

/** Uses a separate object, so that no other is overwritten, and deletes it even if it could not be read. */
const writeReadDelete = async (bucket: Bucket, signal: AbortSignal): Promise<BucketTestOutcome> => {
  const key = `patchbay-test-${randomUUID()}.txt`
  const content = Buffer.from(`Written to test this storage for recordings. It is deleted immediately. ${key}\n`)
  await bucket.write(key, content, signal)
  const read = await bucket.read(key, maxReadBytes, signal).catch((error: unknown) => error)
  try {
    await bucket.remove(key, signal)
  } catch (error) {
    return failed(`The test object ${key} was written, but cannot be deleted: ${describeStorageError(error)}`)
  }
  if (!Buffer.isBuffer(read))
    return failed(`The test object was written, but cannot be read back: ${describeStorageError(read)}`)
  return read.equals(content) ? { status: 'ok' } : failed('The test object was read back with another content')
}

/**
 * Tests with an object of a few bytes whether a credential can store, read, and delete recordings. The requests are
 * aborted after 20 s, or when the signal aborts.
 */
export const tryBucket = async (
  storage: ObjectStorage,
  account_sid: string,
  credential: StorageCredential,
  signal: AbortSignal,
): Promise<BucketTestOutcome> => {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    const bucket = isolateBucket(account_sid, await storage.open(credential), tenantErrorGuard)
    return await writeReadDelete(bucket, limited)
  } catch (error) {
    return failed(describeStorageError(limited.aborted ? limited.reason : error))
  }
}
