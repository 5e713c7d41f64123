import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { booleanInput, created, flag, instant, integerInput, name, sid } from './api/values.ts'
import { platformAddressLengths as lengths } from './platform-addresses/record.ts'

/**
 * IP addresses at which carriers reach the platform's SBCs and SMPP servers
 * (docs/reference/platform-api/carriers.md#platform-addresses).
 */

export const sbcAddress = z.object({
  sbc_address_sid: z.string(),
  ipv4: z.string(),
  port: z.number(),
  tls_port: z.number().nullable(),
  wss_port: z.number().nullable(),
  service_provider_sid: z.string().nullable(),
  last_updated: instant.nullable(),
})
export type SbcAddress = z.infer<typeof sbcAddress>

export const smppAddress = z.object({
  smpp_address_sid: z.string(),
  ipv4: z.string(),
  port: z.number(),
  use_tls: flag,
  is_primary: flag,
  service_provider_sid: z.string().nullable(),
})
export type SmppAddress = z.infer<typeof smppAddress>

const port = integerInput(0, 65_535)

export const newSbcAddress = z.strictObject({
  ipv4: name(lengths.ipv4),
  port: port.optional(),
  tls_port: port.nullish(),
  wss_port: port.nullish(),
  service_provider_sid: sid.nullish(),
})
export type NewSbcAddress = z.output<typeof newSbcAddress>

export const newSmppAddress = z.strictObject({
  ipv4: name(lengths.ipv4),
  port: port.optional(),
  use_tls: booleanInput.optional(),
  is_primary: booleanInput.optional(),
  service_provider_sid: sid.nullish(),
})
export type NewSmppAddress = z.output<typeof newSmppAddress>

/** Admins can select a service provider. Other callers always get the addresses of their own. */
const query = z.object({ service_provider_sid: z.string().max(64).optional() })

const byAdmins = { minScope: 'admin', owner: 'none', errorCode: 'insufficient_privileges' } as const

export const platformAddressEndpoints = endpoints({
  'GET /Sbcs': {
    summary: 'List the SBC addresses of the service provider, or the general ones by default',
    access: { minScope: 'account', owner: 'narrowed' },
    query,
    responses: { 200: z.array(sbcAddress) },
  },
  'POST /Sbcs': {
    summary: 'Add the address of an SBC',
    access: byAdmins,
    body: newSbcAddress,
    responses: { 201: created },
  },
  'DELETE /Sbcs/:sbc_address_sid': {
    summary: 'Delete the address of an SBC',
    access: byAdmins,
    lenientSids: true,
    responses: { 204: null },
  },
  'GET /Smpps': {
    summary: 'List the SMPP server addresses, general or of a service provider',
    access: { minScope: 'account', owner: 'narrowed' },
    query,
    responses: { 200: z.array(smppAddress) },
  },
  'POST /Smpps': {
    summary: 'Add the address of an SMPP server',
    access: byAdmins,
    body: newSmppAddress,
    responses: { 201: created },
  },
  'DELETE /Smpps/:smpp_address_sid': {
    summary: 'Delete the address of an SMPP server',
    access: byAdmins,
    lenientSids: true,
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const platformAddressDescriptions: Descriptions = {
  last_updated: 'Time of the last update (ISO 8601).',
  tls_port: 'Port for SIP over TLS.',
  wss_port: 'Port for SIP over secure WebSocket.',
}
