import { createHash, createHmac, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { access, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request as requestTo, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { importSPKI, jwtVerify } from 'jose'
import S3rver from 's3rver'
import { findSigningError, hasWrongBodyHash } from './aws-signature.ts'
import { getPort } from './ports.ts'

/** Fakes of the vendors' object storage on 127.0.0.1. They reject requests that the vendor rejects. */

/** Value for PRIVATE_NETWORKS. */
export const loopbackNetwork = '127.0.0.0/8'

const bucket = 'recordings'

const stopped = async (server: Server): Promise<void> => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

export interface S3Server {
  /** Credential for the vendor `s3_compatible`. */
  credential: { vendor: string; endpoint: string; name: string; access_key_id: string; secret_access_key: string }
  /** Returns the current object names of the bucket. */
  objects(): Promise<string[]>
  /** Returns the number of uploads with `If-None-Match`. */
  conditionalUploads(): number
  stop(): Promise<void>
}

const region = 'us-east-1'

const accessKey = { id: 'S3RVER', secret: 'S3RVER' }

const s3Error = (code: string, message: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`

/** Responses to requests that are not signed correctly. */
const signingErrors = {
  SignatureDoesNotMatch: {
    status: 403,
    message: 'The request signature we calculated does not match the signature you provided.',
  },
  AuthorizationHeaderMalformed: {
    status: 400,
    message: `The authorization header is malformed; the region is wrong; expecting '${region}'`,
  },
  RequestTimeTooSkewed: {
    status: 403,
    message: 'The difference between the request time and the current time is too large.',
  },
  XAmzContentSHA256Mismatch: {
    status: 400,
    message: "The provided 'x-amz-content-sha256' header does not match what was computed.",
  },
} as const

/** Response to uploads with `If-None-Match: *`: like Amazon S3, or a fixed error. */
export type ConditionalWrites = 'supported' | { status: number; code: string }

/** Runs jobs one after another. */
const createSequence = () => {
  let last: Promise<unknown> = Promise.resolve()
  return (job: () => Promise<void>): void => {
    last = last.then(job, job)
  }
}

/**
 * Starts an S3 server with one bucket. Requires signatures and supports conditional uploads, which s3rver does not
 * check.
 */
export const startS3Server = async (conditionalWrites: ConditionalWrites = 'supported'): Promise<S3Server> => {
  const directory = await mkdtemp(join(tmpdir(), 'patchbay-s3-'))
  const s3 = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    resetOnClose: false,
    configureBuckets: [{ name: bucket, configs: [] }],
  })
  const { port } = await s3.run()
  const isOurs = ({ headers }: IncomingMessage) => headers.authorization?.includes(`Credential=${accessKey.id}/`)
  const reject = (response: ServerResponse, code: keyof typeof signingErrors): void => {
    const { status, message } = signingErrors[code]
    response.writeHead(status, { 'content-type': 'application/xml' }).end(s3Error(code, message))
  }
  const forward = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(incoming)
    if (hasWrongBodyHash(incoming, body)) return reject(response, 'XAmzContentSHA256Mismatch')
    const { method, url, headers } = incoming
    const forwardedRequest = requestTo({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    forwardedRequest.end(body)
  }
  const sequence = createSequence()
  const putNew = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://127.0.0.1')
    const exists = await access(join(directory, `${decodeURIComponent(pathname)}._S3rver_object`)).then(
      () => true,
      () => false,
    )
    if (exists) {
      const body = s3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold')
      response.writeHead(412, { 'content-type': 'application/xml' }).end(body)
      return
    }
    const over = once(response, 'close')
    await forward(incoming, response)
    await over
  }
  let conditionalUploads = 0
  const answerConditional = (incoming: IncomingMessage, response: ServerResponse) => {
    conditionalUploads += 1
    if (conditionalWrites === 'supported') return sequence(() => putNew(incoming, response))
    const { status, code } = conditionalWrites
    response.writeHead(status, { 'content-type': 'application/xml' }).end(s3Error(code, 'A header is not supported'))
  }
  const server = createServer((incoming, response) => {
    // s3rver itself rejects unknown access keys.
    const error = isOurs(incoming) ? findSigningError(incoming, { service: 's3', region, key: accessKey }) : undefined
    if (error) return reject(response, error)
    if (incoming.method !== 'PUT' || incoming.headers['if-none-match'] === undefined) void forward(incoming, response)
    else answerConditional(incoming, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    credential: {
      vendor: 's3_compatible',
      endpoint: `http://127.0.0.1:${getPort(server)}`,
      name: bucket,
      access_key_id: accessKey.id,
      secret_access_key: accessKey.secret,
    },
    objects: () => readdir(join(directory, bucket), { recursive: true }),
    conditionalUploads: () => conditionalUploads,
    async stop() {
      await stopped(server)
      await s3.close()
      await rm(directory, { recursive: true })
    },
  }
}

