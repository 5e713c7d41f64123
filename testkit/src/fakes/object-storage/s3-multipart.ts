import { createHash, randomUUID } from 'node:crypto'
import { bucketName, type FakeResponse, type StoredObject } from './fake-storage.ts'
import { reject, respondWithXml } from './s3-responses.ts'

/** Multipart uploads of the fake of Amazon S3 (docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html). */

const hashMd5 = (content: Buffer): Buffer => createHash('md5').update(content).digest()

/** Returns the entity tag of an object or a part. */
export const getEntityTag = (content: Buffer): string => `"${hashMd5(content).toString('hex')}"`

interface Upload {
  key: string
  metadata: StoredObject['metadata']
  /** The parts by number. */
  parts: Map<number, Buffer>
}

interface ListedPart {
  number: number
  entityTag: string
}

/** Returns the parts that the client lists, or undefined if a part is incomplete or there is none. */
const parsePartList = (xml: string): ListedPart[] | undefined => {
  const parts = [...xml.matchAll(/<Part>(.*?)<\/Part>/gs)].flatMap(([, part = '']) => {
    const number = /<PartNumber>(\d+)<\/PartNumber>/.exec(part)?.[1]
    const entityTag = /<ETag>(.*?)<\/ETag>/.exec(part)?.[1]?.replaceAll('&quot;', '"')
    return [number === undefined || entityTag === undefined ? undefined : { number: Number(number), entityTag }]
  })
  const complete = parts.filter((part) => part !== undefined)
  return complete.length === 0 || complete.length < parts.length ? undefined : complete
}

/** The size that all parts but the last one need. */
const minPartBytes = 5 * 1024 * 1024

/** Assembles the listed parts, or rejects the list. */
const assemble = ({ metadata, parts }: Upload, list: readonly ListedPart[]): StoredObject | FakeResponse => {
  const contents = list.map(({ number }) => parts.get(number)).filter((content) => content !== undefined)
  const isUploaded = ({ number, entityTag }: ListedPart) => {
    const content = parts.get(number)
    return content !== undefined && getEntityTag(content) === entityTag
  }
  if (!list.every(isUploaded)) return reject('InvalidPart')
  if (list.some(({ number }, index) => number <= (list[index - 1]?.number ?? 0))) return reject('InvalidPartOrder')
  if (contents.slice(0, -1).some(({ length }) => length < minPartBytes)) return reject('EntityTooSmall')
  const entityTag = `"${hashMd5(Buffer.concat(contents.map(hashMd5))).toString('hex')}-${list.length}"`
  return { content: Buffer.concat(contents), metadata: { ...metadata, etag: entityTag } }
}

export const createMultipartUploads = () => {
  const uploads = new Map<string, Upload>()

  return {
    create(key: string, metadata: StoredObject['metadata']): FakeResponse {
      const id = randomUUID()
      uploads.set(id, { key, metadata, parts: new Map() })
      return respondWithXml(
        200,
        `<InitiateMultipartUploadResult><Bucket>${bucketName}</Bucket><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      )
    },

    putPart(key: string, id: string, number: number, content: Buffer): FakeResponse {
      const upload = uploads.get(id)
      if (upload?.key !== key) return reject('NoSuchUpload')
      if (!Number.isInteger(number) || number < 1 || number > 10_000) return reject('InvalidArgument')
      upload.parts.set(number, content)
      return { status: 200, headers: { etag: getEntityTag(content) } }
    },

    /** @param store stores the object, or rejects it, after which the upload can be completed again */
    complete(key: string, id: string, xml: string, store: (object: StoredObject) => FakeResponse): FakeResponse {
      const upload = uploads.get(id)
      if (upload?.key !== key) return reject('NoSuchUpload')
      const list = parsePartList(xml)
      if (list === undefined) return reject('MalformedXML')
      const object = assemble(upload, list)
      if ('status' in object) return object
      const response = store(object)
      if (response.status !== 200) return response
      uploads.delete(id)
      const etag = String(object.metadata['etag']).replaceAll('"', '&quot;')
      return respondWithXml(200, `<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>`)
    },

    abort(key: string, id: string): FakeResponse {
      if (uploads.get(id)?.key !== key) return reject('NoSuchUpload')
      uploads.delete(id)
      return { status: 204 }
    },
  }
}
