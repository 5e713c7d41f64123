import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { drop, receive } from './read-body.ts'
import { createDeliveries, createIntakeServer, type IntakeServerOptions } from './http-ingest.ts'
import { answerQuery } from './influxql.ts'
import { isPrecision, parseLineProtocol } from './line-protocol.ts'
import { Refusal } from './ingest-error.ts'
import { allKept, type IntakeSink, partialWrite, storeLines, storingTookTooLong } from './store-points.ts'
import { basicCredentials } from './authentication.ts'

/**
 * What an InfluxDB 1.x server is to those who write to it: /ping, /query for making databases, /write for points.
 * Calls and alerts go to the sink; every other database is accepted and dropped. Errors are {"error": text}.
 */

export interface IntakeOptions extends IntakeServerOptions {
  sink: IntakeSink
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

const givenCredentials = (request: FastifyRequest): string =>
  basicCredentials(request) ?? `${text(request.query, 'u') ?? ''}:${text(request.query, 'p') ?? ''}`

const createWrites = (options: IntakeOptions) => {
  const { sink, now = systemNow, timeoutSeconds = 30 } = options
  const deliver = createDeliveries(options, storingTookTooLong)
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
    const rejections = await deliver(request, reply, (body, runStep) => {
      const lines = parseLineProtocol(body.toString('utf8'), { precision, now: now() })
      return storeLines(lines, kept, { sink, timeoutSeconds, runStep })
    })
    return rejections.count === 0 ? reply.code(204).send() : reply.code(400).send({ error: partialWrite(rejections) })
  }
}

const maxQueryBytes = 64 * 1024

/** The statement stands in the query string or in a form. */
const query = async (request: FastifyRequest, reply: FastifyReply, databases: Set<string>) => {
  const form = async () => {
    const body = await receive(request, maxQueryBytes, () => true)
    return new URLSearchParams(body.toString('utf8')).get('q')
  }
  const outcome = answerQuery(text(request.query, 'q') ?? (await form()) ?? '', databases)
  if (!outcome.ok) throw new Refusal(400, outcome.error)
  return reply.send(outcome.answer)
}

/** Listens to nothing: the caller does. */
export const createInfluxIntake = (options: IntakeOptions): FastifyInstance => {
  const databases = new Set(knownDatabases)
  const app = createIntakeServer(options, {
    realm: 'InfluxDB',
    headers: { 'x-influxdb-version': version, 'x-influxdb-build': 'OSS' },
    givenBy: givenCredentials,
    open: ['/ping'],
    answer: ({ message }, _request, reply) => reply.send({ error: message }),
  })
  app.addHook('onRequest', async (request) => {
    // InfluxDB takes a body for what the path says it is: curl --data-binary calls line protocol a form.
    delete request.headers['content-type']
  })
  app.route({ method: ['GET', 'HEAD'], url: '/ping', handler: (_request, reply) => reply.code(204).send() })
  app.route({ method: ['GET', 'POST'], url: '/query', handler: (request, reply) => query(request, reply, databases) })
  app.post('/write', createWrites(options))
  return app
}
