import type { TransferLimits, Transport } from '../outbound-http/transport.ts'

/** A file to upload as an object. */
export interface Upload {
  path: string
  /** The media type. */
  type: string
  /** Stored in addition to the tags of the credential. */
  metadata: Readonly<Record<string, string>>
}

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
 * The bucket or container of one account. Every operation rejects with what went wrong, and aborts its requests when the
 * signal aborts or a limit is reached.
 */
export interface Bucket {
  /**
   * Uploads a file of any size without holding it in memory. Never replaces an object, unless the storage is
   * S3-compatible and has no conditional writes.
   *
   * @throws ObjectExistsError if there is an object of that key, or another upload of that key is under way
   */
  upload(key: string, upload: Upload, signal: AbortSignal): Promise<void>
  /** Returns undefined if there is no such object. */
  find(key: string, signal: AbortSignal): Promise<FoundObject | undefined>
  /** Streams a part of an object; fails if the storage sends more bytes than the part has. */
  readPart(key: string, part: Part, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
  write(key: string, content: Buffer, signal: AbortSignal): Promise<void>
  /** Reads a small object; fails if it has more than `maxBytes`. */
  read(key: string, maxBytes: number, signal: AbortSignal): Promise<Buffer>
  remove(key: string, signal: AbortSignal): Promise<void>
}

/** The storage has an object of that key. It may be the same upload, whose response was lost. */
export class ObjectExistsError extends Error {
  constructor(key: string, cause: unknown) {
    super(`The storage has an object ${key} already`, { cause })
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
    /** For all requests except for those that transfer the content of an object. */
    control: TransferLimits
    /** For content of up to `maxBytes` that is read at the pace of its reader. */
    content: (maxBytes: number) => TransferLimits
  }
}
