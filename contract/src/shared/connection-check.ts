/** Terms and limits of connection checks, which server and console share. */

export const sipTransports = ['udp', 'tcp', 'tls'] as const
export type SipTransport = (typeof sipTransports)[number]

/**
 * - `invalid_address`: the stored host or port cannot be called
 * - `address_not_allowed`: the address is in a network that Patchbay must not call
 * - `not_resolved`: the name does not exist, or resolves only to such addresses
 * - `closed`: the peer closed the connection before it responded
 * - `timeout`: no response within the time limit
 * - `certificate_invalid`: the TLS certificate is not valid for the host
 * - `tls_failed`: the TLS handshake failed for another reason
 * - `malformed_response`: the response is not SIP
 * - `response_too_large`: the peer sent more than Patchbay reads
 * - `no_response`: there is no SIP response, for callers who must not learn which ports of a host are open
 */
export const connectionFailures = [
  'invalid_address',
  'address_not_allowed',
  'not_resolved',
  'refused',
  'unreachable',
  'closed',
  'timeout',
  'certificate_invalid',
  'tls_failed',
  'malformed_response',
  'response_too_large',
  'no_response',
] as const
export type ConnectionFailure = (typeof connectionFailures)[number]

/**
 * Failures that everybody may know: they say whether the address, its name, and its certificate are right. The others
 * differ for open, closed, and filtered ports, so only administrators see them.
 */
export const publicFailures: ReadonlySet<ConnectionFailure> = new Set([
  'invalid_address',
  'address_not_allowed',
  'not_resolved',
  'certificate_invalid',
])

/** Time limit of the check of a gateway, including DNS. */
export const connectionTimeoutMs = 3000

/** DNS records that led to the addresses (RFC 3263). `literal`: the gateway has an IP address. */
export const addressSources = ['literal', 'address', 'srv', 'naptr'] as const
export type AddressSource = (typeof addressSources)[number]

/** Number of gateways that a connection check includes. */
export const maxCheckedGateways = 20

/** Number of days in which the latest call is searched. */
export const lastCallDays = 7
