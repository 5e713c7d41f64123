import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type S3Server, startS3Server } from './s3.ts'

let server: S3Server
let client: S3Client

/** Creates a client with the options that servers other than Amazon S3 need. */
const createClient = ({ credential }: S3Server, keys: { id?: string; secret?: string } = {}): S3Client =>
  new S3Client({
    region: 'us-east-1',
    endpoint: credential.endpoint,
    forcePathStyle: true,
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    credentials: {
      accessKeyId: keys.id ?? credential.access_key_id,
      secretAccessKey: keys.secret ?? credential.secret_access_key,
    },
  })

beforeAll(async () => {
  server = await startS3Server()
  client = createClient(server)
})
afterAll(() => server.stop())
beforeEach(() => server.objects.clear())

const object = { Bucket: 'recordings', Key: 'folder/a name+ä.wav' }

/** Returns the status and the error code of a request that S3 rejects. */
const getRejection = async (request: Promise<unknown>): Promise<unknown> => {
  const error: unknown = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof S3ServiceException ? [error.$metadata.httpStatusCode, error.name] : error
}

const read = async (Range?: string) => {
  const { Body, ContentRange } = await client.send(new GetObjectCommand({ ...object, Range }))
  return [await Body?.transformToString(), ContentRange]
}

describe('an object', () => {
  test('is stored with its type and its metadata, returned completely and in ranges, and deleted', async () => {
    const Metadata = { 'cost-center': '17' }
    const { ETag } = await client.send(
      new PutObjectCommand({ ...object, Body: 'content', ContentType: 'audio/wav', Metadata }),
    )
    const head = await client.send(new HeadObjectCommand(object))
    expect(head).toMatchObject({ ContentLength: 7, ContentType: 'audio/wav', Metadata, ETag })
    expect(await read()).toEqual(['content', undefined])
    expect(await read('bytes=1-3')).toEqual(['ont', 'bytes 1-3/7'])
    expect(await getRejection(read('bytes=7-9'))).toEqual([416, 'InvalidRange'])
    await client.send(new DeleteObjectCommand(object))
    expect(await getRejection(read())).toEqual([404, 'NoSuchKey'])
    expect(await getRejection(client.send(new HeadObjectCommand(object)))).toEqual([404, 'NotFound'])
    await client.send(new DeleteObjectCommand(object))
  })

  test('is not replaced by an upload with a condition', async () => {
    const create = (Body: string) => client.send(new PutObjectCommand({ ...object, Body, IfNoneMatch: '*' }))
    const results = await Promise.all([create('first'), create('other')].map(getRejection))
    expect(results.filter((result) => result !== undefined)).toEqual([[412, 'PreconditionFailed']])
    expect(server.conditionalUploads()).toBe(2)
    await client.send(new PutObjectCommand({ ...object, Body: 'replaced' }))
    expect(await read()).toEqual(['replaced', undefined])
  })

  test.each<[string, Partial<typeof object> & { Metadata?: Record<string, string> }, unknown]>([
    ['an unknown bucket', { Bucket: 'nowhere' }, [404, 'NoSuchBucket']],
    ['a key of more than 1,024 bytes', { Key: 'ä'.repeat(513) }, [400, 'KeyTooLongError']],
    ['metadata of more than 2 KB', { Metadata: { tag: 'x'.repeat(2048) } }, [400, 'MetadataTooLarge']],
  ])('is rejected with %s', async (_, wrong, error) => {
    const put = new PutObjectCommand({ ...object, Body: 'content', ...wrong })
    expect(await getRejection(client.send(put))).toEqual(error)
    expect(server.objects.size).toBe(0)
  })
})

test.each([
  ['an unknown access key', { id: 'AKIAOTHER' }, [403, 'InvalidAccessKeyId']],
  ['a wrong secret', { secret: 'wrong' }, [403, 'SignatureDoesNotMatch']],
])('rejects requests with %s', async (_, keys, error) => {
  expect(await getRejection(createClient(server, keys).send(new GetObjectCommand(object)))).toEqual(error)
})

