import type { BucketTestOutcome, StorageCredential } from '@patchbay/contract/recording-storage'
import { randomUUID } from 'node:crypto'
import { withTimeLimit } from '../../time-limit.ts'
import type { Bucket, ObjectStorage } from './object-storage.ts'

/** What a storage is asked for must be done in this time, all of it. */
const mostSeconds = 20

const longestReason = 300

const unreachable: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host of the storage is not known',
  EAI_AGAIN: 'The host of the storage cannot be looked up',
  ECONNREFUSED: 'The host of the storage refused the connection',
  ECONNRESET: 'The host of the storage broke off the connection',
  EHOSTUNREACH: 'The host of the storage cannot be reached',
  ENETUNREACH: 'The host of the storage cannot be reached',
  ETIMEDOUT: 'The storage did not answer in time',
  TimeoutError: 'The storage did not answer in time',
}

/** What the libraries throw has a text; what comes of the network may have none, or hide it in what caused it. */
const textOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { code, name, cause, message } = error as NodeJS.ErrnoException
  const known = unreachable[code ?? ''] ?? unreachable[name]
  if (known !== undefined) return known
  if (cause instanceof Error && !message.includes(' ')) return textOf(cause)
  const named = name === 'Error' || message.includes(name) ? '' : ` (${name})`
  return message === '' ? name : `${message}${named}`
}

/** One line, for people; what the storage says is not ours, so it is kept short. */
const reasonOf = (error: unknown): string => {
  const [line = ''] = textOf(error)
    .trim()
    .split(/[\r\n]/)
  return line.length > longestReason ? `${line.slice(0, longestReason - 1)}…` : line
}

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
