import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { StorageCredential } from '@patchbay/contract/recording-storage'
import { defaultRegion } from '@patchbay/contract/recordings/storage'
import { tagsAsMetadata } from '@patchbay/contract/recordings/storage-tags'
import { type AwsRequestOptions, awsLogger, createAwsRequestHandler } from '../outbound-http/aws-request-handler.ts'
import { type Bucket, ObjectExistsError, type StorageAccess, type Upload, unlessAbsent } from './bucket.ts'
import { uploadInParts } from './s3-multipart-upload.ts'

type S3Credential = Extract<StorageCredential, { vendor: 'aws_s3' | 's3_compatible' }>

const getStatus = (error: unknown) => (error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined)

const createOnly = { IfNoneMatch: '*' }

/** 409 means that a deletion or another conditional upload of the key was in progress at the same time. */
const isConflict = (error: unknown): boolean =>
  getStatus(error) === 412 || (error instanceof S3ServiceException && error.name === 'ConditionalRequestConflict')

/** S3-compatible servers without conditional writes either ignore the header or reject it in one of these ways. */
const isUnsupported = (error: unknown): boolean =>
  getStatus(error) === 501 ||
  (error instanceof S3ServiceException &&
    getStatus(error) === 400 &&
    (/^(?:NotImplemented|InvalidArgument|InvalidRequest|UnsupportedHeader)$/.test(error.name) ||
      /if-none-match/i.test(error.message)))

/**
 * Returns the region and endpoint. Storage other than AWS is addressed by path, in us-east-1 by default, as in jambonz
 * (docs/reference/platform-api/tenants.md#test-a-storage).
 */
const createClientConfig = (credential: S3Credential): S3ClientConfig =>
  credential.vendor === 'aws_s3'
    ? { region: credential.region }
    : { region: credential.region || defaultRegion, endpoint: credential.endpoint, forcePathStyle: true }

/** Opens a bucket of Amazon S3 or an S3-compatible storage. */
export const openS3Bucket = (credential: S3Credential, { transport, limits }: StorageAccess): Bucket => {
  const { name: Bucket, access_key_id, secret_access_key, tags } = credential
  const client = new S3Client({
    ...createClientConfig(credential),
    credentials: { accessKeyId: access_key_id, secretAccessKey: secret_access_key },
    maxAttempts: 2,
    logger: awsLogger,
    // Many S3-compatible servers do not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: createAwsRequestHandler(transport, limits.control),
  })
  /** Downloads an object or a range of it. */
  const download = async (
    object: { Key: string; Range?: string },
    maxBytes: number,
    abortSignal: AbortSignal,
  ): Promise<Readable> => {
    const options: AwsRequestOptions = { abortSignal, limits: limits.content(maxBytes) }
    const { Body } = await client.send(new GetObjectCommand({ Bucket, ...object }), options)
    return Body instanceof Readable ? Body : Readable.from([])
  }
  let hasConditionalWrites = true

  const putFile = async (
    Key: string,
    { path, type, metadata }: Upload,
    condition: Partial<typeof createOnly>,
    abortSignal: AbortSignal,
  ): Promise<void> => {
    const { size } = await stat(path)
    const Body = createReadStream(path)
    try {
      const Metadata = { ...tagsAsMetadata(tags), ...metadata }
      const put = { Bucket, Key, Body, ContentLength: size, ContentType: type, Metadata, ...condition }
      await client.send(new PutObjectCommand(put), { abortSignal })
    } finally {
      Body.destroy()
    }
  }

  return {
    async upload(Key, file, abortSignal) {
      if (!hasConditionalWrites) return putFile(Key, file, {}, abortSignal)
      try {
        await putFile(Key, file, createOnly, abortSignal)
      } catch (error) {
        if (isConflict(error)) throw new ObjectExistsError(Key, error)
        if (credential.vendor === 'aws_s3' || !isUnsupported(error)) throw error
        await putFile(Key, file, {}, abortSignal)
        hasConditionalWrites = false
      }
    },
    uploadStream: (Key, content, abortSignal) => uploadInParts(client, { Bucket, Key }, content, abortSignal),
    async find(Key, abortSignal) {
      const head = new HeadObjectCommand({ Bucket, Key })
      const object = await client.send(head, { abortSignal }).catch(unlessAbsent(getStatus))
      return object && { size: object.ContentLength ?? 0, metadata: object.Metadata ?? {} }
    },
    readPart: (Key, { first, last }, abortSignal) =>
      download({ Key, Range: `bytes=${first}-${last}` }, last - first + 1, abortSignal),
    async write(Key, content, abortSignal) {
      const Metadata = tagsAsMetadata(tags)
      const put = new PutObjectCommand({ Bucket, Key, Body: content, ContentType: 'text/plain', Metadata })
      await client.send(put, { abortSignal })
    },
    read: async (Key, maxBytes, abortSignal) => buffer(await download({ Key }, maxBytes, abortSignal)),
    async remove(Key, abortSignal) {
      await client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal })
    },
  }
}
