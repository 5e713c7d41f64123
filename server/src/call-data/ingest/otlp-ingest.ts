import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { intakeEvents } from '../../lib/telemetry.ts'
import { defaultIntakeRules, type IntakeRules } from '../masking/intake-rules.ts'
import type { DecodedExport } from '../traces/decode-export.ts'
import { findEncoding, jsonEncoding } from '../traces/otlp.ts'
import { createOtlpDecoder, DecodeError, type OtlpDecoder } from '../traces/otlp-decoder.ts'
import type { TracePart, TraceSink } from '../traces/traces.ts'
import { createBodyProcessor, createIntakeServer, type IntakeServerOptions } from './http-ingest.ts'
import { IngestError } from './ingest-error.ts'

/**
 * Receives traces like an OpenTelemetry collector: POST /v1/traces with protobuf or JSON, optionally gzipped (OTLP 1.x,
 * "OTLP/HTTP"). A partial success counts the spans that were not stored. Exports that exceed a limit of otlp-limits.ts
 * get 413, which clients do not retry.
 */

export interface OtlpIntakeOptions extends IntakeServerOptions {
  sink: TraceSink
  /** Finds what is masked in the spans of a trace. Default: card numbers. */
  rules?: IntakeRules
  /** Called with each service provider whose patterns exceeded their time. */
  onOverrun?: (service_provider_sid: string) => void
  /** Names of the attributes that name a call (`TRACE_CALL_ATTRIBUTES`). */
  callAttributes?: readonly string[]
}

/** Maximum trace parts, and their bytes, that are stored in one step. Other requests run in between. */
const maxBatchParts = 50
const maxBatchBytes = 2 * 1024 * 1024

const traceIsFull = 'the trace has the maximum number of spans'

/** Divides trace parts into batches. */
function* splitIntoBatches(parts: readonly TracePart[]): Generator<TracePart[]> {
  let batch: TracePart[] = []
  let bytes = 0
  for (const part of parts) {
    if (batch.length > 0 && (batch.length >= maxBatchParts || bytes + part.content.length > maxBatchBytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(part)
    bytes += part.content.length
  }
  if (batch.length > 0) yield batch
}

const decode = async (decoder: OtlpDecoder, body: Buffer, type: string): Promise<DecodedExport> => {
  try {
    return await decoder.decode(body, type)
  } catch (error) {
    if (error instanceof DecodeError) throw new IngestError(error.isOverLimit ? 413 : 400, error.message)
    throw error
  }
}

const publishSpans = (parts: readonly TracePart[], invalid: number, overLimit: number): void => {
  const count = parts.reduce((sum, { spans }) => sum + spans, 0) - overLimit
  intakeEvents.publish({ is: 'stored', data: 'spans', count })
  intakeEvents.publish({ is: 'rejected', data: 'spans', reason: 'invalid', count: invalid })
  intakeEvents.publish({ is: 'rejected', data: 'spans', reason: 'quota', count: overLimit })
}

const createExportHandler = ({
  sink,
  decoder,
  onOverrun,
  ...options
}: OtlpIntakeOptions & { decoder: OtlpDecoder }) => {
  // Decoding is CPU-bound: without batches, two concurrent bodies would not finish sooner than one after the other.
  const processBody = createBodyProcessor({ concurrency: 1, ...options }, 'otlp')
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const encoding = await findEncoding(request.headers['content-type'])
    if (encoding === undefined) throw new IngestError(415, 'send application/x-protobuf or application/json')
    const outcome = await processBody(request, reply, async (body, runStep) => {
      const { parts, rejected, message, overruns } = await runStep(() => decode(decoder, body, encoding.type))
      for (const service_provider_sid of overruns) onOverrun?.(service_provider_sid)
      let rejectedByFullTraces = 0
      for (const batch of splitIntoBatches(parts)) rejectedByFullTraces += await runStep(() => sink.storeParts(batch))
      if (intakeEvents.isObserved) publishSpans(parts, rejected, rejectedByFullTraces)
      return { rejected: rejected + rejectedByFullTraces, message: rejectedByFullTraces > 0 ? traceIsFull : message }
    })
    return reply.type(encoding.type).send(encoding.success(outcome))
  }
}

/** Creates the server. The caller starts listening. */
export const createOtlpIntake = (options: OtlpIntakeOptions): FastifyInstance => {
  const app = createIntakeServer(options, {
    intake: 'otlp',
    realm: 'OTLP',
    sendError: async ({ message }, { headers }, reply) => {
      // If the library of an encoding cannot be loaded, the error must not show the path of the missing file.
      const encoding = await findEncoding(headers['content-type']).catch(() => undefined)
      const { type, failure } = encoding ?? jsonEncoding
      return reply.type(type).send(failure(message))
    },
  })
  const { callAttributes = [], rules = defaultIntakeRules } = options
  const decoder = createOtlpDecoder({ callAttributes, findRules: (traces) => rules.find(traces) })
  app.addHook('onClose', () => decoder.close())
  app.post('/v1/traces', createExportHandler({ ...options, decoder }))
  return app
}