interface StoredObject {
  content: Buffer
  metadata: Readonly<Record<string, unknown>>
}

/** Objects of a fake and the requests that it has received. */
interface Fake {
  origin: string
  objects: Map<string, StoredObject>
  requests: string[]
  stop(): Promise<void>
}

type Answering = (request: IncomingMessage, url: URL, body: Buffer) => Promise<Answered>

interface Answered {
  status: number
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
}

const startFake = async (answering: (fake: Pick<Fake, 'objects' | 'requests'>) => Answering): Promise<Fake> => {
  const contents = { objects: new Map<string, StoredObject>(), requests: [] as string[] }
  const answer = answering(contents)
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    contents.requests.push(`${request.method} ${decodeURIComponent(url.pathname)}`)
    const { status, headers = {}, body = '' } = await answer(request, url, await buffer(request))
    response.writeHead(status, headers).end(body)
  }
  const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    ...contents,
    origin: `http://127.0.0.1:${getPort(server)}`,
    stop: () => stopped(server),
  }
}

/** Returns the requested part of an object if the Range header has both ends. */
const getPart = (content: Buffer, range: unknown): Answered | undefined => {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(String(range)) ?? []
  if (first === undefined || last === undefined) return undefined
  const body = content.subarray(Number(first), Number(last) + 1)
  const headers = { 'content-range': `bytes ${first}-${last}/${content.length}`, 'content-length': String(body.length) }
  return { status: 206, headers, body }
}

const json = (status: number, body: object): Answered => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const googleError = (status: number, message: string): Answered =>
  json(status, { error: { code: status, message, errors: [{ message, domain: 'global', reason: 'refused' }] } })

export interface GoogleServer extends Fake {
  /** Redirects requests for Google's hosts to this fake. */
  vendorAddresses: Readonly<Record<string, string>>
  credential: { vendor: string; name: string; service_key: string }
  /** Makes all tokens expire that have been issued. */
  expireTokens(): void
  /** Rejects as many of the next requests for objects with this status. */
  fail(status: 429 | 503, count: number): void
}

/** Splits a multipart/related body (RFC 2387) into metadata and content. */
const splitMultipart = (contentType: string, body: Buffer): Buffer[] => {
  const boundary = /boundary="?([^";]+)/.exec(contentType)?.[1]
  if (boundary === undefined) return []
  return body
    .toString('latin1')
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => Buffer.from(part.slice(part.indexOf('\r\n\r\n') + 4, -2), 'latin1'))
}

const hashMd5 = (content: Buffer): string => createHash('md5').update(content).digest('base64')

/**
 * A fake of Google Cloud Storage. It issues a token for a request signed with the account's key, and requires the token
 * in all other requests.
 */
export const startGoogleServer = async (): Promise<GoogleServer> => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const client_email = 'recorder@project.iam.gserviceaccount.com'
  let token = 'a token of the fake'
  const path = `/storage/v1/b/${bucket}/o/`

  const failures: number[] = []

  const handToken = async (body: Buffer): Promise<Answered> => {
    const form = new URLSearchParams(body.toString())
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') return json(400, { error: 'grant' })
    try {
      const { payload } = await jwtVerify(form.get('assertion') ?? '', await importSPKI(publicKey, 'RS256'), {
        issuer: client_email,
        audience: 'https://oauth2.googleapis.com/token',
      })
      if (!String(payload['scope']).includes('devstorage')) return json(400, { error: 'scope' })
    } catch {
      return json(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' })
    }
    return json(200, { access_token: token, expires_in: 3600, token_type: 'Bearer' })
  }

  const fake = await startFake(({ objects }) => async (request, url, body) => {
    const { method, headers } = request
    if (url.pathname === '/token') return handToken(body)
    if (headers.authorization !== `Bearer ${token}`) return googleError(401, 'Invalid Credentials')
    if (failures.length > 0) return googleError(failures.pop() ?? 503, 'Try again later.')
    if (method === 'POST' && url.pathname === `/upload/storage/v1/b/${bucket}/o`) {
      const [metadata, content] = splitMultipart(headers['content-type'] ?? '', body)
      if (url.searchParams.get('uploadType') !== 'multipart' || metadata === undefined || content === undefined)
        return googleError(400, 'Malformed upload')
      const name = url.searchParams.get('name') ?? ''
      if (url.searchParams.get('ifGenerationMatch') === '0' && objects.has(name))
        return googleError(412, 'At least one of the pre-conditions you specified did not hold.')
      const { contentType, metadata: tags = {} } = JSON.parse(metadata.toString()) as Record<string, object>
      objects.set(name, { content, metadata: { contentType, ...tags } })
      return json(200, {
        kind: 'storage#object',
        bucket,
        name,
        size: String(content.length),
        md5Hash: hashMd5(content),
      })
    }
    const name = decodeURIComponent(url.pathname.slice(path.length))
    const object = url.pathname.startsWith(path) ? objects.get(name) : undefined
    if (object === undefined) return googleError(404, 'The specified bucket does not exist.')
    if (method === 'DELETE') {
      objects.delete(name)
      return { status: 204 }
    }
    if (url.searchParams.get('alt') !== 'media') {
      const { contentType, ...metadata } = object.metadata
      return json(200, { kind: 'storage#object', name, size: String(object.content.length), contentType, metadata })
    }
    const hash = { 'x-goog-hash': `md5=${hashMd5(object.content)}` }
    return getPart(object.content, headers.range) ?? { status: 200, headers: hash, body: object.content }
  })
  const service_key = { type: 'service_account', project_id: 'project', client_email, private_key: privateKey }
  const vendorAddresses = { 'storage.googleapis.com': fake.origin, 'oauth2.googleapis.com': fake.origin }
  return {
    ...fake,
    vendorAddresses,
    expireTokens() {
      token = `${token}, renewed`
    },
    fail(status, count) {
      failures.push(...Array.from({ length: count }, () => status))
    },
    credential: { vendor: 'google', name: bucket, service_key: JSON.stringify(service_key) },
  }
}

