import { ApiError } from '@patchbay/contract/api/errors'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Credentials } from '../../config/option-types.ts'
import { abortOnDisconnect } from '../../http/client-disconnect.ts'
import { noJsonSchemas } from '../../http/no-json-schemas.ts'
import { protectingHeaders } from '../../http/security-headers.ts'
import { getErrorCode } from '../../lib/error-code.ts'
import { createFairQueue, type RunStep } from '../../lib/fair-queue.ts'
import { isForwarded } from '../../lib/forwarding-headers.ts'
import type { IpNetwork } from '../../lib/ip-networks.ts'
import { createBudget } from '../../lib/memory-budget.ts'
import { type IntakeLabel, intakeEvents } from '../../lib/telemetry.ts'
import { withTimeout } from '../../lib/timeout.ts'
import { areCredentials, getBasicCredentials, isFromBrowser, isLocal } from './credentials.ts'
import { IngestError } from './ingest-error.ts'
import { readBody } from './read-body.ts'
import type { OnRejectedSender } from './rejected-senders.ts'
import { getRejectionReason } from './rejection-reason.ts'
import { createSenderCheck } from './sender-check.ts'

/** Common parts of the HTTP ingest servers: authentication, body limits, and timeouts. */

export interface IntakeServerOptions {
  logger: FastifyBaseLogger
  /** If absent, senders cannot authenticate. */
  credentials?: Credentials
  /** Networks of senders that need no credentials. Without both, no authentication is required. */
  senders?: readonly IpNetwork[]
  /** Called with the address of each request that is rejected because of its sender. */
  onRejectedSender?: OnRejectedSender
  /** The listen address. Without credentials, requests must use this host name or a local one. */
  host?: string
  /** Maximum bytes of a body, before and after decompression. Default: 8 MiB. */
  bodyLimit?: number
  /** Maximum time until a client receives a response. Default: 30. */
  timeoutSeconds?: number
  /** Number of body processing steps that run concurrently. Default: 2. */
  concurrency?: number
}

/** Parts that differ between ingest protocols. */
export interface IntakeProtocol {
  /** Name of the intake in metrics. */
  intake: IntakeLabel
  /** Realm of Basic authentication. */
  realm: string
  headers?: Readonly<Record<string, string>>
  /** Returns `username:password` of a request. Default: from the Authorization header. */
  getCredentials?: (request: FastifyRequest) => string | undefined
  /** Paths that need no credentials. */
  publicPaths?: readonly string[]
  sendError: (error: IngestError, request: FastifyRequest, reply: FastifyReply) => unknown
}

/** Senders repeat a request after 503. */
const isUnavailable = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 503

const createErrorHandler =
  ({ intake, sendError }: IntakeProtocol) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): unknown => {
    const ingestError =
      error instanceof IngestError
        ? error
        : getErrorCode(error).startsWith('FST_')
          ? new IngestError(400, 'the request is malformed')
          : isUnavailable(error)
            ? new IngestError(503, error.message, { cause: error })
            : new IngestError(500, 'internal error', { cause: error })
    // A client that disconnects is not a server error.
    if (ingestError.status === 500 && !reply.raw.destroyed)
      request.log.error({ err: ingestError.cause }, 'call data could not be stored')
    intakeEvents.publish({
      is: 'request_rejected',
      intake,
      reason: ingestError.reason ?? getRejectionReason(ingestError.status),
    })
    if (ingestError.status === 503) void reply.header('retry-after', 1)
    void reply.code(ingestError.status)
    return sendError(ingestError, request, reply)
  }

const browserError = () => new IngestError(403, 'browsers are not allowed to write here')

/** A request without credentials has neither a user name nor a password. */
const hasCredentials = (received: string | undefined): boolean => received !== undefined && received !== ':'

/**
 * Creates a server that accepts requests from authenticated or listed writers only and does not parse bodies. The caller starts
 * listening.
 */
export const createIntakeServer = (options: IntakeServerOptions, protocol: IntakeProtocol): FastifyInstance => {
  const { logger, credentials, senders, onRejectedSender = () => {}, host = 'localhost' } = options
  const isListed = createSenderCheck(senders)
  const { realm, headers = {}, getCredentials: givenBy = getBasicCredentials, publicPaths: open = [] } = protocol
  // URLs may contain a password, so requests are not logged.
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    ...noJsonSchemas,
    requestTimeout: 30_000,
    logController: new LogController({ disableRequestLogging: true }),
  })
  app.removeAllContentTypeParsers()
  // The handlers read the bodies themselves.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.setErrorHandler(createErrorHandler(protocol))
  app.setNotFoundHandler((request, reply) =>
    createErrorHandler(protocol)(new IngestError(404, 'not found'), request, reply),
  )
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers({ ...protectingHeaders, ...headers })
    if (isFromBrowser(request)) throw browserError()
    const { remoteAddress: address } = request.socket
    // The connection of a forwarded request has the address of the proxy.
    if (!isForwarded(request) && isListed(address)) return
    if (credentials === undefined) {
      if (senders !== undefined) {
        onRejectedSender(address ?? '', 'not_listed')
        throw new IngestError(403, 'this address is not allowed to write here', { reason: 'unknown_sender' })
      }
      if (!isLocal(host, request)) throw browserError()
      return
    }
    if (open.includes(request.routeOptions.url ?? '')) return
    const received = givenBy(request)
    if (areCredentials(received, credentials)) return
    onRejectedSender(address ?? '', hasCredentials(received) ? 'wrong_credentials' : 'no_credentials')
    void reply.header('www-authenticate', `Basic realm="${realm}"`)
    throw new IngestError(401, 'authorization failed')
  })
  return app
}

/** Maximum bytes of all bodies that are processed concurrently, compressed and decompressed together. */
const maxBytes = 24 * 1024 * 1024

const createTimeoutError = () =>
  new IngestError(500, 'the data could not be stored; send it again', {
    cause: new Error('storing took too long'),
  })

export type ProcessBody = <T>(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (body: Buffer, runStep: RunStep) => Promise<T>,
) => Promise<T>

/** Processes request bodies with limited concurrency and within a shared memory budget. */
export const createBodyProcessor = (
  { bodyLimit = 8 * 1024 * 1024, timeoutSeconds = 30, concurrency = 2 }: IntakeServerOptions,
  intake: IntakeLabel,
  createError: () => Error = createTimeoutError,
): ProcessBody => {
  const claim = createBudget(maxBytes)
  const queue = createFairQueue({ name: `intake_${intake}`, concurrency, max: 1 })
  return async (request, reply, work) => {
    const reservation = claim()
    const disconnect = abortOnDisconnect(reply)
    const failWithTimeout = () => {
      disconnect.abort()
      return createError()
    }
    const process = async (runStep: RunStep) => {
      const runStepWithTimeout: RunStep = (step) => withTimeout(runStep(step), timeoutSeconds, failWithTimeout)
      const body = await readBody(request, reply, bodyLimit, reservation, runStepWithTimeout)
      intakeEvents.publish({ is: 'received', intake, bytes: body.length })
      return work(body, runStepWithTimeout)
    }
    try {
      return await queue.run(request.id, process, disconnect.signal)
    } finally {
      reservation.release()
    }
  }
}
