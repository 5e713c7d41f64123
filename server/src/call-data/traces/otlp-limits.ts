/**
 * Limits of one OTLP export. The OpenTelemetry SDKs export 512 spans at a time, and a collector sends batches of 8,192
 * spans by default.
 */
export const otlpLimits = {
  /** Objects of all kinds. A few encoded bytes become an object in memory. */
  messages: 500_000,
  resourceSpans: 1000,
  scopeSpans: 5000,
  spans: 50_000,
  traces: 2000,
  /** Size of the stored JSON. */
  storedBytes: 32 * 1024 * 1024,
  /** Nesting depth of messages; the same as the limit of protobufjs. */
  depth: 100,
} as const

/** A request exceeds a structural limit. The message names the limit. */
export class OtlpLimitError extends Error {
  constructor(what: string, limit: number) {
    super(`the export has more than ${limit.toLocaleString('en-US')} ${what}; send smaller batches`)
    this.name = 'OtlpLimitError'
  }
}

/** Throws an `OtlpLimitError` if the count exceeds the limit. */
export const assertAtMost = (count: number, limit: number, what: string): void => {
  if (count > limit) throw new OtlpLimitError(what, limit)
}
