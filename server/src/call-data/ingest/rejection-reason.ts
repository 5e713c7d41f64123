import type { RejectionReason } from '../../lib/telemetry.ts'

/** By HTTP status, and by close code of a WebSocket (RFC 6455, section 7.4). */
const reasons: Readonly<Record<number, RejectionReason>> = {
  400: 'invalid',
  401: 'not_allowed',
  403: 'not_allowed',
  404: 'not_found',
  413: 'too_large',
  415: 'invalid',
  429: 'busy',
  503: 'busy',
  // A recording without audio.
  1000: 'ignored',
  1007: 'invalid',
  1008: 'not_allowed',
  1013: 'busy',
}

/** Returns the label in metrics for a request or connection that an intake rejects with this status or close code. */
export const getRejectionReason = (code: number): RejectionReason => reasons[code] ?? 'failed'
