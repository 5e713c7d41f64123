import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { anySid, created, int32Input, requiredSid } from './api/values.ts'
import { carrierSid } from './sip-gateways.ts'

/**
 * Carriers of an outbound route. The platform uses only the first one
 * (docs/reference/platform-api/outbound-routing.md#carrier-set-entries).
 */

export const lcrCarrierSetEntry = z.object({
  lcr_carrier_set_entry_sid: z.string(),
  lcr_route_sid: z.string(),
  voip_carrier_sid: z.string(),
  /** Ignored by the platform. */
  workload: z.number(),
  priority: z.number(),
})
export type LcrCarrierSetEntry = z.infer<typeof lcrCarrierSetEntry>

export const entrySettings = { workload: int32Input.optional(), priority: int32Input.optional() }

const routeSid = requiredSid('missing lcr_route_sid')

export const newLcrCarrierSetEntry = z.strictObject({
  lcr_route_sid: routeSid,
  voip_carrier_sid: carrierSid,
  ...entrySettings,
})
export type NewLcrCarrierSetEntry = z.output<typeof newLcrCarrierSetEntry>

export const lcrCarrierSetEntryChange = z.strictObject({
  voip_carrier_sid: anySid.nullish(),
  ...entrySettings,
})
export type LcrCarrierSetEntryChange = z.output<typeof lcrCarrierSetEntryChange>

const byLcr = { of: 'lcr_carrier_set_entry' } as const

export const lcrCarrierSetEntryEndpoints = endpoints({
  'GET /LcrCarrierSetEntries': {
    summary: 'List the carriers of an outbound route by priority',
    access: { minScope: 'account', owner: 'body' },
    query: z.object({ lcr_route_sid: routeSid }),
    responses: { 200: z.array(lcrCarrierSetEntry) },
  },
  'POST /LcrCarrierSetEntries': {
    summary: 'Add a carrier to an outbound route',
    access: { minScope: 'account', owner: 'body' },
    body: newLcrCarrierSetEntry,
    responses: { 201: created },
  },
  'GET /LcrCarrierSetEntries/:lcr_carrier_set_entry_sid': {
    summary: 'Get a carrier of an outbound route',
    access: { minScope: 'account', owner: byLcr, errorCode: 'not_found' },
    responses: { 200: lcrCarrierSetEntry },
    lenientSids: true,
  },
  'PUT /LcrCarrierSetEntries/:lcr_carrier_set_entry_sid': {
    summary: 'Update a carrier of an outbound route',
    access: { minScope: 'account', owner: byLcr, errorCode: 'not_found' },
    updates: { record: 'GET /LcrCarrierSetEntries/:lcr_carrier_set_entry_sid' },
    body: lcrCarrierSetEntryChange,
    responses: { 204: null },
    lenientSids: true,
  },
  'DELETE /LcrCarrierSetEntries/:lcr_carrier_set_entry_sid': {
    summary: 'Remove a carrier from an outbound route, unless it is the default',
    access: { minScope: 'account', owner: byLcr, errorCode: 'not_found' },
    responses: { 204: null },
    lenientSids: true,
  },
})

/** Descriptions of fields for the API documentation. */
export const lcrCarrierSetEntryDescriptions: Descriptions = {
  priority: 'Priority. Lower numbers are tried first.',
  workload: 'Share of the calls that the carrier gets. The SBCs ignore it.',
}
