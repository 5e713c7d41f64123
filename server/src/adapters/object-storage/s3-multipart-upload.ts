import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { splitStream } from '../../lib/split-stream.ts'
import { mebibyte } from '../outbound-http/transport.ts'

/**
 * Size of a part. S3 accepts 10,000 parts of at least 5 MB, so parts grow with the object: the first thousand has 8 GB,
 * and all have 870 GB.
 */
const getPartBytes = (position: number): number => 8 * mebibyte * 2 ** Math.min(4, Math.floor(position / 1000))

/** Uploads content of unknown size. The object exists only if all parts have arrived; otherwise they are discarded. */
export const uploadInParts = async (
  client: S3Client,
  object: { Bucket: string; Key: string },
  content: AsyncIterable<Buffer>,
  abortSignal: AbortSignal,
): Promise<void> => {
  const create = new CreateMultipartUploadCommand({ ...object, ContentType: 'application/octet-stream' })
  const { UploadId } = await client.send(create, { abortSignal })
  const upload = { ...object, UploadId }
  try {
    const Parts: CompletedPart[] = []
    for await (const Body of splitStream(content, getPartBytes)) {
      const PartNumber = Parts.length + 1
      const part = new UploadPartCommand({ ...upload, PartNumber, Body, ContentLength: Body.length })
      const { ETag } = await client.send(part, { abortSignal })
      Parts.push({ PartNumber, ETag })
    }
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }), { abortSignal })
  } catch (error) {
    // The first error says more than a failure to discard the parts, which a lifecycle rule of the bucket removes then.
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined)
    throw error
  }
}
