import { assertAtMost, OtlpLimitError, otlpLimits } from './otlp-limits.ts'
import { parseEncoding } from './otlp.ts'
import { countSpans, toTraceParts } from './trace-parts.ts'
import type { TracePart } from './traces.ts'
import { toResponseSpans } from './trace-response.ts'
import { asArray, getScopeSpans } from '@patchbay/contract/shared/traces'

/** A decoded export, divided into parts for storage. */
export interface DecodedExport {
  parts: TracePart[]
  /** Number of spans that are not stored. */
  rejected: number
  /** Reason for rejected spans. Empty if all are stored. */
  message: string
}

const missingIdsMessage = 'spans need a trace id, a span id and a start'
const tooManyTracesMessage = `an export stores at most ${otlpLimits.traces.toLocaleString('en-US')} traces; send smaller batches`
const tooManyBytesMessage = `an export stores at most ${otlpLimits.storedBytes / 1024 / 1024} MiB; send smaller batches`

/** Checks the limits after JSON decoding, because the JSON scan does not know the types of objects. */
const assertCounts = (resourceSpans: unknown): void => {
  const groups = asArray(resourceSpans)
  assertAtMost(groups.length, otlpLimits.resourceSpans, 'resources')
  let [scopes, spans] = [0, 0]
  for (const group of groups)
    for (const scope of getScopeSpans(group)) {
      scopes += 1
      spans += asArray(Object(scope).spans).length
    }
  assertAtMost(scopes, otlpLimits.scopeSpans, 'scopes')
  assertAtMost(spans, otlpLimits.spans, 'spans')
}

/**
 * Decodes the body of an export.
 *
 * @param contentType for example `application/x-protobuf`
 * @param callAttributes names of the attributes that name a call
 * @throws OtlpLimitError if the body exceeds a structural limit
 * @throws Error if the body is not an ExportTraceServiceRequest
 */
export const decodeExport = async (
  body: Uint8Array,
  contentType: string,
  callAttributes: readonly string[],
): Promise<DecodedExport> => {
  const encoding = parseEncoding(contentType)
  if (encoding === undefined) throw new Error('unknown encoding')
  const resourceSpans = encoding.read(Buffer.from(body.buffer, body.byteOffset, body.length))
  assertCounts(resourceSpans)
  const { traces, rejected } = toResponseSpans(resourceSpans)
  const decoded: DecodedExport = { parts: [], rejected, message: rejected > 0 ? missingIdsMessage : '' }
  const names = new Set(callAttributes)
  let [storedTraces, storedBytes] = [0, 0]
  for (const [trace_id, spans] of traces) {
    storedTraces += 1
    const limit =
      storedTraces > otlpLimits.traces
        ? tooManyTracesMessage
        : storedBytes > otlpLimits.storedBytes
          ? tooManyBytesMessage
          : ''
    if (limit !== '') {
      decoded.rejected += countSpans(spans)
      decoded.message = limit
      continue
    }
    for await (const part of toTraceParts(trace_id, spans, names)) {
      decoded.parts.push(part)
      storedBytes += part.bytes
    }
  }
  return decoded
}

/** Response of the decoding thread. */
export type DecodeReply = { decoded: DecodedExport } | { problem: 'limit' | 'invalid'; message: string }

/** Decodes an export. Returns errors as values, which can be passed between threads. */
export const replyTo = async (
  body: Uint8Array,
  contentType: string,
  callAttributes: readonly string[],
): Promise<DecodeReply> => {
  try {
    return { decoded: await decodeExport(body, contentType, callAttributes) }
  } catch (error) {
    if (error instanceof OtlpLimitError) return { problem: 'limit', message: error.message }
    return { problem: 'invalid', message: 'the body is not an ExportTraceServiceRequest' }
  }
}
