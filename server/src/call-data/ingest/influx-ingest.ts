import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { getBasicCredentials } from './credentials.ts'
import { createBodyProcessor, createIntakeServer, type IntakeServerOptions } from './http-ingest.ts'
import { executeQuery } from './influxql.ts'
import { IngestError } from './ingest-error.ts'
import { isPrecision, parseLineProtocol } from './line-protocol.ts'
import { drop, receive } from './read-body.ts'
import {
  formatPartialWrite,
  type IntakeSink,
  storedMeasurements,
  storeLines,
  storingTookTooLong,
} from './store-points.ts'

/**
 * Implements the parts of an InfluxDB 1.x server that writers use: /ping, /query for creating databases, and /write for
 * points. Calls and alerts are written to the sink; points of any other database are accepted and dropped. Errors have
 * the form {"error": text}.
 */

export interface IntakeOptions extends IntakeServerOptions {
  sink: IntakeSink
  /** Nanoseconds since the Unix epoch. */
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

const getCredentials = (request: FastifyRequest): string =>
  getBasicCredentials(request) ?? `${text(request.query, 'u') ?? ''}:${text(request.query, 'p') ?? ''}`

const createWriteHandler = (options: IntakeOptions) => {
  const { sink, now = systemNow, timeoutSeconds = 30 } = options
  const processBody = createBodyProcessor(options, 'influx', storingTookTooLong)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const database = text(request.query, 'db')
    if (!database) throw new IngestError(400, 'database is required')
    const precision = text(request.query, 'precision') || 'n'
    if (!isPrecision(precision)) throw new IngestError(400, `invalid precision ${precision.slice(0, 20)}`)
    const target = storedMeasurements.find(({ name }) => name === database)
    if (target === undefined) {
      await drop(request)
      return reply.code(204).send()
    }
    const rejections = await processBody(request, reply, (body, runStep) => {
      const lines = parseLineProtocol(body.toString('utf8'), { precision, now: now() })
      return storeLines(lines, target, { sink, timeoutSeconds, runStep })
    })
    return rejections.count === 0
      ? reply.code(204).send()
      : reply.code(400).send({ error: formatPartialWrite(rejections) })
  }
}

const maxQueryBytes = 64 * 1024

/** The statement is in the query string or in a form body. */
const query = async (request: FastifyRequest, reply: FastifyReply, databases: Set<string>) => {
  const form = async () => {
    const body = await receive(request, maxQueryBytes, () => true)
    return new URLSearchParams(body.toString('utf8')).get('q')
  }
  const outcome = executeQuery(text(request.query, 'q') ?? (await form()) ?? '', databases)
  if (!outcome.ok) throw new IngestError(400, outcome.error)
  return reply.send(outcome.result)
}

/** Creates the server. The caller starts listening. */
export const createInfluxIntake = (options: IntakeOptions): FastifyInstance => {
  const databases = new Set(knownDatabases)
  const app = createIntakeServer(options, {
    intake: 'influx',
    realm: 'InfluxDB',
    headers: { 'x-influxdb-version': version, 'x-influxdb-build': 'OSS' },
    getCredentials,
    publicPaths: ['/ping'],
    sendError: ({ message }, _request, reply) => reply.send({ error: message }),
  })
  app.addHook('onRequest', async (request) => {
    // InfluxDB chooses the format by path, not by content type: curl --data-binary sends line protocol as a form.
    delete request.headers['content-type']
  })
  app.route({ method: ['GET', 'HEAD'], url: '/ping', handler: (_request, reply) => reply.code(204).send() })
  app.route({ method: ['GET', 'POST'], url: '/query', handler: (request, reply) => query(request, reply, databases) })
  app.post('/write', createWriteHandler(options))
  return app
}
