import type { Call } from '@patchbay/contract/recent-calls'

/** Log lines of calls. The caller checks who may read a call. */
export interface Logs {
  /** Returns the lines of a call, oldest first. */
  read(call: Call, logGroup?: string): Promise<string[]>
}

/** A log line and the id of its call: a call_sid or a SIP Call-ID. */
export interface LogLine {
  call_id: string
  text: string
}

/** Destination for log lines of an ingest server. */
export interface LogSink {
  /**
   * Stores lines. A repeated delivery is stored once. Returns how many were accepted, because the log of a call can be
   * full.
   */
  store(lines: readonly LogLine[]): Promise<number>
}
