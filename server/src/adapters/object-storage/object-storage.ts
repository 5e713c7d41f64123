import type { StorageCredential } from '@patchbay/contract/recording-storage'
import { createTenantTransport } from '../outbound-http/outgoing.ts'
import { kibibyte, mebibyte } from '../outbound-http/transport.ts'
import type { VendorAddresses } from '../../config/option-types.ts'
import type { Bucket, StorageAccess } from './bucket.ts'

/** The storages of all vendors, by the credentials of accounts. */
export interface ObjectStorage {
  /** @param seconds how long one request may take; default: 10. Streaming a part of an object takes as long as its reader. */
  open(credential: StorageCredential, seconds?: number): Promise<Bucket>
}

/** The addresses that may be called. Tests configure those of their fake servers. */
export interface StorageNetwork {
  /** networks that are not public and may be called nevertheless, such as `10.0.0.0/8` */
  privateNetworks: readonly string[]
  vendorAddresses?: VendorAddresses
}

/** The longest that a caller may take to read a part of an object. */
const readingTimeoutMs = 60 * 60_000
const idleTimeoutMs = 30_000

const limitsFor = (seconds: number): StorageAccess['limits'] => {
  const control = {
    maxResponseBytes: mebibyte,
    maxErrorBytes: 64 * kibibyte,
    timeoutMs: seconds * 1000,
    idleTimeoutMs: Math.min(idleTimeoutMs, seconds * 1000),
  }
  return { control, content: (maxResponseBytes) => ({ ...control, maxResponseBytes, timeoutMs: readingTimeoutMs }) }
}

/** Opens the bucket of a credential. The vendors' libraries are large, so each is loaded on first use. */
export const createObjectStorage = (
  { privateNetworks, vendorAddresses = {} }: StorageNetwork,
  onBlocked?: (error: Error) => void,
): ObjectStorage => {
  const transport = createTenantTransport({ privateNetworks, vendorAddresses }, onBlocked)
  return {
    async open(credential, seconds = 10) {
      const access: StorageAccess = { transport, limits: limitsFor(seconds) }
      switch (credential.vendor) {
        case 'aws_s3':
        case 's3_compatible':
          return (await import('./s3-bucket.ts')).openS3Bucket(credential, access)
        case 'google':
          return (await import('./google-bucket.ts')).openGoogleBucket(credential, access)
        case 'azure':
          return (await import('./azure-bucket.ts')).openAzureBucket(credential, access)
      }
    },
  }
}
