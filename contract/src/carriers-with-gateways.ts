import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { forEachName, getBlockers } from './api/record-tables.ts'
import { uses } from './api/used-by.ts'
import { sid } from './api/values.ts'
import { newSipGateway, sipGateway } from './sip-gateways.ts'
import { newSmppGateway, smppGateway } from './smpp-gateways.ts'
import { newVoipCarrier, voipCarrier, voipCarrierChange } from './voip-carriers.ts'

/**
 * A carrier together with its gateways. A Patchbay extension: the platform's API saves each of them with a separate
 * request.
 */

const maxGateways = 500
const tooMany = { error: `must be at most ${maxGateways} gateways` }

const gatewayList = <Gateway extends z.ZodType>(gateway: Gateway) =>
  z.array(gateway).max(maxGateways, tooMany).default([])

/** A gateway with a SID is updated, one without is created. Gateways that are not listed stay unchanged. */
const sip = newSipGateway.omit({ voip_carrier_sid: true }).extend({ sip_gateway_sid: sid.optional() })
const smpp = newSmppGateway.omit({ voip_carrier_sid: true }).extend({ smpp_gateway_sid: sid.optional() })

export const newWholeCarrier = z.strictObject({
  carrier: newVoipCarrier,
  sip_gateways: gatewayList(sip),
  smpp_gateways: gatewayList(smpp),
})
export type NewWholeCarrier = z.output<typeof newWholeCarrier>

/** Clients send whole records back. This can only be the carrier of the path. */
const ofCarrier = { voip_carrier_sid: sid.optional() }

export const wholeCarrierChange = z.strictObject({
  carrier: voipCarrierChange
    .extend({
      ...ofCarrier,
      /** Ignored. */
      created_at: z.unknown().optional(),
      register_status: z.unknown().optional(),
    })
    .default({}),
  sip_gateways: gatewayList(sip.extend(ofCarrier)),
  smpp_gateways: gatewayList(smpp.extend(ofCarrier)),
})
export type WholeCarrierChange = z.output<typeof wholeCarrierChange>

/** Gateways are sorted by address. */
const wholeCarrier = z.object({
  carrier: voipCarrier,
  sip_gateways: z.array(sipGateway),
  smpp_gateways: z.array(smppGateway),
})
export type WholeCarrier = z.infer<typeof wholeCarrier>

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
  'GET /patchbay/carriers/:voip_carrier_sid': {
    summary: 'Get a carrier with its gateways',
    access: { minScope: 'account', owner: byOwner, errorCode: 'insufficient_privileges' },
    responses: { 200: wholeCarrier },
  },
  'PUT /patchbay/carriers/:voip_carrier_sid': {
    summary: 'Update a carrier and its gateways in one transaction',
    access: { minScope: 'account', owner: byOwner, errorCode: 'carrier_not_owned' },
    updates: { record: 'GET /patchbay/carriers/:voip_carrier_sid' },
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
