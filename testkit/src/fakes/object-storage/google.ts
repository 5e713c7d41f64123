import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { importSPKI, jwtVerify } from 'jose'
import { bucketName, type FakeResponse, type FakeStorage, getPart, startFakeStorage } from './fake-storage.ts'

/** A fake of Google Cloud Storage with resumable uploads (cloud.google.com/storage/docs/json_api). */

export interface GoogleServer extends FakeStorage {
  /** Redirects requests for Google's hosts to this fake. */
  vendorAddresses: Readonly<Record<string, string>>
  credential: { vendor: string; name: string; service_key: string }
  /** Makes all tokens expire that have been issued. */
  expireTokens(): void
  /** The statuses of the next requests with content, of which the fake stores only the first half. */
  interruptions: (308 | 503)[]
}

const json = (status: number, body: object): FakeResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Google's reason for a status (cloud.google.com/storage/docs/json_api/v1/status-codes). */
const reasons: Readonly<Record<number, string>> = {
  400: 'invalid',
  401: 'authError',
  404: 'notFound',
  410: 'gone',
  412: 'conditionNotMet',
  429: 'rateLimitExceeded',
  503: 'backendError',
}

const googleError = (status: number, message: string): FakeResponse =>
  json(status, { error: { code: status, message, errors: [{ message, domain: 'global', reason: reasons[status] }] } })

const conditionNotMet = () => googleError(412, 'At least one of the pre-conditions you specified did not hold.')

const hashMd5 = (content: Buffer): string => createHash('md5').update(content).digest('base64')

/** Google stores parts of an upload in multiples of this size. */
const storedBytes = 256 * 1024

interface Upload {
  name: string
  mustNotExist: boolean
  properties: Record<string, object>
  /** Bytes of the object, if the client has declared them. */
  size: number | undefined
  content: Buffer
}

type Objects = FakeStorage['objects']

/** Handles the requests of resumable uploads (cloud.google.com/storage/docs/performing-resumable-uploads). */
const createUploads = (objects: Objects, interruptions: (308 | 503)[]) => {
  const uploads = new Map<string, Upload>()

  const start = ({ headers }: IncomingMessage, { searchParams }: URL, body: Buffer): FakeResponse => {
    if (searchParams.get('uploadType') !== 'resumable') return googleError(400, 'Malformed upload')
    if (!headers['content-type']?.startsWith('application/json')) return googleError(400, 'Unsupported content type')
    const name = searchParams.get('name')
    if (name === null || name === '') return googleError(400, 'Required parameter: name')
    const mustNotExist = searchParams.get('ifGenerationMatch') === '0'
    if (mustNotExist && objects.has(name)) return conditionNotMet()
    const id = randomUUID()
    const length = headers['x-upload-content-length']
    const properties = JSON.parse(body.toString()) as Record<string, object>
    const size = length === undefined ? undefined : Number(length)
    uploads.set(id, { name, mustNotExist, properties, size, content: Buffer.alloc(0) })
    const query = new URLSearchParams({ uploadType: 'resumable', name, upload_id: id }).toString()
    const location = `https://storage.googleapis.com/upload/storage/v1/b/${bucketName}/o?${query}`
    return { status: 200, headers: { location } }
  }

  /** Tells how much of the content is stored. */
  const incomplete = ({ content }: Upload, status: 308 | 503): FakeResponse => {
    if (status === 503) return googleError(503, 'Backend Error')
    return { status, headers: content.length === 0 ? {} : { range: `bytes=0-${content.length - 1}` } }
  }

  const complete = (id: string, { name, mustNotExist, properties, content }: Upload): FakeResponse => {
    if (mustNotExist && objects.has(name)) return conditionNotMet()
    const { contentType, metadata: tags = {} } = properties
    objects.set(name, { content, metadata: { contentType, ...tags } })
    uploads.delete(id)
    const size = String(content.length)
    return json(200, { kind: 'storage#object', bucket: bucketName, name, size, md5Hash: hashMd5(content) })
  }

  const put = (id: string, { headers }: IncomingMessage, body: Buffer): FakeResponse => {
    const upload = uploads.get(id)
    if (upload === undefined) return googleError(410, 'The upload session does not exist.')
    const range = headers['content-range'] ?? `bytes 0-${body.length - 1}/${body.length}`
    const [, first, last, total] = /^bytes (?:\*|(\d+)-(-?\d+))\/(\d+|\*)$/.exec(range) ?? []
    if (total === undefined || (upload.size !== undefined && total !== '*' && Number(total) !== upload.size))
      return googleError(400, 'Invalid Content-Range')
    if (first === undefined) return incomplete(upload, 308)
    const offset = Number(first)
    if (Number(last) - offset + 1 !== body.length || offset > upload.content.length)
      return googleError(400, 'Invalid Content-Range')
    const interruption = interruptions.shift()
    const isLast = Number(last) + 1 === Number(total)
    const half = Math.floor(body.length / 2 / storedBytes) * storedBytes
    const stored = interruption === undefined ? body : body.subarray(0, half)
    upload.content = Buffer.concat([upload.content.subarray(0, offset), stored])
    if (interruption !== undefined) return incomplete(upload, interruption)
    if (isLast) return complete(id, upload)
    return body.length % storedBytes === 0 ? incomplete(upload, 308) : googleError(400, 'Invalid size of a chunk')
  }

  return { start, put }
}

