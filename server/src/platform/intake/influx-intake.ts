import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { createHash, timingSafeEqual } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { z } from 'zod'
import { codeOf } from '../../error-code.ts'
import { goneOf } from '../../http/gone.ts'
import { protectingHeaders } from '../../http/security-headers.ts'
import { withTimeLimit } from '../../time-limit.ts'
import { createTurns, type Turn } from '../../turns.ts'
import { drop, receive, textOf } from './bodies.ts'
import { createBudget } from './budget.ts'
import { answerQuery } from './influxql.ts'
import { isPrecision, parseLineProtocol } from './line-protocol.ts'
import { Refusal } from './refusal.ts'
import { allKept, type IntakeSink, partialWrite, storeLines, storingTookTooLong } from './stored-points.ts'

/**
 * What an InfluxDB 1.x server is to those who write to it: /ping, /query for making databases, /write for points.
 * Calls and alerts go to the sink; every other database is accepted and dropped. Errors are {"error": text}.
 */

export interface IntakeOptions {
  sink: IntakeSink
  logger: FastifyBaseLogger
  /** without them anything is let in: the platform's client always sends root:root */
  credentials?: { username: string; password: string }
  /** where it listens: the name by which writers may call it beside those of the machine itself; for where no credentials are set */
  host?: string
  /** bytes of a body, and of what it unpacks to; 8 MiB unless told */
  bodyLimit?: number
  /** how long a writer waits for its answer at most; 30 unless told */
  timeoutSeconds?: number
  /** nanoseconds since the epoch */
  now?: () => bigint
}

const version = '1.8.10'
const knownDatabases = [
  '_internal',
  'cdrs',
  'alerts',
  'call_counts',
  'sp_call_counts',
  'app_call_counts',
  'system_alerts',
  'krisp_usage',
  'llm_usage',
]

const systemNow = (): bigint => BigInt(Date.now()) * 1_000_000n

const members = z.record(z.string(), z.unknown()).catch({})

const text = (from: unknown, name: string): string | undefined => {
  const value = members.parse(from)[name]
  return typeof value === 'string' ? value : undefined
}

/** Digests are of one length, whatever was given. */
const digest = (value: string): Buffer => createHash('sha256').update(value).digest()

const sameText = (a: string, b: string): boolean => {
  return timingSafeEqual(digest(a), digest(b))
}

const givenCredentials = ({ headers, query }: FastifyRequest): string => {
  const [scheme, encoded = ''] = (headers.authorization ?? '').split(' ')
  if (scheme?.toLowerCase() === 'basic') return Buffer.from(encoded, 'base64').toString('utf8')
  return `${text(query, 'u') ?? ''}:${text(query, 'p') ?? ''}`
}

/** Bodies in work at a time, packed and unpacked together. */
const mostBytes = 24 * 1024 * 1024

const createWrites = ({ sink, now = systemNow, timeoutSeconds = 30 }: IntakeOptions, limit: number) => {
  const claim = createBudget(mostBytes)
  const turns = createTurns({ atOnce: 2, most: 1 })
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const database = text(request.query, 'db')
    if (!database) throw new Refusal(400, 'database is required')
    const precision = text(request.query, 'precision') || 'n'
    if (!isPrecision(precision)) throw new Refusal(400, `invalid precision ${precision.slice(0, 20)}`)
    const kept = allKept.find(({ name }) => name === database)
    if (kept === undefined) {
      await drop(request)
      return reply.code(204).send()
    }
    const held = claim()
    const gone = goneOf(reply)
    const late = () => {
      gone.abort()
      return storingTookTooLong()
    }
    const inTurn = async (turn: Turn) => {
      const inTime: Turn = (piece) => withTimeLimit(turn(piece), timeoutSeconds, late)
      const lines = parseLineProtocol(await textOf(request, limit, held, inTime), { precision, now: now() })
      return storeLines(lines, kept, { sink, timeoutSeconds, turn: inTime })
    }
    try {
      const rejections = await turns.enter(request.id, inTurn, gone.signal)
      return rejections.count === 0 ? reply.code(204).send() : reply.code(400).send({ error: partialWrite(rejections) })
    } finally {
      held.release()
    }
  }
}

const answerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
  const refusal =
    error instanceof Refusal
      ? error
      : codeOf(error).startsWith('FST_')
        ? new Refusal(400, 'the request is malformed')
        : new Refusal(500, 'internal error', { cause: error })
  // That somebody has hung up is no failure.
  if (refusal.status === 500 && !reply.raw.destroyed)
    request.log.error({ err: refusal.cause }, `call data: ${refusal.message}`)
  if (refusal.status === 503) void reply.header('retry-after', 1)
  return reply.code(refusal.status).send({ error: refusal.message })
}

const mostOfQuery = 64 * 1024

/** The statement stands in the query string or in a form. */
const query = async (request: FastifyRequest, reply: FastifyReply, databases: Set<string>) => {
  const form = async () => {
    const body = await receive(request, mostOfQuery, () => true)
    return new URLSearchParams(body.toString('utf8')).get('q')
  }
  const outcome = answerQuery(text(request.query, 'q') ?? (await form()) ?? '', databases)
  if (!outcome.ok) throw new Refusal(400, outcome.error)
  return reply.send(outcome.answer)
}

/** Also of a name that was made to lead here: what a browser calls by another name is not meant for us. */
const isAddressedTo = (host: string, { headers }: FastifyRequest): boolean => {
  if (headers.host === undefined) return true
  const named = hostnameOf(headers.host)
  return named !== undefined && (named === hostnameOf(host) || /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(named))
}

const hostnameOf = (host: string): string | undefined => {
  const address = `http://${isIPv6(host) ? `[${host}]` : host}`
  return URL.canParse(address) ? new URL(address).hostname : undefined
}

/** Writers are programs; a browser tells that it is one. */
const isOfWebPage = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined

/** Listens to nothing: the caller does. */
export const createInfluxIntake = (options: IntakeOptions): FastifyInstance => {
  const { logger, credentials, bodyLimit = 8 * 1024 * 1024, host = 'localhost' } = options
  const databases = new Set(knownDatabases)
  // Addresses of requests may hold the password (?p=), so they stay out of the log.
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    requestTimeout: 30_000,
    logController: new LogController({ disableRequestLogging: true }),
  })
  app.removeAllContentTypeParsers()
  // Bodies are read where it is known what becomes of them.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not found' }))
  app.addHook('onRequest', async (request, reply) => {
    // InfluxDB takes a body for what the path says it is: curl --data-binary calls line protocol a form.
    delete request.headers['content-type']
    void reply.headers(protectingHeaders).header('x-influxdb-version', version).header('x-influxdb-build', 'OSS')
    if (isOfWebPage(request) || (credentials === undefined && !isAddressedTo(host, request)))
      throw new Refusal(403, 'web pages may not write here')
    if (credentials === undefined || request.routeOptions.url === '/ping') return
    const wanted = `${credentials.username}:${credentials.password}`
    if (sameText(givenCredentials(request), wanted)) return
    void reply.header('www-authenticate', 'Basic realm="InfluxDB"')
    throw new Refusal(401, 'authorization failed')
  })
  app.route({ method: ['GET', 'HEAD'], url: '/ping', handler: (_request, reply) => reply.code(204).send() })
  app.route({ method: ['GET', 'POST'], url: '/query', handler: (request, reply) => query(request, reply, databases) })
  app.post('/write', createWrites(options, bodyLimit))
  return app
}
