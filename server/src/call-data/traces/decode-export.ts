import { assertAtMost, OtlpLimitError, otlpLimits } from './otlp-limits.ts'
import { parseEncoding } from './otlp.ts'
import { toTraceParts } from './trace-parts.ts'
import type { TracePart, ResourceSpans } from './traces.ts'
import { toResponseSpans } from './trace-response.ts'
import { asArray, getScopeSpans } from '@patchbay/contract/shared/traces'

/** An export, ready to be stored. */
export interface DecodedExport {
  parts: TracePart[]
  /** spans that are not stored */
  rejected: number
  /** why; empty if all are stored */
  message: string
}

const withoutIds = 'spans need a trace id, a span id and a start'
const overTraces = `an export stores at most ${otlpLimits.traces.toLocaleString('en-US')} traces; send smaller batches`
const overBytes = `an export stores at most ${otlpLimits.storedBytes / 1024 / 1024} MiB; send smaller batches`

/** JSON has no types to count while it is scanned. */
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

const spansIn = (all: readonly ResourceSpans[]): number =>
  all.reduce((sum, one) => sum + one.instrumentationLibrarySpans.reduce((more, { spans }) => more + spans.length, 0), 0)

/**
 * Decodes the body of an export.
 *
 * @param contentType as `application/x-protobuf`
 * @throws OtlpLimitError if the body is over a structural limit
 * @throws Error if the body is not an ExportTraceServiceRequest
 */
export const decodeExport = async (body: Uint8Array, contentType: string): Promise<DecodedExport> => {
  const encoding = parseEncoding(contentType)
  if (encoding === undefined) throw new Error('unknown encoding')
  const resourceSpans = encoding.read(Buffer.from(body.buffer, body.byteOffset, body.length))
  assertCounts(resourceSpans)
  const { traces, rejected } = toResponseSpans(resourceSpans)
  const decoded: DecodedExport = { parts: [], rejected, message: rejected > 0 ? withoutIds : '' }
  let [storedTraces, storedBytes] = [0, 0]
  for (const [trace_id, spans] of traces) {
    storedTraces += 1
    const limit = storedTraces > otlpLimits.traces ? overTraces : storedBytes > otlpLimits.storedBytes ? overBytes : ''
    if (limit !== '') {
      decoded.rejected += spansIn(spans)
      decoded.message = limit
      continue
    }
    for await (const part of toTraceParts(trace_id, spans)) {
      decoded.parts.push(part)
      storedBytes += part.bytes
    }
  }
  return decoded
}

/** What the decoding thread answers. */
export type DecodeReply = { decoded: DecodedExport } | { problem: 'limit' | 'invalid'; message: string }

/** Decodes an export; errors become values, which pass between threads. */
export const replyTo = async (body: Uint8Array, contentType: string): Promise<DecodeReply> => {
  try {
    return { decoded: await decodeExport(body, contentType) }
  } catch (error) {
    if (error instanceof OtlpLimitError) return { problem: 'limit', message: error.message }
    return { problem: 'invalid', message: 'the body is no ExportTraceServiceRequest' }
  }
}