const signInError = (error: string, error_description: string): FakeResponse => json(400, { error, error_description })

/**
 * Starts a fake that issues a token for a request signed with the account's key. It requires the token in all other
 * requests, except those of an upload that was started with it.
 */
export const startGoogleServer = async (): Promise<GoogleServer> => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const client_email = 'recorder@project.iam.gserviceaccount.com'
  let token = 'a token of the fake'
  const path = `/storage/v1/b/${bucketName}/o/`
  const interruptions: (308 | 503)[] = []

  const signIn = async ({ headers }: IncomingMessage, body: Buffer): Promise<FakeResponse> => {
    if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
      return signInError('invalid_request', 'Unsupported content type')
    const form = new URLSearchParams(body.toString())
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return signInError('unsupported_grant_type', 'Invalid grant_type')
    try {
      const { payload } = await jwtVerify(form.get('assertion') ?? '', await importSPKI(publicKey, 'RS256'), {
        issuer: client_email,
        audience: 'https://oauth2.googleapis.com/token',
        requiredClaims: ['iat', 'exp'],
        maxTokenAge: '1h',
      })
      if (!String(payload['scope']).includes('devstorage'))
        return signInError('invalid_scope', 'Invalid OAuth scope or ID token audience provided.')
    } catch {
      return signInError('invalid_grant', 'Invalid JWT Signature.')
    }
    return json(200, { access_token: token, expires_in: 3599, token_type: 'Bearer' })
  }

  const fake = await startFakeStorage(({ objects, failures }) => {
    const uploads = createUploads(objects, interruptions)
    return async (request, url, body) => {
      const { method, headers } = request
      const uploadId = url.searchParams.get('upload_id')
      if (url.pathname === '/token') return signIn(request, body)
      if (uploadId === null && headers.authorization !== `Bearer ${token}`)
        return googleError(401, 'Invalid Credentials')
      const failure = failures.pop()
      if (failure !== undefined) return googleError(failure, 'Try again later.')
      if (url.pathname === `/upload/storage/v1/b/${bucketName}/o`)
        if (uploadId !== null && method === 'PUT') return uploads.put(uploadId, request, body)
        else if (method === 'POST') return uploads.start(request, url, body)
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
    }
  })
  const service_key = { type: 'service_account', project_id: 'project', client_email, private_key: privateKey }
  const vendorAddresses = { 'storage.googleapis.com': fake.origin, 'oauth2.googleapis.com': fake.origin }
  return {
    ...fake,
    vendorAddresses,
    interruptions,
    expireTokens() {
      token = `${token}, renewed`
    },
    credential: { vendor: 'google', name: bucketName, service_key: JSON.stringify(service_key) },
  }
}
