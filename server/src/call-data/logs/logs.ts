import type { Call } from '@patchbay/contract/recent-calls'

/** What was logged during calls. Whose a call is, the caller has to ask. */
export interface Logs {
  /** the lines of a call, the oldest first */
  read(call: Call, logGroup?: string): Promise<string[]>
}

/** A line, and by what it names its call: a call_sid, or a SIP Call-ID. */
export interface LogLine {
  call_id: string
  text: string
}

/** Where an intake puts lines. */
export interface LogSink {
  /** Stores lines; a repeated delivery once. Returns how many were taken: the log of a call may be full. */
  store(lines: readonly LogLine[]): Promise<number>
}
