import type { ResourceSpans } from '@patchbay/contract/call-traces'
import { asArray, getScopeSpans } from '@patchbay/rules/traces/traces'
import type { OwnedGroup } from '../masking/intake-rules.ts'
import { maskSpans } from '../masking/mask-spans.ts'
import type { OwnedRules } from '../masking/masking-rules.ts'
import { compileRules, createTextMasker, type MaskingBudget } from '../masking/text-masker.ts'
import { findEncoding } from './otlp.ts'
import { assertAtMost, OtlpLimitError, otlpLimits } from './otlp-limits.ts'
import { countSpans, findAccount, toTraceParts } from './trace-parts.ts'
import { toResponseSpans } from './trace-response.ts'
import type { TracePart } from './traces.ts'

/** A decoded export, divided into parts for storage. */
export interface DecodedExport {
  parts: TracePart[]
  /** Number of spans that are not stored. */
  rejected: number
  /** Reason for rejected spans. Empty if all are stored. */
  message: string
  /** Service providers whose patterns exceeded their time. */
  overruns: string[]
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
  findRules: (traces: readonly OwnedGroup[]) => Promise<readonly OwnedRules[]>
}

/**
 * Time for the patterns of a provider in an export: a part by the size of its own spans, so that others do not wait for
 * expensive patterns. With 20 patterns, a kilobyte takes about 1 ms.
 */
const maxBudgetMs = 5000
const firstBudgetMs = 200
const budgetMsPerKilobyte = 2

/** Masks the traces of an export, with a budget for each provider. */
const createTraceMasker = (callAttributes: ReadonlySet<string>) => {
  const budgets = new Map<string | null, MaskingBudget & { totalMs: number }>()
  const getBudget = (spans: readonly ResourceSpans[], { service_provider_sid }: OwnedRules): MaskingBudget => {
    const budget = budgets.get(service_provider_sid) ?? { remainingMs: firstBudgetMs, totalMs: firstBudgetMs }
    const more = Math.min(maxBudgetMs - budget.totalMs, (budgetMsPerKilobyte * JSON.stringify(spans).length) / 1024)
    budget.totalMs += more
    budget.remainingMs += more
    budgets.set(service_provider_sid, budget)
    return budget
  }
  return {
    async mask(spans: readonly ResourceSpans[], rules: OwnedRules): Promise<ResourceSpans[]> {
      const budget = rules.patterns.length === 0 ? undefined : getBudget(spans, rules)
      const masker = createTextMasker(await compileRules(rules), budget)
      return spans.map((one) => maskSpans(one, masker, callAttributes))
    },
    getOverruns: () =>
      [...budgets].flatMap(([sid, { isExceeded }]) => (isExceeded === true && sid !== null ? [sid] : [])),
  }
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
  const decoded: DecodedExport = { parts: [], rejected, message: rejected > 0 ? missingIdsMessage : '', overruns: [] }
  const names = new Set(callAttributes)
  const owned = [...traces].map(([id, spans]) => ({ id, account_sid: findAccount(spans) }))
  const rules = owned.length === 0 ? [] : await findRules(owned)
  const masker = createTraceMasker(names)
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
    const masked = await masker.mask(spans, ownRules)
    for await (const part of toTraceParts(trace_id, masked, names)) {
      decoded.parts.push(part)
      storedBytes += part.bytes
    }
  }
  decoded.overruns = masker.getOverruns()
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
