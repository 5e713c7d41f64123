import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { bucketName, type FakeResponse, type FakeStorage, getPart, startFakeStorage } from './fake-storage.ts'

/** A fake of Azure Blob Storage with block blobs in one container (learn.microsoft.com/rest/api/storageservices). */

export interface AzureServer extends FakeStorage {
  credential: { vendor: string; name: string; connection_string: string }
}

/** Statuses and messages of Azure's error codes. */
const errors = {
  AuthenticationFailed: [403, 'Server failed to authenticate the request.'],
  BlobAlreadyExists: [409, 'The specified blob already exists.'],
  BlobNotFound: [404, 'The specified blob does not exist.'],
  ContainerNotFound: [404, 'The specified container does not exist.'],
  InvalidBlobOrBlock: [400, 'The specified blob or block content is invalid.'],
  InvalidBlockList: [400, 'The specified block list is invalid.'],
  InvalidHeaderValue: [400, 'The value for one of the HTTP headers is not in the correct format.'],
  InvalidMetadata: [400, 'The metadata specified is invalid. It has characters that are not permitted.'],
  InvalidQueryParameterValue: [400, 'Value for one of the query parameters specified in the request URI is invalid.'],
  InvalidXmlDocument: [400, 'XML specified is not syntactically valid.'],
  Md5Mismatch: [400, 'The MD5 value specified in the request did not match with the calculated value.'],
  MissingContentLengthHeader: [411, 'The Content-Length header was not specified.'],
  MissingRequiredHeader: [400, 'An HTTP header that is mandatory for this request is not specified.'],
  NoAuthenticationInformation: [401, 'Server failed to authenticate the request.'],
  ServerBusy: [503, 'The server is currently unable to receive requests. Please retry your request.'],
} as const

