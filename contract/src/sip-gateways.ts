import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { booleanInput, created, flag, integerInput, text } from './api/values.ts'
import { sipProtocols } from './shared/gateways.ts'
import { gatewayLengths as lengths } from './sip-gateways/record.ts'

/**
 * SIP gateways: remote addresses from which a carrier's calls arrive and to which calls are sent
 * (docs/reference/platform-api/carriers.md#sip-gateways).
 */

export const sipGateway = z.object({
  sip_gateway_sid: z.string(),
  voip_carrier_sid: z.string(),
  /** An IPv4 address. Outbound gateways can also have a domain name. */
  ipv4: z.string(),
  /** Null if the port results from the DNS lookup of the name. */
  port: z.number().nullable(),
  netmask: z.number(),
  inbound: flag,
  outbound: flag,
  is_active: flag,
  protocol: z.enum(sipProtocols).nullable(),
  pad_crypto: flag,
  send_options_ping: flag,
  use_sips_scheme: flag,
  remove_ice: flag,
  dtls_off: flag,
})
export type SipGateway = z.infer<typeof sipGateway>

/** SID of the gateway's carrier. Has the error message of the platform's API. */
export const carrierSid = z
  .custom<string>((value) => typeof value === 'string' && value.length <= 64, { error: 'missing voip_carrier_sid' })
  .meta({ type: 'string' })

const settings = {
  port: integerInput(0, 65_535).nullish(),
  netmask: integerInput(0, 32).optional(),
  inbound: booleanInput.optional(),
  outbound: booleanInput.optional(),
  is_active: booleanInput.optional(),
  protocol: z.enum(sipProtocols, { error: `must be one of ${sipProtocols.join(', ')}` }).nullish(),
  pad_crypto: booleanInput.optional(),
  send_options_ping: booleanInput.optional(),
  use_sips_scheme: booleanInput.optional(),
  remove_ice: booleanInput.optional(),
  dtls_off: booleanInput.optional(),
}

export const newSipGateway = z.strictObject({
  voip_carrier_sid: carrierSid,
  ipv4: text(lengths.ipv4),
  ...settings,
})
export type NewSipGateway = z.output<typeof newSipGateway>

export const sipGatewayChange = z.strictObject({
  ipv4: text(lengths.ipv4).optional(),
  ...settings,
})
export type SipGatewayChange = z.output<typeof sipGatewayChange>

export const ofCarrier = z.object({ voip_carrier_sid: carrierSid })

const byCarrier = { of: 'sip_gateway' } as const

export const sipGatewayEndpoints = endpoints({
  'GET /SipGateways': {
    summary: 'List the SIP gateways of a carrier',
    access: { minScope: 'account', owner: 'body' },
    query: ofCarrier,
    responses: { 200: z.array(sipGateway) },
  },
  'POST /SipGateways': {
    summary: 'Add a SIP gateway to a carrier',
    access: { minScope: 'account', owner: 'body' },
    body: newSipGateway,
    responses: { 201: created },
  },
  'GET /SipGateways/:sip_gateway_sid': {
    summary: 'Get a SIP gateway',
    access: { minScope: 'account', owner: { ...byCarrier, members: 'read' }, errorCode: 'insufficient_privileges' },
    responses: { 200: sipGateway },
  },
  'PUT /SipGateways/:sip_gateway_sid': {
    summary: 'Update a SIP gateway',
    access: { minScope: 'account', owner: byCarrier, errorCode: 'insufficient_privileges' },
    updates: { record: 'GET /SipGateways/:sip_gateway_sid' },
    body: sipGatewayChange,
    responses: { 204: null },
  },
  'DELETE /SipGateways/:sip_gateway_sid': {
    summary: 'Delete a SIP gateway',
    access: { minScope: 'account', owner: byCarrier, errorCode: 'insufficient_privileges' },
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const sipGatewayDescriptions: Descriptions = {
  dtls_off: 'Whether DTLS is switched off for this gateway.',
  inbound: 'Whether calls or messages are accepted from this gateway.',
  pad_crypto: 'Whether SRTP keys are padded.',
  remove_ice: 'Whether ICE attributes are removed from the SDP.',
  send_options_ping: 'Whether the platform sends OPTIONS requests to the gateway.',
}
