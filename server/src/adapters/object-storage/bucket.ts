import type { TransferLimits, Transport } from '../outbound-http/transport.ts'

/** A file to upload as an object. */
export interface Upload {
  path: string
  /** Media type. */
  type: string
  /** Metadata in addition to the tags of the credential. */
  metadata: Readonly<Record<string, string>>
}

/** An existing object. `size` is in bytes. */
export interface FoundObject {
  size: number
  metadata: Readonly<Record<string, string>>
}

/** A range of bytes, `last` included. */
export interface Part {
  first: number
  last: number
}

/**
 * The bucket or container of one account. Every operation rejects with a descriptive error, and aborts its requests
 * when the signal aborts or a limit is reached.
 */
export interface Bucket {
  /**
   * Uploads a file of any size without holding it in memory. Never replaces an object, unless the storage is
   * S3-compatible and has no conditional writes.
   *
   * @throws ObjectExistsError if an object with that key exists, or another upload of that key is in progress
   */
  upload(key: string, upload: Upload, signal: AbortSignal): Promise<void>
  /**
   * Uploads content whose size is not known before, in parts that are held in memory one at a time. The object appears
   * when it is complete. The caller chooses a key that no other object has.
   */
  uploadStream(key: string, content: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void>
  /** Returns undefined if there is no such object. */
  find(key: string, signal: AbortSignal): Promise<FoundObject | undefined>
  /** Streams a part of an object. Fails if the storage sends more bytes than the part has. */
  readPart(key: string, part: Part, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
  /** Writes a small object, such as that of a storage test. */
  write(key: string, content: Buffer, signal: AbortSignal): Promise<void>
  /** Reads a small object. Fails if it has more than `maxBytes`. */
  read(key: string, maxBytes: number, signal: AbortSignal): Promise<Buffer>
  /** Deletes an object. */
  remove(key: string, signal: AbortSignal): Promise<void>
}

/** An object with that key exists. It may be the result of the same upload, if the response was lost. */
export class ObjectExistsError extends Error {
  constructor(key: string, cause: unknown) {
    super(`The storage already has an object ${key}`, { cause })
    this.name = 'ObjectExistsError'
  }
}

/**
 * Handles an error of a storage request: returns undefined if the object does not exist, and rethrows any other error.
 */
export const unlessAbsent =
  (getStatus: (error: unknown) => unknown) =>
  (error: unknown): undefined => {
    if (getStatus(error) === 404) return undefined
    throw error
  }

/** The transport and limits that the vendors' adapters share. */
export interface StorageAccess {
  transport: Transport
  limits: {
    /** Limits for all requests that do not transfer the content of an object. */
    control: TransferLimits
    /** Limits for reading up to `maxBytes` of content at the pace of the reader. */
    content: (maxBytes: number) => TransferLimits
  }
}
