import { ApiError } from '@patchbay/contract/api/errors'
import { type ComponentPart, type ComponentState, maxParts } from '@patchbay/contract/system-status'
import { DnsError } from '../../adapters/dns/dns.ts'
import { describeNetworkError } from '../../adapters/outbound-http/error-messages.ts'
import { getErrorCode } from '../../lib/error-code.ts'
import { withTimeout } from '../../lib/timeout.ts'

/** The result of the check of a component. */
export interface Finding {
  state: ComponentState
  detail: string
  /** ISO 8601. */
  last_contact?: string | null
  version?: string | null
  parts?: readonly ComponentPart[]
  /** Number of instances if `parts` does not contain all of them. */
  part_count?: number
}

export type Check = () => Promise<Finding>

/** Time limit of a check. */
export const checkTimeoutSeconds = 2

/** Thrown if a check exceeds its time limit. */
export class CheckTimeoutError extends Error {
  readonly seconds: number
  constructor(seconds: number) {
    super(`no result within ${seconds} s`)
    this.seconds = seconds
  }
}

/** Returns a time in epoch milliseconds as ISO 8601. */
export const toInstant = (epochMs: number): string => new Date(epochMs).toISOString()

/** Returns the finding of a component without a configuration. */
export const notConfigured = (detail: string): Finding => ({ state: 'not_configured', detail })

/** Returns the first instances, and the number of all. */
export const limitParts = (parts: readonly ComponentPart[], part_count = parts.length) => ({
  parts: parts.slice(0, maxParts),
  part_count,
})

/** Errors of AWS for credentials that are missing, wrong, or not permitted to make the request. */
const awsRejection =
  /^(?:AccessDenied|ExpiredToken|InvalidSignature|UnrecognizedClient)(?:Exception)?$|^CredentialsProviderError$/

/** Returns whether a service rejected user name and password. */
const isRejection = (error: unknown): boolean =>
  (error instanceof DnsError && (error.status === 401 || error.status === 403)) ||
  (error instanceof Error && awsRejection.test(error.name)) ||
  (error instanceof ApiError && error.code === 'homer_credentials_rejected') ||
  // 516 is AUTHENTICATION_FAILED of ClickHouse.
  ['EAUTH', 'ER_ACCESS_DENIED_ERROR', '516'].includes(getErrorCode(error)) ||
  (error instanceof Error && /^(?:WRONGPASS|NOAUTH|NOPERM)\b/.test(error.message))

/**
 * Returns why a check failed. Messages of services and libraries are left out, because they can repeat credentials.
 * @param service what the reader knows the component as, such as "mail server"
 */
export const describeFailure = (error: unknown, service: string): string => {
  if (error instanceof CheckTimeoutError) return `The ${service} did not respond within ${error.seconds} seconds.`
  const cause = error instanceof ApiError && error.cause !== undefined ? error.cause : error
  if (isRejection(cause)) return `The ${service} rejected the credentials.`
  const other =
    error instanceof ApiError ? `The ${service} cannot be reached` : `The ${service} responded with an error`
  return `${describeNetworkError(cause, service) ?? other}.`
}

/**
 * Limits the duration of some work, and runs it once at a time: while it hangs, further calls wait for the same run
 * instead of starting another one.
 * @throws CheckTimeoutError after the time limit
 */
export const runBounded = <T>(work: () => Promise<T>, seconds = checkTimeoutSeconds): (() => Promise<T>) => {
  let running: Promise<T> | undefined
  return () => {
    running ??= Promise.resolve()
      .then(work)
      .finally(() => {
        running = undefined
      })
    return withTimeout(running, seconds, () => new CheckTimeoutError(seconds))
  }
}
