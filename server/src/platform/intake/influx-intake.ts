import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { createHash, timingSafeEqual } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { z } from 'zod'
import { goneOf } from '../../http/gone.ts'
import { withTimeLimit } from '../../time-limit.ts'
import { createTurns, type Turn } from '../../turns.ts'
import { createBudget } from './budget.ts'
import { alertFromPoint, callFromPoint, type Reading } from './call-point.ts'
import { answerQuery } from './influxql.ts'
import {
  isPrecision,
  isRejected,
  parseLineProtocol,
  type Point,
  type Precision,
  type RejectedLine,
} from './line-protocol.ts'

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

/** What is kept: of the database of this name the measurement of this name. */
interface Kept {
  name: string
  read: (point: Point) => Reading<unknown>
  write: (sink: IntakeSink, points: readonly Point[]) => Promise<void>
}

const allKept: readonly Kept[] = [
  { name: 'cdrs', read: callFromPoint, write: (sink, points) => sink.writeCalls(points) },
  { name: 'alerts', read: alertFromPoint, write: (sink, points) => sink.writeAlerts(points) },
]

/** Lines that were not taken: the first are named, the others counted. */
interface Rejections {
  first: readonly RejectedLine[]
  count: number
}

const mostNamed = 10

const withMore = ({ first, count }: Rejections, more: readonly RejectedLine[]): Rejections => ({
  first: [...first, ...more.toSorted((a, b) => a.line - b.line).slice(0, mostNamed - first.length)],
  count: count + more.length,
})

const partialWrite = ({ first, count }: Rejections): string => {
  const lines = first.map(({ line, reason }) => `line ${line}: ${reason}`)
  const more = count > first.length ? '; …' : ''
  return `partial write: ${lines.join('; ')}${more} dropped=${count}`
}

/** Ends a request with this status and text. */
class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

const defaultSeconds = 30
const tooLong = () => new Error('storing took too long')
const notStored = 'the points could not be stored, send them again'
const tooLarge = () => new Refusal(413, 'the body is too large')
const busy = () => new Refusal(503, 'too much is at work, send the points again')
const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** Reads the body as far as it may be kept. Node throws away what is left unread. */
const receive = async (
  { raw }: FastifyRequest,
  limit: number,
  mayKeep: (bytes: number) => boolean,
): Promise<Buffer> => {
  if (Number(raw.headers['content-length'] ?? 0) > limit) throw tooLarge()
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
    // A request without an encoding set gives buffers.
    const bytes = chunk as Buffer
    length += bytes.length
    if (length > limit) throw tooLarge()
    if (!mayKeep(bytes.length)) throw busy()
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

const drop = async ({ raw }: FastifyRequest): Promise<void> => {
  raw.resume()
  await finished(raw)
}

const isPacked = ({ headers }: FastifyRequest): boolean => headers['content-encoding']?.toLowerCase() === 'gzip'

const unpack = async (body: Buffer, limit: number): Promise<Buffer> => {
  try {
    return await promisify(gunzip)(body, { maxOutputLength: limit })
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new Refusal(400, 'the body is not valid gzip')
  }
}

/** Lines that are read and stored at a time; between two lots other requests have their turn. */
const linesAtOnce = 500

/** What the database keeps of some lines goes to the sink; answers those that nobody could keep. */
const storeLot = async (
  lot: readonly (Point | RejectedLine)[],
  { name, read, write }: Kept,
  { sink, timeoutSeconds = defaultSeconds }: IntakeOptions,
): Promise<RejectedLine[]> => {
  const rejected = lot.filter(isRejected)
  const fit: Point[] = []
  for (const point of lot) {
    // Databases hold further measurements for the platform's own use.
    if (isRejected(point) || point.measurement !== name) continue
    const reading = read(point)
    if (reading.ok) fit.push(point)
    else rejected.push({ line: point.line, text: '', reason: reading.reason })
  }
  try {
    if (fit.length > 0) await withTimeLimit(write(sink, fit), timeoutSeconds, tooLong)
  } catch (cause) {
    throw new Refusal(500, notStored, { cause })
  }
  return rejected
}

/** The next lines of a body; none at its end. */
const nextLot = <T>(lines: Iterator<T>): T[] => {
  const lot: T[] = []
  while (lot.length < linesAtOnce) {
    const { done, value } = lines.next()
    if (done) break
    lot.push(value)
  }
  return lot
}

/** Bodies in work at a time, packed and unpacked together. */
const mostBytes = 32 * 1024 * 1024

/** What a request costs beside its body. */
const bytesOfRequest = 16 * 1024

const createWrites = (options: IntakeOptions, limit: number) => {
  const { now = systemNow, timeoutSeconds = defaultSeconds } = options
  const claim = createBudget(mostBytes)
  const turns = createTurns({ atOnce: 2, most: 1 })

  const store = async (body: string, precision: Precision, kept: Kept, turn: Turn): Promise<Rejections> => {
    const lines = parseLineProtocol(body, { precision, now: now() })
    let rejections: Rejections = { first: [], count: 0 }
    for (;;) {
      const { count, rejected } = await turn(async () => {
        const lot = nextLot(lines)
        return { count: lot.length, rejected: await storeLot(lot, kept, options) }
      })
      rejections = withMore(rejections, rejected)
      if (count < linesAtOnce) return rejections
    }
  }

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
    const { take, release } = claim()
    const gone = goneOf(reply)
    const late = () => {
      gone.abort()
      return new Refusal(500, notStored, { cause: tooLong() })
    }
    try {
      if (!take(bytesOfRequest)) throw busy()
      const packed = await receive(request, limit, take)
      const rejections = await turns.enter(
        request.id,
        async (turn) => {
          const inTime: Turn = (piece) => withTimeLimit(turn(piece), timeoutSeconds, late)
          const body = isPacked(request) ? await inTime(() => unpack(packed, limit)) : packed
          release()
          if (!take(bytesOfRequest + body.length)) throw busy()
          return store(body.toString('utf8'), precision, kept, inTime)
        },
        gone.signal,
      )
      return rejections.count === 0 ? reply.code(204).send() : reply.code(400).send({ error: partialWrite(rejections) })
    } finally {
      release()
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
    void reply.header('x-influxdb-version', version).header('x-influxdb-build', 'OSS')
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
