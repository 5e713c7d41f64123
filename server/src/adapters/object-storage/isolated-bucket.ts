import type { TenantErrorGuard } from '../tenant-errors.ts'
import type { Bucket } from './bucket.ts'

/**
 * Returns a bucket that runs its operations as work of an account: a fault in a vendor's library fails the operation
 * and pauses the account's storage, instead of ending the process.
 */
export const isolateBucket = (account_sid: string, bucket: Bucket, faults: TenantErrorGuard): Bucket => {
  const isolated = <T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    faults.run(account_sid, (fault) => work(AbortSignal.any([signal, fault])))
  return {
    upload: (key, upload, signal) => isolated(signal, (any) => bucket.upload(key, upload, any)),
    uploadStream: (key, content, signal) => isolated(signal, (any) => bucket.uploadStream(key, content, any)),
    find: (key, signal) => isolated(signal, (any) => bucket.find(key, any)),
    readPart: (key, part, signal) => isolated(signal, (any) => bucket.readPart(key, part, any)),
    write: (key, content, signal) => isolated(signal, (any) => bucket.write(key, content, any)),
    read: (key, maxBytes, signal) => isolated(signal, (any) => bucket.read(key, maxBytes, any)),
    remove: (key, signal) => isolated(signal, (any) => bucket.remove(key, any)),
  }
}
