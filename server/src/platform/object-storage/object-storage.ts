import type { StorageCredential } from '@patchbay/contract/recording-storage'

/** The bucket or container of one account. Each act throws what went wrong; `stop` ends it. */
export interface Bucket {
  write(key: string, content: Buffer, stop: AbortSignal): Promise<void>
  read(key: string, stop: AbortSignal): Promise<Buffer>
  remove(key: string, stop: AbortSignal): Promise<void>
}

/** The storages of all vendors, by the credentials of accounts. */
export interface ObjectStorage {
  open(credential: StorageCredential): Promise<Bucket>
}

/** Which addresses may be called; tests name the ones of their peers. */
export interface StorageNetwork {
  /** networks that are not public and may be called nevertheless, as `10.0.0.0/8` */
  privateNetworks: readonly string[]
  /** in place of Google's own hosts */
  googleOrigin?: string
}

/** By vendor; the libraries are large, so each is loaded when it is first needed. */
export const createObjectStorage = (network: StorageNetwork): ObjectStorage => ({
  async open(credential) {
    switch (credential.vendor) {
      case 'aws_s3':
      case 's3_compatible':
        return (await import('./s3-bucket.ts')).openS3Bucket(credential, network)
      case 'google':
        return (await import('./google-bucket.ts')).openGoogleBucket(credential, network)
      case 'azure':
        return (await import('./azure-bucket.ts')).openAzureBucket(credential, network)
    }
  },
})
