import type { IncomingMessage } from 'node:http'
import { findSigningError, hasWrongBodyHash } from '../aws-signature.ts'
import {
  bucketName,
  type FakeResponse,
  type FakeStorage,
  getPart,
  type StoredObject,
  startFakeStorage,
} from './fake-storage.ts'
import { createMultipartUploads, getEntityTag } from './s3-multipart.ts'
import { reject, respondWithError, type S3ErrorCode } from './s3-responses.ts'

/** A fake of Amazon S3 with one bucket, which is addressed by path (docs.aws.amazon.com/AmazonS3/latest/API). */

export interface S3Server extends FakeStorage {
  /** Credential for the vendor `s3_compatible`. */
  credential: { vendor: string; endpoint: string; name: string; access_key_id: string; secret_access_key: string }
  /** Returns the number of uploads with `If-None-Match`. */
  conditionalUploads(): number
}

const region = 'us-east-1'

const accessKey = { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'the secret of the access key' }

/** Response to uploads with `If-None-Match: *`: like Amazon S3, or a fixed error. */
export type ConditionalWrites = 'supported' | { status: number; code: string }

/** Returns the reason to reject a request that is not signed correctly. */
const findAuthorizationError = (request: IncomingMessage, body: Buffer): S3ErrorCode | undefined => {
  const { authorization } = request.headers
  if (authorization === undefined) return 'AccessDenied'
  if (!authorization.includes(`Credential=${accessKey.id}/`)) return 'InvalidAccessKeyId'
  const error = findSigningError(request, { service: 's3', region, key: accessKey })
  return error ?? (hasWrongBodyHash(request, body) ? 'XAmzContentSHA256Mismatch' : undefined)
}

const metadataPrefix = 'x-amz-meta-'

const listMetadata = ({ headers }: IncomingMessage): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) => (name.startsWith(metadataPrefix) ? [[name, String(value)]] : []))

/** Returns the headers of an upload that are stored with the object. */
const readMetadata = (request: IncomingMessage): StoredObject['metadata'] => ({
  'content-type': request.headers['content-type'] ?? 'binary/octet-stream',
  ...Object.fromEntries(listMetadata(request)),
})

const maxKeyBytes = 1024
const maxMetadataBytes = 2048

/** Returns the reason to reject an upload with its headers. */
const findUploadError = (request: IncomingMessage, key: string): S3ErrorCode | undefined => {
  const { 'x-amz-content-sha256': hash, 'content-length': length } = request.headers
  // Chunks with signatures would be stored with the content.
  if (String(hash).startsWith('STREAMING-')) return 'NotImplemented'
  if (length === undefined) return 'MissingContentLength'
  if (Buffer.byteLength(key) > maxKeyBytes) return 'KeyTooLongError'
  const bytes = listMetadata(request).map(([name, value]) => name.length - metadataPrefix.length + value.length)
  return bytes.reduce((sum, count) => sum + count, 0) > maxMetadataBytes ? 'MetadataTooLarge' : undefined
}

const respondWithObject = ({ method, headers }: IncomingMessage, object: StoredObject): FakeResponse => {
  const { content } = object
  const about = Object.fromEntries(Object.entries(object.metadata).map(([name, value]) => [name, String(value)]))
  const first = /^bytes=(\d+)-/.exec(headers.range ?? '')?.[1]
  if (first !== undefined && Number(first) >= content.length) return reject('InvalidRange')
  const part = method === 'GET' ? getPart(content, headers.range) : undefined
  if (part !== undefined) return { ...part, headers: { ...about, ...part.headers } }
  const head = { ...about, 'content-length': String(content.length) }
  return { status: 200, headers: head, body: method === 'HEAD' ? '' : content }
}

/** Starts a fake that requires requests to be signed with the access key. */
export const startS3Server = async (conditionalWrites: ConditionalWrites = 'supported'): Promise<S3Server> => {
  let conditionalUploads = 0
  const fake = await startFakeStorage(({ objects, failures }) => {
    const uploads = createMultipartUploads()

    const store = (request: IncomingMessage, key: string, object: StoredObject): FakeResponse => {
      if (request.headers['if-none-match'] !== undefined) {
        conditionalUploads += 1
        if (conditionalWrites !== 'supported')
          return respondWithError(conditionalWrites.status, conditionalWrites.code, 'A header is not supported')
        if (objects.has(key)) return reject('PreconditionFailed')
      }
      objects.set(key, object)
      return { status: 200, headers: { etag: String(object.metadata['etag']) } }
    }

    const respondToMultipart = (request: IncomingMessage, key: string, query: URLSearchParams, body: Buffer) => {
      const { method } = request
      const id = query.get('uploadId') ?? ''
      if (method === 'POST' && query.has('uploads')) return uploads.create(key, readMetadata(request))
      if (method === 'PUT') return uploads.putPart(key, id, Number(query.get('partNumber')), body)
      if (method === 'DELETE') return uploads.abort(key, id)
      if (method !== 'POST') return reject('NotImplemented')
      return uploads.complete(key, id, body.toString(), (object) => store(request, key, object))
    }

    const respondToObject = (request: IncomingMessage, key: string, body: Buffer): FakeResponse => {
      if (request.method === 'PUT') {
        const metadata = { ...readMetadata(request), etag: getEntityTag(body) }
        return store(request, key, { content: body, metadata })
      }
      if (request.method === 'DELETE') {
        // The deletion of an object that does not exist succeeds too.
        objects.delete(key)
        return { status: 204 }
      }
      const object = objects.get(key)
      return object === undefined ? reject('NoSuchKey') : respondWithObject(request, object)
    }

    return (request, { pathname, searchParams }, body) => {
      const [, bucket, ...segments] = decodeURIComponent(pathname).split('/')
      const key = segments.join('/')
      const error =
        findAuthorizationError(request, body) ??
        (failures.pop() === undefined ? undefined : 'SlowDown') ??
        (bucket === bucketName ? undefined : 'NoSuchBucket') ??
        (['PUT', 'POST'].includes(request.method ?? '') ? findUploadError(request, key) : undefined)
      if (error !== undefined) return reject(error)
      // `x-id` repeats the name of the operation.
      const operations = [...searchParams.keys()].filter((name) => name !== 'x-id')
      if (operations.length === 0 && key !== '') return respondToObject(request, key, body)
      const isMultipart = operations.every((name) => ['uploads', 'uploadId', 'partNumber'].includes(name))
      return isMultipart && key !== '' ? respondToMultipart(request, key, searchParams, body) : reject('NotImplemented')
    }
  })
  return {
    ...fake,
    credential: {
      vendor: 's3_compatible',
      endpoint: fake.origin,
      name: bucketName,
      access_key_id: accessKey.id,
      secret_access_key: accessKey.secret,
    },
    conditionalUploads: () => conditionalUploads,
  }
}
