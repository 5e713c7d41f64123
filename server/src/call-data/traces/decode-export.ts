import { assertAtMost, OtlpLimitError, otlpLimits } from './otlp-limits.ts'
import { findEncoding } from './otlp.ts'
import type { MaskingRules } from '@patchbay/contract/masking-rules'
import type { OwnedGroup } from '../masking/intake-rules.ts'
import { maskSpans } from '../masking/mask-spans.ts'
import { compileRules, createTextMasker, type MaskingBudget } from '../masking/text-masker.ts'
import { countSpans, findAccount, toTraceParts } from './trace-parts.ts'
import type { ResourceSpans, TracePart } from './traces.ts'
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

export interface DecodeSettings {
  /** Names of the attributes that name a call. */
  callAttributes: readonly string[]
  /** Returns the masking rules for each trace, in the same order. */
  findRules: (traces: readonly OwnedGroup[]) => Promise<readonly MaskingRules[]>
}

/** Time for the patterns of all providers in an export. With 20 patterns, a kilobyte takes about 1 ms. */
const getMaskingBudgetMs = (bytes: number): number => Math.min(5000, 200 + 2 * (bytes / 1024))

const maskTrace = async (
  spans: readonly ResourceSpans[],
  rules: MaskingRules,
  callAttributes: ReadonlySet<string>,
  budget: MaskingBudget,
): Promise<ResourceSpans[]> => {
  const masker = createTextMasker(await compileRules(rules), budget)
  return spans.map((one) => maskSpans(one, masker, callAttributes))
}

/**
 * Decodes the body of an export, and masks its texts.
 *
 * @param contentType for example `application/x-protobuf`
 * @throws OtlpLimitError if the body exceeds a structural limit
 * @throws Error if the body is not an ExportTraceServiceRequest
 */
export const decodeExport = async (
  body: Uint8Array,
  contentType: string,
  { callAttributes, findRules }: DecodeSettings,
): Promise<DecodedExport> => {
  const encoding = await findEncoding(contentType)
  if (encoding === undefined) throw new Error('unknown encoding')
  const resourceSpans = encoding.read(Buffer.from(body.buffer, body.byteOffset, body.length))
  assertCounts(resourceSpans)
  const { traces, rejected } = toResponseSpans(resourceSpans)
  const decoded: DecodedExport = { parts: [], rejected, message: rejected > 0 ? missingIdsMessage : '' }
  const names = new Set(callAttributes)
  const owned = [...traces].map(([id, spans]) => ({ id, account_sid: findAccount(spans) }))
  const rules = owned.length === 0 ? [] : await findRules(owned)
  const budget = { remainingMs: getMaskingBudgetMs(body.length) }
  let [storedTraces, storedBytes] = [0, 0]
  for (const [trace_id, spans] of traces) {
    const ownRules = rules[storedTraces]
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
    if (ownRules === undefined) throw new Error('the masking rules of a trace are missing')
    const masked = await maskTrace(spans, ownRules, names, budget)
    for await (const part of toTraceParts(trace_id, masked, names)) {
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
  settings: DecodeSettings,
): Promise<DecodeReply> => {
  try {
    return { decoded: await decodeExport(body, contentType, settings) }
  } catch (error) {
    if (error instanceof OtlpLimitError) return { problem: 'limit', message: error.message }
    return { problem: 'invalid', message: 'the body is not an ExportTraceServiceRequest' }
  }
}
