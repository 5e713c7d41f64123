import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Encoding, encodingOf, jsonEncoding } from '../traces/otlp.ts'
import type { TraceSink } from '../traces/traces.ts'
import { type WireSpans, wireSpansOf } from '../traces/wire-spans.ts'
import { createDeliveries, createIntakeServer, type IntakeServerOptions } from './http-intake.ts'
import { Refusal } from './refusal.ts'

/**
 * What a collector of OpenTelemetry is to those who export traces to it over HTTP: POST /v1/traces, protobuf or JSON,
 * gzipped or not (OTLP 1.x, "OTLP/HTTP"). Spans that cannot be kept are counted in a partial success.
 */

export interface OtlpIntakeOptions extends IntakeServerOptions {
  sink: TraceSink
}

/** Traces that are stored at a time; between two lots other requests have their turn. */
const tracesAtOnce = 50

const withoutIds = 'spans need a trace id, a span id and a start'

const spansIn = (body: Buffer, encoding: Encoding): WireSpans => {
  try {
    return wireSpansOf(encoding.read(body))
  } catch {
    throw new Refusal(400, 'the body is no ExportTraceServiceRequest')
  }
}

const createExports = ({ sink, ...options }: OtlpIntakeOptions) => {
  // Spans take a processor, not a disk: one body at a time is as quick as two, and others wait half as long.
  const deliver = createDeliveries({ ...options, atOnce: 1 })
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const encoding = encodingOf(request.headers['content-type'])
    if (encoding === undefined) throw new Refusal(415, 'send application/x-protobuf or application/json')
    const rejected = await deliver(request, reply, async (body, turn) => {
      const { traces, rejected: unread } = await turn(async () => spansIn(body, encoding))
      const deliveries = [...traces].map(([trace_id, resourceSpans]) => ({ trace_id, resourceSpans }))
      for (let from = 0; from < deliveries.length; from += tracesAtOnce)
        await turn(() => sink.store(deliveries.slice(from, from + tracesAtOnce)))
      return unread
    })
    return reply.type(encoding.type).send(encoding.success({ rejected, message: withoutIds }))
  }
}

/** Listens to nothing: the caller does. */
export const createOtlpIntake = (options: OtlpIntakeOptions): FastifyInstance => {
  const app = createIntakeServer(options, {
    realm: 'OTLP',
    answer: ({ message }, { headers }, reply) => {
      const { type, failure } = encodingOf(headers['content-type']) ?? jsonEncoding
      return reply.type(type).send(failure(message))
    },
  })
  app.post('/v1/traces', createExports(options))
  return app
}
