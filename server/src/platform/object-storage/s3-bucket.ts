import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  type S3ClientConfig,
} from '@aws-sdk/client-s3'
import type { StorageCredential } from '@patchbay/contract/recording-storage'
import { defaultRegion } from '@patchbay/contract/rules/recording-storage'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { type Bucket, type StorageNetwork, unlessAbsent } from './object-storage.ts'
import { publicAgents } from '../outgoing/public-agents.ts'
import { tagsAsMetadata } from './tags.ts'

type S3Credential = Extract<StorageCredential, { vendor: 'aws_s3' | 's3_compatible' }>

const second = 1000

const statusOf = (error: unknown) => (error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined)

/** Addressed as the platform does: by path and in us-east-1 where it is not AWS itself (api/1-identity.md §8.6). */
const addressOf = (credential: S3Credential): S3ClientConfig =>
  credential.vendor === 'aws_s3'
    ? { region: credential.region }
    : { region: credential.region || defaultRegion, endpoint: credential.endpoint, forcePathStyle: true }

export const openS3Bucket = (
  credential: S3Credential,
  { privateNetworks }: StorageNetwork,
  seconds: number,
): Bucket => {
  const { name: Bucket, access_key_id, secret_access_key, tags } = credential
  const agents = publicAgents(privateNetworks)
  const client = new S3Client({
    ...addressOf(credential),
    credentials: { accessKeyId: access_key_id, secretAccessKey: secret_access_key },
    maxAttempts: 2,
    // Checksums beyond the old ones are unknown to many servers that are S3-compatible.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 5 * second,
      requestTimeout: seconds * second,
      httpAgent: agents.http,
      httpsAgent: agents.https,
    },
  })
  return {
    async upload(Key, { path, type, metadata }, abortSignal) {
      const { size } = await stat(path)
      const put = new PutObjectCommand({
        Bucket,
        Key,
        Body: createReadStream(path),
        ContentLength: size,
        ContentType: type,
        Metadata: { ...metadata, ...tagsAsMetadata(tags) },
      })
      await client.send(put, { abortSignal })
    },
    async find(Key) {
      const found = await client.send(new HeadObjectCommand({ Bucket, Key })).catch(unlessAbsent(statusOf))
      return found && { size: found.ContentLength ?? 0, metadata: found.Metadata ?? {} }
    },
    async readPart(Key, { first, last }, abortSignal) {
      const get = new GetObjectCommand({ Bucket, Key, Range: `bytes=${first}-${last}` })
      const { Body } = await client.send(get, { abortSignal })
      return Body instanceof Readable ? Body : Readable.from([])
    },
    async write(Key, content, abortSignal) {
      const Metadata = tagsAsMetadata(tags)
      const put = new PutObjectCommand({ Bucket, Key, Body: content, ContentType: 'text/plain', Metadata })
      await client.send(put, { abortSignal })
    },
    async read(Key, abortSignal) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }), { abortSignal })
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    },
    async remove(Key, abortSignal) {
      await client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal })
    },
  }
}
