import type { StorageCredential } from '@patchbay/contract/recording-storage'
import type { VendorAddresses } from '../../config/option-types.ts'
import { createTenantTransport } from '../outbound-http/outgoing.ts'
import { kibibyte, mebibyte } from '../outbound-http/transport.ts'
import type { Bucket, StorageAccess } from './bucket.ts'

/** Opens the storage of any vendor with an account's credential. */
export interface ObjectStorage {
  /**
   * @param seconds time limit of a request. Default: 10. Streaming a part of an object takes as long as its reader
   * needs
   */
  open(credential: StorageCredential, seconds?: number): Promise<Bucket>
}

/** The addresses that may be called. Tests configure those of their fake servers. */
export interface StorageNetwork {
  /** Networks that may be called although they are not public, such as `10.0.0.0/8`. */
  privateNetworks: readonly string[]
  vendorAddresses?: VendorAddresses
}

/** Maximum time that a caller may take to read a part of an object. */
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
