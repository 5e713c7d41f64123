import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { createHash, timingSafeEqual } from 'node:crypto'
import { setImmediate as others } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { z } from 'zod'
import { alertFromPoint, callFromPoint, type Reading } from './call-point.ts'
import { withTimeLimit } from '../../time-limit.ts'
import { answerQuery } from './influxql.ts'
import { isPrecision, isRejected, parseLineProtocol, type Point, type RejectedLine } from './line-protocol.ts'

/**
 * What an InfluxDB 1.x server is to those who write to it: /ping, /query for making databases, /write for points.
 * Calls and alerts go to the sink; every other database is accepted and dropped. Errors are {"error": text}.
 */

/** Gets only points of which `callFromPoint` and `alertFromPoint` make a record. A rejected promise is a 500 to the writer. */
export interface IntakeSink {
  writeCalls(points: readonly Point[]): Promise<void>
  writeAlerts(points: readonly Point[]): Promise<void>
}

export interface IntakeOptions {
  sink: IntakeSink
  logger: FastifyBaseLogger
  /** without them anything is let in: the platform's client always sends root:root */
  credentials?: { username: string; password: string }
  /** bytes of a body, and of what it unpacks to; 25 MiB unless told */
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

interface Measurement {
  read: (point: Point) => Reading<unknown>
  write: (sink: IntakeSink, points: readonly Point[]) => Promise<void>
}

/** The measurements that are kept, by database. */
const kept: Readonly<Record<string, Measurement>> = {
  cdrs: { read: callFromPoint, write: (sink, points) => sink.writeCalls(points) },
  alerts: { read: alertFromPoint, write: (sink, points) => sink.writeAlerts(points) },
}

const named = 10

/** Names the lines that were not taken, as far as a message may. */
const partialWrite = (rejected: readonly RejectedLine[]): string => {
  const lines = rejected.slice(0, named).map(({ line, reason }) => `line ${line}: ${reason}`)
  const more = rejected.length > named ? '; …' : ''
  return `partial write: ${lines.join('; ')}${more} dropped=${rejected.length}`
}

/** Ends a request with this status and text. */
class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

const tooLong = () => new Error('storing took too long')
const notStored = 'the points could not be stored, send them again'
const tooLarge = 'the body is too large'
const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

const unpack = async (body: Buffer, encoding: string | undefined, limit: number): Promise<Buffer> => {
  if (encoding?.toLowerCase() !== 'gzip') return body
  try {
    return await promisify(gunzip)(body, { maxOutputLength: limit })
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw new Refusal(413, tooLarge)
    throw new Refusal(400, 'the body is not valid gzip')
  }
}

const sentBody = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0))

/** Lines that are read and stored at a time; between two lots other requests have their turn. */
const linesAtOnce = 500

/** What the database keeps of some lines goes to the sink; answers those that nobody could keep. */
const storeLot = async (
  lot: readonly (Point | RejectedLine)[],
  database: string,
  { sink, timeoutSeconds = 30 }: IntakeOptions,
): Promise<RejectedLine[]> => {
  const measurement = Object.hasOwn(kept, database) ? kept[database] : undefined
  const rejected = lot.filter(isRejected)
  if (measurement === undefined) return rejected
  const fit: Point[] = []
  for (const point of lot) {
    // Databases hold further measurements for the platform's own use.
    if (isRejected(point) || point.measurement !== database) continue
    const reading = measurement.read(point)
    if (reading.ok) fit.push(point)
    else rejected.push({ line: point.line, text: '', reason: reading.reason })
  }
  try {
    if (fit.length > 0) await withTimeLimit(measurement.write(sink, fit), timeoutSeconds, tooLong)
  } catch (cause) {
    throw new Refusal(500, notStored, { cause })
  }
  return rejected
}

/** Lots of a body, read when it is their turn. */
function* lotsOf<T>(lines: Iterable<T>): Generator<T[]> {
  let lot: T[] = []
  for (const line of lines) {
    lot.push(line)
    if (lot.length < linesAtOnce) continue
    yield lot
    lot = []
  }
  if (lot.length > 0) yield lot
}

const write = async (request: FastifyRequest, reply: FastifyReply, options: IntakeOptions, limit: number) => {
  const { now = systemNow } = options
  const database = text(request.query, 'db')
  if (!database) throw new Refusal(400, 'database is required')
  const precision = text(request.query, 'precision') || 'n'
  if (!isPrecision(precision)) throw new Refusal(400, `invalid precision ${precision.slice(0, 20)}`)
  const body = await unpack(sentBody(request), request.headers['content-encoding'], limit)
  const refused: RejectedLine[] = []
  for (const lot of lotsOf(parseLineProtocol(body.toString('utf8'), { precision, now: now() }))) {
    refused.push(...(await storeLot(lot, database, options)))
    await others()
  }
  if (refused.length === 0) return reply.code(204).send()
  return reply.code(400).send({ error: partialWrite(refused.toSorted((a, b) => a.line - b.line)) })
}

const answerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
  const code = codeOf(error)
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return reply.code(413).send({ error: tooLarge })
  if (code.startsWith('FST_')) return reply.code(400).send({ error: 'the request is malformed' })
  const refusal = error instanceof Refusal ? error : new Refusal(500, 'internal error', { cause: error })
  if (refusal.status >= 500) request.log.error({ err: refusal.cause }, `call data: ${refusal.message}`)
  return reply.code(refusal.status).send({ error: refusal.message })
}

/** The statement stands in the query string or in a form. */
const query = async (request: FastifyRequest, reply: FastifyReply, databases: Set<string>) => {
  const asked = text(request.query, 'q') ?? new URLSearchParams(sentBody(request).toString('utf8')).get('q')
  const outcome = answerQuery(asked ?? '', databases)
  if (!outcome.ok) throw new Refusal(400, outcome.error)
  return reply.send(outcome.answer)
}

const mostOfQuery = 64 * 1024

/** Listens to nothing: the caller does. */
export const createInfluxIntake = (options: IntakeOptions): FastifyInstance => {
  const { logger, credentials, bodyLimit = 25 * 1024 * 1024 } = options
  const databases = new Set(knownDatabases)
  // Addresses of requests may hold the password (?p=), so they stay out of the log.
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    bodyLimit,
    requestTimeout: 30_000,
    logController: new LogController({ disableRequestLogging: true }),
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not found' }))
  app.addHook('onRequest', async (request, reply) => {
    // InfluxDB takes a body for what the path says it is: curl --data-binary calls line protocol a form.
    delete request.headers['content-type']
    void reply.header('x-influxdb-version', version).header('x-influxdb-build', 'OSS')
    if (credentials === undefined || request.routeOptions.url === '/ping') return
    const wanted = `${credentials.username}:${credentials.password}`
    if (sameText(givenCredentials(request), wanted)) return
    void reply.header('www-authenticate', 'Basic realm="InfluxDB"')
    throw new Refusal(401, 'authorization failed')
  })
  app.route({ method: ['GET', 'HEAD'], url: '/ping', handler: (_request, reply) => reply.code(204).send() })
  app.route({
    method: ['GET', 'POST'],
    url: '/query',
    bodyLimit: Math.min(mostOfQuery, bodyLimit),
    handler: (request, reply) => query(request, reply, databases),
  })
  app.post('/write', (request, reply) => write(request, reply, options, bodyLimit))
  return app
}
