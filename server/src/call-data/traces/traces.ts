import type { Trace } from '@patchbay/contract/call-traces'

/** Traces of calls by trace id (32 hex digits). The caller of `read` checks which spans the tenant may see. */
export interface Traces {
  /** Returns a trace, or undefined if it is unknown. */
  read(trace_id: string): Promise<Trace | undefined>
}

/** Destination for spans of an ingest server. */
export interface TraceSink {
  /**
   * Stores parts of traces. A repeated part is stored once. Returns the number of spans that are rejected because their
   * trace is full.
   */
  storeParts(parts: readonly TracePart[]): Promise<number>
}

/** Some spans of a trace, prepared for storage in one row. */
export interface TracePart {
  trace_id: string
  /** SHA-256 of the spans. A repeated delivery has the same key. */
  part_key: string
  /** The spans as gzipped JSON. */
  content: Uint8Array
  spans: number
  /** Bytes of the uncompressed JSON. */
  bytes: number
  delays: readonly CallDelay[]
  /** The calls that the spans name in the attributes of `TRACE_CALL_ATTRIBUTES`. */
  calls: readonly string[]
  /** The account in the first span with an `accountSid`. */
  account_sid?: string
}

/**
 * Times of a call leg for the post-dial delay, in milliseconds since the Unix epoch. Null if a time is not in the
 * spans.
 */
export interface CallDelay {
  call_sid: string
  dialled_at: number | null
  rung_at: number | null
}
