import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { created, flag } from './api/values.ts'
import { templateFields } from './voip-carriers.ts'

/** Templates of well-known carriers (docs/reference/platform-api/carriers.md#carrier-templates). */

export const predefinedCarrier = z.object({
  predefined_carrier_sid: z.string(),
  name: z.string(),
  requires_static_ip: flag,
  ...templateFields,
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

/** Descriptions of fields for the API documentation. */
export const predefinedCarrierDescriptions: Descriptions = {
  predefined_carrier_sid: 'SID of the template.',
  requires_static_ip: 'Whether the carrier needs a static IP address.',
}