const reject = (code: keyof typeof errors, message: string = errors[code][1]): FakeResponse => ({
  status: errors[code][0],
  headers: { 'x-ms-error-code': code, 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`,
})

/**
 * Returns the text to sign for Shared Key (Azure Storage REST: Authorize with Shared Key, version 2015-02-21 and
 * later).
 */
const sharedKeyText = ({ method = '', headers }: IncomingMessage, url: URL, account: string): string => {
  const length = headers['content-length'] ?? ''
  const standard = [
    method,
    headers['content-encoding'],
    headers['content-language'],
    length === '0' ? '' : length,
    headers['content-md5'],
    headers['content-type'],
    '', // Date: replaced by x-ms-date.
    headers['if-modified-since'],
    headers['if-match'],
    headers['if-none-match'],
    headers['if-unmodified-since'],
    headers['range'],
  ].map((value) => value ?? '')
  const own = Object.entries(headers)
    .filter(([name]) => name.startsWith('x-ms-'))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}:${String(value)}`)
  const query = [...url.searchParams]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}:${value}`)
  return [...standard, ...own, [`/${account}${url.pathname}`, ...query].join('\n')].join('\n')
}

const account = 'recorder'
const key = Buffer.from('the key of the storage account').toString('base64')
const maxSkewMs = 15 * 60_000

/** Rejects requests with an invalid version, date, or signature (Azure Storage REST: Authorize). */
const checkAuthorization = (request: IncomingMessage, url: URL): FakeResponse | undefined => {
  const { authorization, 'x-ms-version': version, 'x-ms-date': date } = request.headers
  if (!/^20\d\d-\d\d-\d\d$/.test(String(version))) return reject('InvalidHeaderValue')
  if (authorization === undefined) return reject('NoAuthenticationInformation')
  // A date that cannot be parsed is not within the limit either.
  if (!(Math.abs(Date.now() - Date.parse(String(date))) <= maxSkewMs))
    return reject('AuthenticationFailed', 'Request date header too old.')
  const signature = createHmac('sha256', Buffer.from(key, 'base64'))
    .update(sharedKeyText(request, url, account), 'utf8')
    .digest('base64')
  return authorization === `SharedKey ${account}:${signature}` ? undefined : reject('AuthenticationFailed')
}

/** Rejects uploads whose headers are incomplete or do not match the content. */
const checkUpload = ({ headers }: IncomingMessage, body: Buffer): FakeResponse | undefined => {
  if (headers['content-length'] === undefined) return reject('MissingContentLengthHeader')
  const md5 = headers['content-md5']
  if (md5 !== undefined && md5 !== createHash('md5').update(body).digest('base64')) return reject('Md5Mismatch')
  const names = Object.keys(headers).filter((name) => name.startsWith('x-ms-meta-'))
  // Names have to be identifiers of C#.
  return names.every((name) => /^x-ms-meta-[a-z_]\w*$/.test(name)) ? undefined : reject('InvalidMetadata')
}

const readMetadata = ({ headers }: IncomingMessage) => ({
  contentType: headers['x-ms-blob-content-type'],
  ...Object.fromEntries(Object.entries(headers).filter(([header]) => header.startsWith('x-ms-meta-'))),
})

/** Azure accepts identifiers in Base64 of at most 64 bytes. */
const isBlockId = (id: string): boolean => {
  const bytes = Buffer.from(id, 'base64')
  return bytes.length > 0 && bytes.length <= 64 && bytes.toString('base64') === id
}

/** Returns the block identifiers of a block list, or undefined if it is not such a document. */
const parseBlockList = (xml: string): string[] | undefined => {
  const content = /^(?:<\?xml[^>]*\?>)?\s*<BlockList>(.*)<\/BlockList>\s*$/s.exec(xml)?.[1]
  const blocks = [...(content ?? '').matchAll(/<(Latest|Uncommitted)>([^<]+)<\/\1>/g)]
  const rest = blocks.reduce((text, [block]) => text.replace(block, ''), content ?? '')
  return content === undefined || rest.trim() !== '' ? undefined : blocks.map(([, , id = '']) => id)
}

/** Starts a fake that requires requests to be signed with the key of the account. */
export const startAzureServer = async (): Promise<AzureServer> => {
  const fake = await startFakeStorage(({ objects, failures }) => {
    /** Blocks that are not committed, by blob and block identifier. */
    const blocksByBlob = new Map<string, Map<string, Buffer>>()

    const putBlock = (name: string, id: string, body: Buffer): FakeResponse => {
      if (!isBlockId(id)) return reject('InvalidQueryParameterValue')
      const blocks = blocksByBlob.get(name) ?? new Map<string, Buffer>()
      if ([...blocks.keys()].some(({ length }) => length !== id.length) || body.length === 0)
        return reject('InvalidBlobOrBlock')
      blocksByBlob.set(name, blocks.set(id, body))
      return { status: 201 }
    }

    /** Creates a blob from its content or, for a block list, from its blocks. */
    const putBlob = (name: string, request: IncomingMessage, body: Buffer, isBlockList: boolean): FakeResponse => {
      const { headers } = request
      if (!isBlockList && headers['x-ms-blob-type'] === undefined) return reject('MissingRequiredHeader')
      if (!isBlockList && headers['x-ms-blob-type'] !== 'BlockBlob') return reject('InvalidHeaderValue')
      if (headers['if-none-match'] === '*' && objects.has(name)) return reject('BlobAlreadyExists')
      const ids = isBlockList ? parseBlockList(body.toString()) : []
      if (ids === undefined) return reject('InvalidXmlDocument')
      const blocks = ids.map((id) => blocksByBlob.get(name)?.get(id))
      const content = isBlockList ? blocks.filter((block) => block !== undefined) : [body]
      if (isBlockList && content.length < blocks.length) return reject('InvalidBlockList')
      // A commit also discards the blocks that are not in the list.
      blocksByBlob.delete(name)
      objects.set(name, { content: Buffer.concat(content), metadata: readMetadata(request) })
      return { status: 201, headers: { etag: '"1"', 'last-modified': new Date().toUTCString() } }
    }

    const put = (name: string, request: IncomingMessage, { searchParams }: URL, body: Buffer): FakeResponse => {
      const rejection = checkUpload(request, body)
      if (rejection) return rejection
      const operation = searchParams.get('comp')
      if (operation === 'block') return putBlock(name, searchParams.get('blockid') ?? '', body)
      if (operation === null || operation === 'blocklist') return putBlob(name, request, body, operation !== null)
      return reject('InvalidQueryParameterValue')
    }

    return (request, url, body) => {
      const rejection = checkAuthorization(request, url)
      if (rejection) return rejection
      if (failures.pop() !== undefined) return reject('ServerBusy')
      const [, , container, ...parts] = decodeURIComponent(url.pathname).split('/')
      const name = parts.join('/')
      if (container !== bucketName) return reject('ContainerNotFound')
      const { method, headers } = request
      if (method === 'PUT') return put(name, request, url, body)
      const object = objects.get(name)
      if (object === undefined) return reject('BlobNotFound')
      if (method === 'DELETE') {
        objects.delete(name)
        return { status: 202 }
      }
      const about = Object.entries(object.metadata).map(([member, value]) => [member, String(value)])
      const always = { etag: '"1"', 'last-modified': new Date().toUTCString(), ...Object.fromEntries(about) }
      const part = method === 'GET' ? getPart(object.content, headers['x-ms-range']) : undefined
      if (part !== undefined) return { ...part, headers: { ...always, ...part.headers } }
      const head = { ...always, 'content-length': String(object.content.length) }
      return { status: 200, headers: head, body: method === 'HEAD' ? '' : object.content }
    }
  })
  const connection_string = [
    'DefaultEndpointsProtocol=http',
    `AccountName=${account}`,
    `AccountKey=${key}`,
    `BlobEndpoint=${fake.origin}/${account}`,
  ].join(';')
  return { ...fake, credential: { vendor: 'azure', name: bucketName, connection_string } }
}
