import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { getErrorCode } from '../../lib/error-code.ts'
import { abortOnDisconnect } from '../../http/client-disconnect.ts'
import { protectingHeaders } from '../../http/security-headers.ts'
import { withTimeout } from '../../lib/timeout.ts'
import { createFairQueue, type RunStep } from '../../lib/fair-queue.ts'
import { readBody } from './read-body.ts'
import { createBudget } from './memory-budget.ts'
import { Refusal } from './ingest-error.ts'
import { areCredentials, basicCredentials, isAddressedTo, isOfWebPage } from './authentication.ts'
import type { Credentials } from '../../config/option-types.ts'

/** What intakes over HTTP have in common: who may write, how much is taken at a time, and how long it may take. */

export interface IntakeServerOptions {
  logger: FastifyBaseLogger
  /** without them whoever reaches it is let in */
  credentials?: Credentials
  /** where it listens: the name by which writers may call it beside those of the machine itself; for where no credentials are set */
  host?: string
  /** bytes of a body, and of what it unpacks to; 8 MiB unless told */
  bodyLimit?: number
  /** how long a writer waits for its answer at most; 30 unless told */
  timeoutSeconds?: number
  /** pieces of work on bodies that are done together; 2 unless told */
  concurrency?: number
}

/** What an intake's protocol asks for. */
export interface IntakeProtocol {
  /** what the credentials are for */
  realm: string
  headers?: Readonly<Record<string, string>>
  /** username:password that a request brings; by the Authorization header unless told */
  givenBy?: (request: FastifyRequest) => string | undefined
  /** paths that need no credentials */
  open?: readonly string[]
  answer: (refusal: Refusal, request: FastifyRequest, reply: FastifyReply) => unknown
}

const answerError =
  ({ answer }: IntakeProtocol) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): unknown => {
    const refusal =
      error instanceof Refusal
        ? error
        : getErrorCode(error).startsWith('FST_')
          ? new Refusal(400, 'the request is malformed')
          : new Refusal(500, 'internal error', { cause: error })
    // That somebody has hung up is no failure.
    if (refusal.status === 500 && !reply.raw.destroyed)
      request.log.error({ err: refusal.cause }, `call data: ${refusal.message}`)
    if (refusal.status === 503) void reply.header('retry-after', 1)
    void reply.code(refusal.status)
    return answer(refusal, request, reply)
  }

/** A server that lets in nobody but writers, and parses no body. Listens to nothing: the caller does. */
export const createIntakeServer = (options: IntakeServerOptions, protocol: IntakeProtocol): FastifyInstance => {
  const { logger, credentials, host = 'localhost' } = options
  const { realm, headers = {}, givenBy = basicCredentials, open = [] } = protocol
  // Addresses of requests may hold a password, so they stay out of the log.
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    requestTimeout: 30_000,
    logController: new LogController({ disableRequestLogging: true }),
  })
  app.removeAllContentTypeParsers()
  // Bodies are read where it is known what becomes of them.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.setErrorHandler(answerError(protocol))
  app.setNotFoundHandler((request, reply) => answerError(protocol)(new Refusal(404, 'not found'), request, reply))
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers({ ...protectingHeaders, ...headers })
    if (isOfWebPage(request) || (credentials === undefined && !isAddressedTo(host, request)))
      throw new Refusal(403, 'web pages may not write here')
    if (credentials === undefined || open.includes(request.routeOptions.url ?? '')) return
    if (areCredentials(givenBy(request), credentials)) return
    void reply.header('www-authenticate', `Basic realm="${realm}"`)
    throw new Refusal(401, 'authorization failed')
  })
  return app
}

/** Bodies in work at a time, packed and unpacked together. */
const maxBytes = 24 * 1024 * 1024

const tooLate = () =>
  new Refusal(500, 'what was sent could not be stored, send it again', { cause: new Error('storing took too long') })

export type Deliver = <T>(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (body: Buffer, runStep: RunStep) => Promise<T>,
) => Promise<T>

/** Bodies are worked on a few at a time, in no more memory than there is for all of them. */
export const createDeliveries = (
  { bodyLimit = 8 * 1024 * 1024, timeoutSeconds = 30, concurrency = 2 }: IntakeServerOptions,
  late: () => Error = tooLate,
): Deliver => {
  const claim = createBudget(maxBytes)
  const queue = createFairQueue({ concurrency, max: 1 })
  return async (request, reply, work) => {
    const held = claim()
    const disconnect = abortOnDisconnect(reply)
    const end = () => {
      disconnect.abort()
      return late()
    }
    const inTurn = async (runStep: RunStep) => {
      const inTime: RunStep = (piece) => withTimeout(runStep(piece), timeoutSeconds, end)
      return work(await readBody(request, bodyLimit, held, inTime), inTime)
    }
    try {
      return await queue.run(request.id, inTurn, disconnect.signal)
    } finally {
      held.release()
    }
  }
}
