import type { StorageCredential } from '@patchbay/contract/recording-storage'

/** A file that becomes an object. */
export interface Upload {
  path: string
  /** the media type */
  type: string
  /** beside the tags of the credential */
  metadata: Readonly<Record<string, string>>
}

export interface FoundObject {
  size: number
  metadata: Readonly<Record<string, string>>
}

/** Bytes by their places, the last of them too. */
export interface Part {
  first: number
  last: number
}

/** The bucket or container of one account. Each act throws what went wrong; `stop` ends it. */
export interface Bucket {
  /** Of any size, and without holding it in memory. */
  upload(key: string, upload: Upload, stop: AbortSignal): Promise<void>
  /** undefined where there is no such object */
  find(key: string): Promise<FoundObject | undefined>
  readPart(key: string, part: Part, stop: AbortSignal): Promise<AsyncIterable<Uint8Array>>
  write(key: string, content: Buffer, stop: AbortSignal): Promise<void>
  read(key: string, stop: AbortSignal): Promise<Buffer>
  remove(key: string, stop: AbortSignal): Promise<void>
}

/** The storages of all vendors, by the credentials of accounts. */
export interface ObjectStorage {
  /** `seconds`: how long one request may take; 10 unless told */
  open(credential: StorageCredential, seconds?: number): Promise<Bucket>
}

/** Of an answer of a storage: undefined where it says that there is no such object. */
export const unlessAbsent =
  (statusOf: (error: unknown) => unknown) =>
  (error: unknown): undefined => {
    if (statusOf(error) === 404) return undefined
    throw error
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
  async open(credential, seconds = 10) {
    switch (credential.vendor) {
      case 'aws_s3':
      case 's3_compatible':
        return (await import('./s3-bucket.ts')).openS3Bucket(credential, network, seconds)
      case 'google':
        return (await import('./google-bucket.ts')).openGoogleBucket(credential, network, seconds)
      case 'azure':
        return (await import('./azure-bucket.ts')).openAzureBucket(credential, network, seconds)
    }
  },
})
