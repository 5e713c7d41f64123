import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { anySid, booleanInput, created, flag, int32Input, name, requiredSid, text } from './api/values.ts'
import { entrySettings } from './lcr-carrier-set-entries.ts'
import { lcrRouteLengths, maxRoutes } from './lcr-routes/record.ts'
import { lcrRoute } from './lcr-routes.ts'
import { lcrLengths } from './lcrs/record.ts'

/**
 * Least-cost routing: selects the carrier of an outbound call by the called number
 * (docs/reference/platform-api/outbound-routing.md#routings).
 */

export const lcr = z.object({
  lcr_sid: z.string(),
  name: z.string().nullable(),
  /** Ignored by the platform. */
  is_active: flag,
  /** Entry with the carrier for numbers that match no route. Null if the LCR was created without one. */
  default_carrier_set_entry_sid: z.string().nullable(),
  /** At most one of the two SIDs is set. If neither is, the LCR belongs to the platform. */
  service_provider_sid: z.string().nullable(),
  account_sid: z.string().nullable(),
  /** Includes the default route. */
  number_routes: z.number(),
})
export type Lcr = z.infer<typeof lcr>

const settings = {
  is_active: booleanInput.optional(),
  account_sid: anySid.nullish(),
  service_provider_sid: anySid.nullish(),
  /** Must be an entry of this LCR. */
  default_carrier_set_entry_sid: anySid.nullish(),
}

export const newLcr = z.strictObject({ name: name(lcrLengths.name).nullable(), ...settings })
export type NewLcr = z.output<typeof newLcr>

export const lcrChange = z.strictObject({ name: name(lcrLengths.name).nullish(), ...settings })
export type LcrChange = z.output<typeof lcrChange>

/**
 * A route with its carriers, as part of a request that saves all routes of an LCR. SIDs are present for existing
 * records.
 */
const lcrRouteInput = z.strictObject({
  lcr_route_sid: anySid.nullish(),
  lcr_sid: z.unknown().optional(),
  regex: text(lcrRouteLengths.regex).optional(),
  description: text(lcrRouteLengths.description).nullish(),
  priority: int32Input.optional(),
  lcr_carrier_set_entries: z
    .array(
      z.strictObject({
        lcr_carrier_set_entry_sid: anySid.nullish(),
        lcr_route_sid: z.unknown().optional(),
        voip_carrier_sid: anySid.nullish(),
        ...entrySettings,
      }),
      { error: 'must be a list of carriers' },
    )
    .optional(),
})
export type LcrRouteInput = z.output<typeof lcrRouteInput>

export const routeInputs = z.array(lcrRouteInput, { error: 'must be a list of routes' })

const { default_carrier_set_entry_sid: _entry, ...wholeSettings } = settings
const routes = {
  /**
   * All routes in the order of evaluation, without the default route. Routes that are missing from the list are
   * deleted.
   */
  routes: routeInputs.max(maxRoutes, { error: `must be at most ${maxRoutes}` }),
  /** Carrier for numbers that match no route. */
  default_voip_carrier_sid: requiredSid('missing default_voip_carrier_sid'),
}

export const newWholeLcr = z.strictObject({ name: name(lcrLengths.name).nullable(), ...wholeSettings, ...routes })
export type NewWholeLcr = z.output<typeof newWholeLcr>

export const wholeLcrChange = z.strictObject({ name: name(lcrLengths.name).nullish(), ...wholeSettings, ...routes })
export type WholeLcrChange = z.output<typeof wholeLcrChange>

const wholeLcr = z.object({
  ...lcr.shape,
  /** Routes in the order of evaluation, without the default route. */
  routes: z.array(lcrRoute),
  /** Null if the LCR was created without a default carrier. */
  default_voip_carrier_sid: z.string().nullable(),
})
export type WholeLcr = z.infer<typeof wholeLcr>

/** Fits `maxRoutes` routes with the SIDs of all routes and carriers. */
const bodyLimit = 1024 * 1024

const byOwner = { of: 'lcr' } as const

export const lcrEndpoints = endpoints({
  'GET /Lcrs': {
    summary: 'List the outbound routings of the caller; admins see all',
    access: { minScope: 'account', owner: 'narrowed' },
    responses: { 200: z.array(lcr) },
  },
  'POST /Lcrs': {
    summary: 'Create an outbound routing; at most one per account or service provider',
    access: { minScope: 'account', owner: 'body' },
    body: newLcr,
    responses: { 201: created },
  },
  'GET /Lcrs/:lcr_sid': {
    summary: 'Get an outbound routing',
    access: { minScope: 'account', owner: byOwner, errorCode: 'not_found' },
    responses: { 200: lcr },
    lenientSids: true,
  },
  'PUT /Lcrs/:lcr_sid': {
    summary: 'Update an outbound routing; absent fields are unchanged, null clears a field',
    access: { minScope: 'account', owner: byOwner, errorCode: 'unknown_lcr' },
    updates: { record: 'GET /Lcrs/:lcr_sid', ignored: ['number_routes'] },
    body: lcrChange,
    responses: { 204: null },
    lenientSids: true,
  },
  'DELETE /Lcrs/:lcr_sid': {
    summary: 'Delete an outbound routing with its routes',
    access: { minScope: 'account', owner: byOwner, errorCode: 'unknown_lcr' },
    responses: { 204: null },
    lenientSids: true,
  },
  'POST /Lcrs/:lcr_sid/Routes': {
    summary: 'Add routes with their carriers to an outbound routing in one transaction',
    access: { minScope: 'account', owner: byOwner, errorCode: 'not_found' },
    body: routeInputs,
    responses: { 204: null },
    lenientSids: true,
  },
  'PUT /Lcrs/:lcr_sid/Routes': {
    summary: 'Update and add routes of an outbound routing in one transaction; other routes are unchanged',
    access: { minScope: 'account', owner: byOwner, errorCode: 'not_found' },
    body: routeInputs,
    responses: { 204: null },
    lenientSids: true,
  },
  'POST /patchbay/lcrs': {
    summary: 'Create an outbound routing with its routes and its default carrier in one transaction',
    access: { minScope: 'account', owner: 'body' },
    body: newWholeLcr,
    bodyLimit,
    responses: { 201: created },
  },
  'GET /patchbay/lcrs/:lcr_sid': {
    summary: 'Get an outbound routing with its routes and its default carrier',
    access: { minScope: 'account', owner: byOwner, errorCode: 'not_found' },
    responses: { 200: wholeLcr },
    lenientSids: true,
  },
  'PUT /patchbay/lcrs/:lcr_sid': {
    summary: 'Replace an outbound routing and all its routes in one transaction',
    access: { minScope: 'account', owner: byOwner, errorCode: 'not_found' },
    updates: { record: 'GET /patchbay/lcrs/:lcr_sid', ignored: ['number_routes'], keepUnchanged: true },
    body: wholeLcrChange,
    bodyLimit,
    responses: { 204: null },
    lenientSids: true,
  },
})

/** Descriptions of fields for the API documentation. */
export const lcrDescriptions: Descriptions = {
  default_carrier_set_entry_sid: 'SID of the entry with the default carrier.',
  default_voip_carrier_sid: 'SID of the default carrier.',
  number_routes: 'Number of routes.',
  routes: 'Routes with their carriers.',
}
