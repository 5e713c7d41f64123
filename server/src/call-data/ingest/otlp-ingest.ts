import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DecodedExport } from '../traces/decode-export.ts'
import { parseEncoding, jsonEncoding } from '../traces/otlp.ts'
import { createOtlpDecoder, DecodeError, type OtlpDecoder } from '../traces/otlp-decoder.ts'
import type { TracePart, TraceSink } from '../traces/traces.ts'
import { createDeliveries, createIntakeServer, type IntakeServerOptions } from './http-ingest.ts'
import { Refusal } from './ingest-error.ts'

/**
 * Receives traces as a collector of OpenTelemetry does: POST /v1/traces, protobuf or JSON, gzipped or not (OTLP 1.x,
 * "OTLP/HTTP"). A partial success counts spans that are not stored. 413 answers an export that is over a limit of
 * otlp-limits.ts, which clients do not send again.
 */

export interface OtlpIntakeOptions extends IntakeServerOptions {
  sink: TraceSink
}

/** Parts of traces, and their bytes, that are stored at a time. Other requests run in between. */
const maxLotParts = 50
const maxLotBytes = 2 * 1024 * 1024

const traceIsFull = 'a trace has no room for more spans'

/** Divides parts into lots. */
function* lotsOf(parts: readonly TracePart[]): Generator<TracePart[]> {
  let lot: TracePart[] = []
  let bytes = 0
  for (const part of parts) {
    if (lot.length > 0 && (lot.length >= maxLotParts || bytes + part.content.length > maxLotBytes)) {
      yield lot
      lot = []
      bytes = 0
    }
    lot.push(part)
    bytes += part.content.length
  }
  if (lot.length > 0) yield lot
}

const decoded = async (decoder: OtlpDecoder, body: Buffer, type: string): Promise<DecodedExport> => {
  try {
    return await decoder.decode(body, type)
  } catch (error) {
    if (error instanceof DecodeError) throw new Refusal(error.isOverLimit ? 413 : 400, error.message)
    throw error
  }
}

const createExports = ({ sink, decoder, ...options }: OtlpIntakeOptions & { decoder: OtlpDecoder }) => {
  // Decoding takes a processor, not a disk: one body at a time is as fast as two, and others wait half as long.
  const deliver = createDeliveries({ ...options, concurrency: 1 })
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const encoding = parseEncoding(request.headers['content-type'])
    if (encoding === undefined) throw new Refusal(415, 'send application/x-protobuf or application/json')
    const outcome = await deliver(request, reply, async (body, runStep) => {
      const { parts, rejected, message } = await runStep(() => decoded(decoder, body, encoding.type))
      let full = 0
      for (const lot of lotsOf(parts)) full += await runStep(() => sink.storeParts(lot))
      return { rejected: rejected + full, message: full > 0 ? traceIsFull : message }
    })
    return reply.type(encoding.type).send(encoding.success(outcome))
  }
}

/** Listens to nothing: the caller does. */
export const createOtlpIntake = (options: OtlpIntakeOptions): FastifyInstance => {
  const app = createIntakeServer(options, {
    realm: 'OTLP',
    answer: ({ message }, { headers }, reply) => {
      const { type, failure } = parseEncoding(headers['content-type']) ?? jsonEncoding
      return reply.type(type).send(failure(message))
    },
  })
  const decoder = createOtlpDecoder()
  app.addHook('onClose', () => decoder.close())
  app.post('/v1/traces', createExports({ ...options, decoder }))
  return app
}
