import { z } from 'zod'
import { registrationHealth, callCounts } from './carrier-health.ts'
import { endpoints } from './endpoint.ts'
import { instant } from './values.ts'

/**
 * Checks the connection to the SIP gateways of a carrier: DNS, and a SIP OPTIONS request from the Patchbay server. A
 * Patchbay extension; the platform has no equivalent.
 */

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
] as const
export type ConnectionFailure = (typeof connectionFailures)[number]

/** DNS records that led to the addresses (RFC 3263). `literal`: the gateway has an IP address. */
export const addressSources = ['literal', 'address', 'srv', 'naptr'] as const
export type AddressSource = (typeof addressSources)[number]

const gatewayCheck = z.object({
  sip_gateway_sid: z.string(),
  ipv4: z.string(),
  port: z.number().nullable(),
  transport: z.enum(sipTransports),
  outbound: z.boolean(),
  /** Null if no address was found. */
  source: z.enum(addressSources).nullable(),
  /** Addresses with ports, in the order in which they are tried. */
  addresses: z.array(z.string()),
  /** The final response, of any status. Null if there is none. */
  response: z
    .object({
      status: z.number(),
      reason: z.string(),
      /** Address that responded. */
      address: z.string(),
      /** From the first request to the response, in milliseconds. */
      round_trip_ms: z.number(),
    })
    .nullable(),
  /** Null if the gateway responded, or if it is a network, which cannot be checked. */
  failure: z.object({ code: z.enum(connectionFailures), detail: z.string().nullable() }).nullable(),
})
export type GatewayCheck = z.infer<typeof gatewayCheck>

const connectionCheck = z.object({
  checked_at: instant,
  /** Active gateways, outbound ones first. At most `maxCheckedGateways`. */
  gateways: z.array(gatewayCheck),
  /** Number of active gateways. */
  gateway_count: z.number(),
  /** Null if the carrier does not require registration. */
  registration: registrationHealth.nullable(),
  calls: callCounts,
  /** Latest call of the last days. Null if there is none, or if the call records cannot be read. */
  last_call_at: instant.nullable(),
})
export type ConnectionCheck = z.infer<typeof connectionCheck>

export const maxCheckedGateways = 20

/** Number of days in which the latest call is searched. */
export const lastCallDays = 7

export const carrierConnectionCheckEndpoints = endpoints({
  'POST /patchbay/carriers/:voip_carrier_sid/connection-check': {
    summary: 'Send SIP OPTIONS to the gateways of a carrier and return the results; rate-limited',
    access: { minScope: 'account', owner: { of: 'voip_carrier' }, errorCode: 'insufficient_privileges' },
    responses: { 200: connectionCheck },
  },
})
