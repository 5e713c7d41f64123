import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { created, int32Input, requiredSid, text } from './api/values.ts'
import { lcrCarrierSetEntry } from './lcr-carrier-set-entries.ts'
import { lcrRouteLengths as lengths } from './lcr-routes/record.ts'

/**
 * Routes of a least-cost routing (docs/reference/platform-api/outbound-routing.md#routes). `routing/outbound.ts`
 * matches numbers with them.
 */

export const lcrRoute = z.object({
  lcr_route_sid: z.string(),
  lcr_sid: z.string(),
  regex: z.string(),
  description: z.string().nullable(),
  priority: z.number(),
  lcr_carrier_set_entries: z.array(lcrCarrierSetEntry),
})
export type LcrRoute = z.infer<typeof lcrRoute>

export const newLcrRoute = z.strictObject({
  lcr_sid: requiredSid('missing parameter lcr_sid'),
  regex: text(lengths.regex),
  description: text(lengths.description).nullish(),
  priority: int32Input,
})
export type NewLcrRoute = z.output<typeof newLcrRoute>

export const lcrRouteChange = z.strictObject({
  regex: text(lengths.regex).optional(),
  description: text(lengths.description).nullish(),
  priority: int32Input.optional(),
})
export type LcrRouteChange = z.output<typeof lcrRouteChange>

const byLcr = { of: 'lcr_route' } as const

export const lcrRouteEndpoints = endpoints({
  'GET /LcrRoutes': {
    summary: 'List the routes of an outbound routing with their carriers, by priority',
    access: { minScope: 'account', owner: 'body' },
    query: z.object({ lcr_sid: requiredSid('missing lcr_sid') }),
    responses: { 200: z.array(lcrRoute) },
  },
  'POST /LcrRoutes': {
    summary: 'Add a route without carriers to an outbound routing',
    access: { minScope: 'account', owner: 'body' },
    body: newLcrRoute,
    responses: { 201: created },
  },
  'GET /LcrRoutes/:lcr_route_sid': {
    summary: 'Get a route of an outbound routing with its carriers',
    access: { minScope: 'account', owner: byLcr, errorCode: 'not_found' },
    responses: { 200: lcrRoute },
    lenientSids: true,
  },
  'PUT /LcrRoutes/:lcr_route_sid': {
    summary: 'Update a route of an outbound routing',
    access: { minScope: 'account', owner: byLcr, errorCode: 'not_found' },
    updates: { record: 'GET /LcrRoutes/:lcr_route_sid' },
    body: lcrRouteChange,
    responses: { 204: null },
    lenientSids: true,
  },
  'DELETE /LcrRoutes/:lcr_route_sid': {
    summary: 'Delete a route of an outbound routing with its carriers, unless it is the default route',
    access: { minScope: 'account', owner: byLcr, errorCode: 'not_found' },
    responses: { 204: null },
    lenientSids: true,
  },
})

/** Descriptions of fields for the API documentation. */
export const lcrRouteDescriptions: Descriptions = {
  lcr_carrier_set_entries: 'Carriers of the route with their priority and workload.',
  regex: 'Digit prefix or regular expression that called numbers match.',
}