test('rejects requests without a signature, and operations that it does not know', async () => {
  expect((await fetch(`${server.origin}/recordings/object`)).status).toBe(403)
  const list = new ListObjectsV2Command({ Bucket: object.Bucket })
  expect(await getRejection(client.send(list))).toEqual([501, 'NotImplemented'])
})

test('rejects uploads with a condition as a compatible server does that does not know it', async () => {
  const compatible = await startS3Server({ status: 501, code: 'NotImplemented' })
  const put = new PutObjectCommand({ ...object, Body: 'content', IfNoneMatch: '*' })
  expect(await getRejection(createClient(compatible).send(put))).toEqual([501, 'NotImplemented'])
  await compatible.stop()
})

test('responds 503 as often as the test demands', async () => {
  server.failures.push(503)
  const put = new PutObjectCommand({ ...object, Body: 'content' })
  expect(await getRejection(client.send(put))).toEqual([503, 'SlowDown'])
  await client.send(put)
})

describe('a multipart upload', () => {
  const partBytes = 5 * 1024 * 1024
  const first = Buffer.alloc(partBytes, 'a')

  const start = async () => {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...object, ContentType: 'audio/wav' }))
    return { ...object, UploadId }
  }
  type Upload = Awaited<ReturnType<typeof start>>

  const putPart = async (upload: Upload, PartNumber: number, Body: Buffer | string) => {
    const { ETag } = await client.send(new UploadPartCommand({ ...upload, PartNumber, Body }))
    return { PartNumber, ETag }
  }
  const complete = (upload: Upload, Parts: { PartNumber: number; ETag?: string }[], IfNoneMatch?: string) =>
    client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts }, IfNoneMatch }))

  test('creates the object when it is completed, with the listed parts', async () => {
    const upload = await start()
    const last = await putPart(upload, 3, 'last')
    const parts = [await putPart(upload, 1, first), last]
    await putPart(upload, 2, 'not listed')
    expect(server.objects.size).toBe(0)
    const { ETag } = await complete(upload, parts)
    const head = await client.send(new HeadObjectCommand(object))
    expect(head).toMatchObject({ ContentLength: partBytes + 4, ContentType: 'audio/wav', ETag })
    expect(await read(`bytes=${partBytes - 1}-${partBytes + 3}`)).toEqual([
      'alast',
      `bytes ${partBytes - 1}-${partBytes + 3}/${partBytes + 4}`,
    ])
    expect(await getRejection(complete(upload, parts))).toEqual([404, 'NoSuchUpload'])
  })

  test('is rejected with parts that are unknown, out of order, or too small', async () => {
    const upload = await start()
    const [one, two] = [await putPart(upload, 1, 'small'), await putPart(upload, 2, 'last')]
    expect(await getRejection(complete(upload, []))).toEqual([400, 'MalformedXML'])
    expect(await getRejection(complete(upload, [one, { ...two, PartNumber: 3 }]))).toEqual([400, 'InvalidPart'])
    expect(await getRejection(complete(upload, [one, { ...two, ETag: one.ETag }]))).toEqual([400, 'InvalidPart'])
    expect(await getRejection(complete(upload, [two, one]))).toEqual([400, 'InvalidPartOrder'])
    expect(await getRejection(complete(upload, [one, two]))).toEqual([400, 'EntityTooSmall'])
    expect(await getRejection(putPart(upload, 10_001, 'x'))).toEqual([400, 'InvalidArgument'])
    await client.send(new AbortMultipartUploadCommand(upload))
    expect(await getRejection(putPart(upload, 1, 'x'))).toEqual([404, 'NoSuchUpload'])
    expect(server.objects.size).toBe(0)
  })

  test('does not replace an object if it has a condition', async () => {
    const upload = await start()
    const parts = [await putPart(upload, 1, 'parts')]
    await client.send(new PutObjectCommand({ ...object, Body: 'content' }))
    expect(await getRejection(complete(upload, parts, '*'))).toEqual([412, 'PreconditionFailed'])
    expect(await read()).toEqual(['content', undefined])
  })
})
