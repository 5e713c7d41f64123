import type { Trace } from '@patchbay/contract/call-traces'

/** Traces of calls, by the 32 hex digits of their id. Whose a trace is, the caller of `read` has to ask. */
export interface Traces {
  read(trace_id: string): Promise<Trace | undefined>
}

export type ResourceSpans = Trace['resourceSpans'][number]

/** Where an intake puts the spans of some traces. A repeated delivery is stored once. */
export interface TraceSink {
  store(deliveries: readonly { trace_id: string; resourceSpans: readonly ResourceSpans[] }[]): Promise<void>
}
