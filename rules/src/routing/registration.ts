import type { RegistrationHealth } from '@patchbay/contract/carrier-health'

/**
 * Judges the registration with a carrier by what the platform reported about its last REGISTER
 * (docs/reference/platform-api/carriers.md#registration-status). Pure.
 */

/** The `register_status` of a carrier. Any member can be missing or invalid: after a network error, the reason is `{}`. */
export type RegistrationReport = Readonly<Record<'status' | 'reason' | 'timestamp' | 'expires', unknown>>

/** Longer durations are no expiry of a registration. */
const maxExpirySeconds = 1e9

const toText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** Returns the milliseconds since the Unix epoch of an ISO 8601 text or of epoch milliseconds. */
const toEpochMs = (value: unknown): number | null => {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const epochMs = new Date(value).getTime()
  return Number.isNaN(epochMs) ? null : epochMs
}

const toSeconds = (value: unknown): number | null => {
  const seconds = typeof value === 'string' || typeof value === 'number' ? Number(value) : 0
  return seconds > 0 && seconds <= maxExpirySeconds ? seconds : null
}

/** Returns the instant as ISO 8601, or null if it is unknown or out of the range of dates. */
const toInstant = (epochMs: number | null): string | null =>
  epochMs === null || Number.isNaN(new Date(epochMs).getTime()) ? null : new Date(epochMs).toISOString()

/**
 * Returns the health of a registration. Without a status, nothing was reported: this proves neither a registration nor a
 * failure.
 * @param now milliseconds since the Unix epoch
 */
export const judgeRegistration = (report: Partial<RegistrationReport>, now: number): RegistrationHealth => {
  const status = toText(report.status)
  const reportedAt = toEpochMs(report.timestamp)
  const seconds = toSeconds(report.expires)
  const expiresAt = reportedAt === null || seconds === null ? null : reportedAt + seconds * 1000
  const isExpired = expiresAt !== null && expiresAt < now
  return {
    state: status === null ? 'unknown' : status !== 'ok' ? 'failing' : isExpired ? 'stale' : 'registered',
    reason: toText(report.reason),
    reported_at: toInstant(reportedAt),
    expires_at: toInstant(expiresAt),
    settled_at: null,
  }
}

/** A REGISTER that was captured, and that the carrier accepted. */
export interface AcceptedRegistration {
  /** Number of its CSeq. */
  cseq: number
  /** Milliseconds since the Unix epoch. */
  at: number
  /** Undefined if the response does not say for how long. */
  seconds: number | undefined
}

/** Returns whether a REGISTER came after the reported one. All REGISTERs of a Call-ID count up (RFC 3261 §10.2). */
const isLater = ({ cseq, at }: AcceptedRegistration, report: { cseq?: unknown; timestamp?: unknown }): boolean => {
  const reportedCseq = /^\d{1,10}/.exec(toText(report.cseq) ?? '')?.[0]
  if (reportedCseq !== undefined) return cseq > Number(reportedCseq)
  const reportedAt = toEpochMs(report.timestamp)
  return reportedAt !== null && at > reportedAt
}

/**
 * Returns the health of a registration whose refusal a later request settled: one with the new nonce, with the longer
 * expiry after a 423, or a retry after a time-out. Returns the same health if the request does not prove this.
 * @param accepted the last REGISTER with the reported Call-ID, if the carrier accepted it
 * @param now milliseconds since the Unix epoch
 */
export const settleRegistration = (
  health: RegistrationHealth,
  report: { cseq?: unknown; timestamp?: unknown },
  accepted: AcceptedRegistration | undefined,
  now: number,
): RegistrationHealth => {
  if (health.state !== 'failing' || accepted === undefined || !isLater(accepted, report)) return health
  const expiresAt = accepted.seconds === undefined ? null : accepted.at + accepted.seconds * 1000
  return {
    ...health,
    state: expiresAt !== null && expiresAt < now ? 'stale' : 'registered',
    expires_at: toInstant(expiresAt),
    settled_at: toInstant(accepted.at),
  }
}
