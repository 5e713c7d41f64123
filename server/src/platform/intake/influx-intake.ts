import formbody from '@fastify/formbody'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { createHash, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { z } from 'zod'
import { alertFromPoint, callFromPoint, type Reading } from './call-point.ts'
import { answerQuery } from './influxql.ts'
import { isPrecision, parseLineProtocol, type Point, type RejectedLine } from './line-protocol.ts'

/**
 * What an InfluxDB 1.x server is to those who write to it: /ping, /query for making databases, /write for points.
 * Calls and alerts go to the sink; every other database is accepted and dropped.
 */

export interface IntakeSink {
  writeCalls(points: readonly Point[]): Promise<void>
  writeAlerts(points: readonly Point[]): Promise<void>
}

export interface IntakeOptions {
  sink: IntakeSink
  logger: FastifyBaseLogger
  /** without them anything is let in: the platform's client always sends root:root */
  credentials?: { username: string; password: string }
  /** bytes of a body, and of what it unpacks to */
  bodyLimit?: number
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

const sameText = (a: string, b: string): boolean => {
  const digest = (value: string) => createHash('sha256').update(value).digest()
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

const unpack = async (body: Buffer, encoding: string | undefined, limit: number): Promise<Buffer> =>
  encoding?.toLowerCase() === 'gzip' ? promisify(gunzip)(body, { maxOutputLength: limit }) : body

const write = async (request: FastifyRequest, reply: FastifyReply, { sink, now = systemNow }: IntakeOptions, limit: number) => {
  const database = text(request.query, 'db')
  if (!database) return reply.code(400).send({ error: 'database is required' })
  const precision = text(request.query, 'precision') || 'n'
  if (!isPrecision(precision)) return reply.code(400).send({ error: `invalid precision ${precision.slice(0, 20)}` })
  const packed = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const body = (await unpack(packed, request.headers['content-encoding'], limit)).toString('utf8')
  const { points, rejected } = parseLineProtocol(body, { precision, now: now() })
  const measurement = Object.hasOwn(kept, database) ? kept[database] : undefined
  if (measurement !== undefined) {
    const fit: Point[] = []
    for (const point of points) {
      // Databases hold further measurements for the platform's own use.
      if (point.measurement !== database) continue
      const reading = measurement.read(point)
      if (reading.ok) fit.push(point)
      else rejected.push({ line: point.line, text: '', reason: reading.reason })
    }
    if (fit.length > 0) await measurement.write(sink, fit)
  }
  if (rejected.length === 0) return reply.code(204).send()
  rejected.sort((a, b) => a.line - b.line)
  return reply.code(400).send({ error: partialWrite(rejected) })
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

const answerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
  const code = codeOf(error)
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || code === 'ERR_BUFFER_TOO_LARGE')
    return reply.code(413).send({ error: 'Request Entity Too Large' })
  if (code.startsWith('Z_')) return reply.code(400).send({ error: 'the body is not valid gzip' })
  if (code.startsWith('FST_')) return reply.code(400).send({ error: 'the request is malformed' })
  request.log.error({ err: error }, 'call data could not be stored')
  return reply.code(500).send({ error: 'the points could not be stored, send them again' })
}

const query = (request: FastifyRequest, reply: FastifyReply, databases: Set<string>) => {
  const asked = text(request.query, 'q') ?? text(request.body, 'q') ?? ''
  const outcome = answerQuery(asked, databases)
  return outcome.ok ? reply.send(outcome.answer) : reply.code(400).send({ error: outcome.error })
}

export const createInfluxIntake = (options: IntakeOptions): FastifyInstance => {
  const { logger, credentials, bodyLimit = 25 * 1024 * 1024 } = options
  const databases = new Set(knownDatabases)
  const app: FastifyInstance = Fastify({ loggerInstance: logger, bodyLimit, requestTimeout: 30_000 })
  void app.register(formbody)
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler(answerError)
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('x-influxdb-version', version).header('x-influxdb-build', 'OSS')
    if (credentials === undefined || request.routeOptions.url === '/ping') return
    const wanted = `${credentials.username}:${credentials.password}`
    if (!sameText(givenCredentials(request), wanted))
      await reply.code(401).header('www-authenticate', 'Basic realm="InfluxDB"').send({ error: 'authorization failed' })
  })
  app.route({ method: ['GET', 'HEAD'], url: '/ping', handler: (_request, reply) => reply.code(204).send() })
  app.route({ method: ['GET', 'POST'], url: '/query', handler: (request, reply) => query(request, reply, databases) })
  app.post('/write', (request, reply) => write(request, reply, options, bodyLimit))
  return app
}
