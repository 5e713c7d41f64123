import { z } from 'zod'
import { endpoints } from './api/endpoint.ts'
import { booleanInput, created, flag, integerInput, text } from './api/values.ts'
import { gatewayLengths as lengths } from './sip-gateways/record.ts'
import { carrierSid, ofCarrier } from './sip-gateways.ts'

/**
 * SMPP gateways: remote addresses for exchanging a carrier's short messages
 * (docs/reference/platform-api/carriers.md#smpp-gateways).
 */

export const smppGateway = z.object({
  smpp_gateway_sid: z.string(),
  voip_carrier_sid: z.string(),
  ipv4: z.string(),
  port: z.number(),
  netmask: z.number(),
  is_primary: flag,
  inbound: flag,
  outbound: flag,
  use_tls: flag.nullable(),
})
export type SmppGateway = z.infer<typeof smppGateway>

const settings = {
  port: integerInput(0, 65_535).optional(),
  netmask: integerInput(0, 32).optional(),
  is_primary: booleanInput.optional(),
  inbound: booleanInput.optional(),
  outbound: booleanInput.optional(),
  use_tls: booleanInput.nullish(),
}

export const newSmppGateway = z.strictObject({
  voip_carrier_sid: carrierSid,
  ipv4: text(lengths.ipv4),
  ...settings,
})
export type NewSmppGateway = z.output<typeof newSmppGateway>

export const smppGatewayChange = z.strictObject({
  ipv4: text(lengths.ipv4).optional(),
  ...settings,
})
export type SmppGatewayChange = z.output<typeof smppGatewayChange>

const byCarrier = { of: 'smpp_gateway' } as const

export const smppGatewayEndpoints = endpoints({
  'GET /SmppGateways': {
    summary: 'List the SMPP gateways of a carrier',
    access: { minScope: 'account', owner: 'body' },
    query: ofCarrier,
    responses: { 200: z.array(smppGateway) },
  },
  'POST /SmppGateways': {
    summary: 'Add an SMPP gateway to a carrier',
    access: { minScope: 'account', owner: 'body' },
    body: newSmppGateway,
    responses: { 201: created },
  },
  'GET /SmppGateways/:smpp_gateway_sid': {
    summary: 'Get an SMPP gateway',
    access: { minScope: 'account', owner: { ...byCarrier, members: 'read' }, errorCode: 'insufficient_privileges' },
    responses: { 200: smppGateway },
  },
  'PUT /SmppGateways/:smpp_gateway_sid': {
    summary: 'Update an SMPP gateway',
    access: { minScope: 'account', owner: byCarrier, errorCode: 'insufficient_privileges' },
    updates: { record: 'GET /SmppGateways/:smpp_gateway_sid' },
    body: smppGatewayChange,
    responses: { 204: null },
  },
  'DELETE /SmppGateways/:smpp_gateway_sid': {
    summary: 'Delete an SMPP gateway',
    access: { minScope: 'account', owner: byCarrier, errorCode: 'insufficient_privileges' },
    responses: { 204: null },
  },
})
