/**
 * Limits of one OTLP export. The exporter of the OpenTelemetry SDKs sends 512 spans at a time, and a collector's batches
 * have 8,192 spans unless configured otherwise.
 */
export const otlpLimits = {
  /** objects of all kinds: a few bytes on the wire become an object in memory */
  messages: 500_000,
  resourceSpans: 1000,
  scopeSpans: 5000,
  spans: 50_000,
  traces: 2000,
  /** of what is stored, as JSON */
  storedBytes: 32 * 1024 * 1024,
  /** of messages within messages; the same as the limit of protobufjs */
  depth: 100,
} as const

/** A request that is over a structural limit. The message names the limit. */
export class OtlpLimitError extends Error {
  constructor(what: string, limit: number) {
    super(`the export has more than ${limit.toLocaleString('en-US')} ${what}; send smaller batches`)
    this.name = 'OtlpLimitError'
  }
}

/** Throws an `OtlpLimitError` if there are more of something than the limit. */
export const assertAtMost = (count: number, limit: number, what: string): void => {
  if (count > limit) throw new OtlpLimitError(what, limit)
}
