import { z } from 'zod'
import { accountAccess, providerAccess, endpoints } from './endpoint.ts'
import { trunkTypes } from './routing/gateways.ts'
import { created, flag } from './values.ts'

/** Templates of well-known carriers (docs/reference/platform-api/carriers.md#carrier-templates). */

export const predefinedCarrier = z.object({
  predefined_carrier_sid: z.string(),
  name: z.string(),
  requires_static_ip: flag,
  e164_leading_plus: flag,
  requires_register: flag,
  register_username: z.string().nullable(),
  register_sip_realm: z.string().nullable(),
  register_password: z.string().nullable(),
  tech_prefix: z.string().nullable(),
  inbound_auth_username: z.string().nullable(),
  inbound_auth_password: z.string().nullable(),
  diversion: z.string().nullable(),
  trunk_type: z.enum(trunkTypes),
})
export type PredefinedCarrier = z.infer<typeof predefinedCarrier>

export const predefinedCarrierEndpoints = endpoints({
  'GET /PredefinedCarriers': {
    summary: 'List the templates of predefined carriers',
    access: { minScope: 'public', owner: 'none' },
    responses: { 200: z.array(predefinedCarrier) },
  },
  'POST /ServiceProviders/:service_provider_sid/PredefinedCarriers/:predefined_carrier_sid': {
    summary: 'Create a carrier of a service provider from a template, with its gateways',
    access: providerAccess,
    responses: { 201: created },
  },
  'POST /Accounts/:account_sid/PredefinedCarriers/:predefined_carrier_sid': {
    summary: 'Create a carrier of an account from a template, with its gateways',
    access: accountAccess,
    responses: { 201: created },
  },
})
