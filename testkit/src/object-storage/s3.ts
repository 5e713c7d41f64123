import { once } from 'node:events'
import { access, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request as requestTo, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import S3rver from 's3rver'
import { findSigningError, hasWrongBodyHash } from '../aws-signature.ts'
import { getPort } from '../ports.ts'
import { bucketName, closeServer } from './fake-storage.ts'

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
    configureBuckets: [{ name: bucketName, configs: [] }],
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
      name: bucketName,
      access_key_id: accessKey.id,
      secret_access_key: accessKey.secret,
    },
    objects: () => readdir(join(directory, bucketName), { recursive: true }),
    conditionalUploads: () => conditionalUploads,
    async stop() {
      await closeServer(server)
      await s3.close()
      await rm(directory, { recursive: true })
    },
  }
}
