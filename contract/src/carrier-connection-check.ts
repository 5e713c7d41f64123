import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { anySid, instant, text } from './api/values.ts'
import { callCounts, registrationHealth } from './carrier-health.ts'
import { addressSources, connectionFailures, maxCheckedGateways, sipTransports } from './shared/connection-check.ts'
import { newSipGateway } from './sip-gateways.ts'
import { voipCarrierLengths as carrierLengths } from './voip-carriers/record.ts'

/**
 * Checks the connection to the SIP gateways of a carrier: DNS, and a SIP OPTIONS request from the Patchbay server. A
 * Patchbay extension; the platform has no equivalent.
 */

const gatewayCheck = z.object({
  /** Empty for a gateway that is not saved. */
  sip_gateway_sid: z.string(),
  ipv4: z.string(),
  port: z.number().nullable(),
  transport: z.enum(sipTransports),
  outbound: z.boolean(),
  /** The outbound proxy of the carrier, which receives the request. Null if the gateway itself receives it. */
  outbound_sip_proxy: z.string().nullable(),
  /** Null if no address was found. */
  source: z.enum(addressSources).nullable(),
  /** Addresses with ports of the receiver, in the order in which they are tried. */
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

/** Gateways as they are in a form. The owner's limits apply. */
const unsavedGateways = z.strictObject({
  account_sid: anySid.nullish(),
  service_provider_sid: anySid.nullish(),
  outbound_sip_proxy: text(carrierLengths.outbound_sip_proxy).nullish(),
  gateways: z
    .array(
      newSipGateway
        .pick({ ipv4: true, port: true, netmask: true, outbound: true, protocol: true, use_sips_scheme: true })
        .strict(),
      { error: 'must be a list of gateways' },
    )
    .min(1, { error: 'must have at least one gateway' })
    .max(maxCheckedGateways, { error: `must be at most ${maxCheckedGateways} gateways` }),
})

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

export const carrierConnectionCheckEndpoints = endpoints({
  'POST /patchbay/carriers/:voip_carrier_sid/connection-check': {
    summary: 'Send SIP OPTIONS to the gateways of a carrier and return the results; rate-limited',
    access: { minScope: 'account', owner: { of: 'voip_carrier' }, errorCode: 'insufficient_privileges' },
    responses: { 200: connectionCheck },
  },
  'POST /patchbay/carriers/connection-check': {
    summary: 'Send SIP OPTIONS to gateways that are not saved yet and return the results; rate-limited',
    access: { minScope: 'account', owner: 'body' },
    body: unsavedGateways,
    responses: { 200: connectionCheck.pick({ checked_at: true, gateways: true }) },
  },
})

/** Descriptions of fields for the API documentation. */
export const carrierConnectionCheckDescriptions: Descriptions = {
  address: 'Address that responded.',
  addresses: 'IP addresses with ports, in the order in which they are tried.',
  code: 'Why the check failed, such as not_resolved or timeout.',
  detail: 'Details of the failure, or null.',
  last_call_at: 'Time of the latest call of the last days, ISO 8601. Null if there is none.',
  reason: 'Reason.',
  response: 'Final response with status, reason, responding address, and round-trip time. Null if there is none.',
  round_trip_ms: 'Milliseconds from the first request to the response.',
  source: 'DNS records that led to the addresses: literal, address, srv, or naptr. Null if none was found.',
  transport: 'SIP transport: udp, tcp, or tls.',
}
