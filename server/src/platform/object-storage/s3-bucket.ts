import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3'
import type { StorageCredential } from '@patchbay/contract/recording-storage'
import { defaultRegion } from '@patchbay/contract/rules/recording-storage'
import type { Bucket, StorageNetwork } from './object-storage.ts'
import { publicAgents } from '../outgoing/public-agents.ts'
import { tagsAsMetadata } from './tags.ts'

type S3Credential = Extract<StorageCredential, { vendor: 'aws_s3' | 's3_compatible' }>

const seconds = 1000

/** Addressed as the platform does: by path and in us-east-1 where it is not AWS itself (api/1-identity.md §8.6). */
const addressOf = (credential: S3Credential): S3ClientConfig =>
  credential.vendor === 'aws_s3'
    ? { region: credential.region }
    : { region: credential.region || defaultRegion, endpoint: credential.endpoint, forcePathStyle: true }

export const openS3Bucket = (credential: S3Credential, { privateNetworks }: StorageNetwork): Bucket => {
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
      connectionTimeout: 5 * seconds,
      requestTimeout: 10 * seconds,
      httpAgent: agents.http,
      httpsAgent: agents.https,
    },
  })
  return {
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
