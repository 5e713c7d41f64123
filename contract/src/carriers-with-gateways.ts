import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { forEachName, getBlockers } from './api/record-tables.ts'
import { uses } from './api/used-by.ts'
import { sid } from './api/values.ts'
import { newSipGateway } from './sip-gateways.ts'
import { newSmppGateway } from './smpp-gateways.ts'
import { newVoipCarrier, voipCarrierChange } from './voip-carriers.ts'

/**
 * A carrier together with its gateways. A Patchbay extension: the platform's API saves each of them with a separate
 * request.
 */

const maxGateways = 500
const tooMany = { error: `must be at most ${maxGateways} gateways` }

/** A gateway with a SID is updated, one without is created. Gateways that are not listed stay unchanged. */
const gateways = {
  sip_gateways: z
    .array(newSipGateway.omit({ voip_carrier_sid: true }).extend({ sip_gateway_sid: sid.optional() }))
    .max(maxGateways, tooMany)
    .default([]),
  smpp_gateways: z
    .array(newSmppGateway.omit({ voip_carrier_sid: true }).extend({ smpp_gateway_sid: sid.optional() }))
    .max(maxGateways, tooMany)
    .default([]),
}

export const newWholeCarrier = z.strictObject({ carrier: newVoipCarrier, ...gateways })
export type NewWholeCarrier = z.output<typeof newWholeCarrier>

export const wholeCarrierChange = z.strictObject({ carrier: voipCarrierChange.default({}), ...gateways })
export type WholeCarrierChange = z.output<typeof wholeCarrierChange>

/** The gateway SIDs are in the order of the request. */
const saved = z.object({
  voip_carrier_sid: z.string(),
  sip_gateway_sids: z.array(z.string()),
  smpp_gateway_sids: z.array(z.string()),
})

const maxCountedCarriers = 100

/** SIDs separated by commas. */
export const carrierSidList = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(sid).max(maxCountedCarriers, { error: `must be at most ${maxCountedCarriers} sids` }))

/** References to a carrier that must be removed before it can be deleted. */
const carrierUses = z.object(forEachName(getBlockers('voip_carriers'), uses))

const byOwner = { of: 'voip_carrier' } as const

export const wholeCarrierEndpoints = endpoints({
  'POST /patchbay/carriers': {
    summary: 'Create a carrier and its gateways in one transaction',
    access: { minScope: 'account', owner: 'body' },
    body: newWholeCarrier,
    responses: { 201: saved },
  },
  'PUT /patchbay/carriers/:voip_carrier_sid': {
    summary: 'Update a carrier and its gateways in one transaction',
    access: { minScope: 'account', owner: byOwner, errorCode: 'carrier_not_owned' },
    body: wholeCarrierChange,
    responses: { 200: saved },
  },
  'GET /patchbay/carriers/:voip_carrier_sid/used-by': {
    summary: 'List the records that block the deletion of a carrier',
    access: { minScope: 'account', owner: byOwner, errorCode: 'insufficient_privileges' },
    responses: { 200: carrierUses },
  },
  'GET /patchbay/gateway-counts': {
    summary: 'Count the inbound and outbound SIP gateways of carriers',
    access: { minScope: 'account', owner: 'narrowed' },
    query: z.object({ voip_carrier_sid: carrierSidList }),
    responses: {
      200: z.array(z.object({ voip_carrier_sid: z.string(), inbound: z.number(), outbound: z.number() })),
    },
  },
})

/** Descriptions of fields for the API documentation. */
export const wholeCarrierDescriptions: Descriptions = {
  lcrs: 'Outbound routings that use the carrier, with their total and the first ones.',
  phone_numbers: 'Phone numbers of the carrier, with their total and the first ones.',
  sip_gateway_sids: 'SIDs of the SIP gateways.',
  sip_gateways: 'SIP gateways of the carrier.',
  smpp_gateway_sids: 'SIDs of the SMPP gateways.',
  smpp_gateways: 'SMPP gateways of the carrier.',
}
