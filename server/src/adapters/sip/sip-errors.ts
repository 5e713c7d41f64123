import type { ConnectionFailure } from '@patchbay/contract/shared/connection-check'
import { AddressNotAllowedError, HostUnavailableError } from '../outbound-http/ssrf-guard.ts'

/** A SIP request got no usable response. */
export class SipRequestError extends Error {
  readonly code: ConnectionFailure
  /** Text for the user, such as the reason why a certificate is not valid. */
  readonly detail: string | null

  constructor(code: ConnectionFailure, detail: string | null = null, options?: ErrorOptions) {
    super(detail === null ? code : `${code}: ${detail}`, options)
    this.name = 'SipRequestError'
    this.code = code
    this.detail = detail
  }
}

const maxDetailLength = 200

/** Returns text of the peer on one line without control characters, at most 200 characters long. */
export const sanitizePeerText = (text: string): string =>
  text
    .slice(0, 4 * maxDetailLength)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, maxDetailLength)

const failuresByCode: Readonly<Record<string, ConnectionFailure>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'closed',
  EPIPE: 'closed',
  EPROTO: 'tls_failed',
}

/** Converts an error of a socket or of the address policy. Other network errors mean that there is no route. */
export const toSipRequestError = (error: unknown): SipRequestError => {
  if (error instanceof SipRequestError) return error
  if (error instanceof AddressNotAllowedError) return new SipRequestError('address_not_allowed', null, { cause: error })
  if (error instanceof HostUnavailableError) return new SipRequestError('not_resolved', null, { cause: error })
  const { code = '' } = error as NodeJS.ErrnoException
  const failure = failuresByCode[code] ?? (/^ERR_(?:SSL|TLS)/.test(code) ? 'tls_failed' : 'unreachable')
  return new SipRequestError(failure, null, { cause: error })
}