export interface AzureServer extends Fake {
  credential: { vendor: string; name: string; connection_string: string }
}

const azureError = (status: number, code: string, message: string): Answered => ({
  status,
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

const maxAzureSkewMs = 15 * 60_000

/** Rejects requests without a valid version, and requests that are too old (Azure Storage REST: Authorize). */
const checkAzureHeaders = ({ headers }: IncomingMessage): Answered | undefined => {
  if (!/^20\d\d-\d\d-\d\d$/.test(String(headers['x-ms-version'])))
    return azureError(400, 'InvalidHeaderValue', 'The value for one of the HTTP headers is not in the correct format.')
  const time = Date.parse(String(headers['x-ms-date']))
  if (Math.abs(Date.now() - time) <= maxAzureSkewMs) return undefined
  return azureError(403, 'AuthenticationFailed', 'Request date header too old.')
}

/**
 * A fake of Azure Blob Storage with block blobs in one container. Requires requests to be signed with the account's
 * key.
 */
export const startAzureServer = async (): Promise<AzureServer> => {
  const account = 'recorder'
  const key = Buffer.from('the key of the storage account').toString('base64')
  const fake = await startFake(({ objects }) => async (request, url, body) => {
    const rejection = checkAzureHeaders(request)
    if (rejection) return rejection
    const signature = createHmac('sha256', Buffer.from(key, 'base64'))
      .update(sharedKeyText(request, url, account), 'utf8')
      .digest('base64')
    if (request.headers.authorization !== `SharedKey ${account}:${signature}`)
      return azureError(403, 'AuthenticationFailed', 'Server failed to authenticate the request.')
    const [, , container, ...parts] = decodeURIComponent(url.pathname).split('/')
    const name = parts.join('/')
    if (container !== bucket) return azureError(404, 'ContainerNotFound', 'The specified container does not exist.')
    const { method, headers } = request
    if (method === 'PUT') {
      if (headers['x-ms-blob-type'] !== 'BlockBlob') return azureError(400, 'InvalidHeaderValue', 'Not a block blob')
      if (headers['if-none-match'] === '*' && objects.has(name))
        return azureError(409, 'BlobAlreadyExists', 'The specified blob already exists.')
      const tags = Object.entries(headers).filter(([header]) => header.startsWith('x-ms-meta-'))
      const contentType = headers['x-ms-blob-content-type']
      objects.set(name, { content: body, metadata: { contentType, ...Object.fromEntries(tags) } })
      return { status: 201, headers: { etag: '"1"', 'last-modified': new Date().toUTCString() } }
    }
    const object = objects.get(name)
    if (object === undefined) return azureError(404, 'BlobNotFound', 'The specified blob does not exist.')
    if (method === 'DELETE') {
      objects.delete(name)
      return { status: 202 }
    }
    const size = String(object.content.length)
    const about = Object.entries(object.metadata).map(([member, value]) => [member, String(value)])
    const always = { etag: '"1"', 'last-modified': new Date().toUTCString(), ...Object.fromEntries(about) }
    const part = method === 'GET' ? getPart(object.content, headers['x-ms-range']) : undefined
    if (part !== undefined) return { ...part, headers: { ...always, ...part.headers } }
    const head = { ...always, 'content-length': size }
    return { status: 200, headers: head, body: method === 'HEAD' ? '' : object.content }
  })
  const connection_string = [
    'DefaultEndpointsProtocol=http',
    `AccountName=${account}`,
    `AccountKey=${key}`,
    `BlobEndpoint=${fake.origin}/${account}`,
  ].join(';')
  return { ...fake, credential: { vendor: 'azure', name: bucket, connection_string } }
}
