import type { Trace } from '@patchbay/contract/call-traces'
import type { TracePart } from './trace-parts.ts'

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
