import type { Trace } from '@patchbay/contract/call-traces'

/** Traces of calls, by the 32 hex digits of their id. Whose a trace is, the caller of `read` has to ask. */
export interface Traces {
  read(trace_id: string): Promise<Trace | undefined>
}

export type ResourceSpans = Trace['resourceSpans'][number]

/** Where an intake puts the spans of some traces. */
export interface TraceSink {
  /** Stores parts of traces; a repeated one once. Returns the number of spans that are rejected: their trace is full. */
  storeParts(parts: readonly TracePart[]): Promise<number>
}

/** Some spans of a trace, ready to be stored as a row. */
export interface TracePart {
  trace_id: string
  /** SHA-256 of the spans: a repeated delivery has the same one */
  part_key: string
  /** the spans as gzipped JSON */
  content: Uint8Array
  spans: number
  /** bytes of the JSON */
  bytes: number
  delays: readonly CallDelay[]
  /** the account that the first span with an `accountSid` names */
  account_sid?: string
}

export interface CallDelay {
  call_sid: string
  dialled_at: number | null
  rung_at: number | null
}
