import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { instant } from './api/values.ts'
import { carrierSidList } from './carriers-with-gateways.ts'
import { pageQuery } from './lists/page-query.ts'

/**
 * The health of carriers: OPTIONS pings of the SBCs, registration, and answered calls
 * (docs/reference/platform-api/runtime-routing.md). A Patchbay extension; the platform has no equivalent.
 */

/**
 * - `failing`: an OPTIONS ping failed, so the SBCs skip the gateway for outbound calls
 * - `no_failure_known`: the SBCs ping the gateway, and no ping failed lately
 * - `not_monitored`: the SBCs do not ping the gateway
 * - `unknown`: Redis is not connected or does not respond
 */
export const gatewayStates = ['failing', 'no_failure_known', 'not_monitored', 'unknown'] as const
export type GatewayState = (typeof gatewayStates)[number]

const gatewayHealth = z.object({
  sip_gateway_sid: z.string(),
  ipv4: z.string(),
  port: z.number().nullable(),
  state: z.enum(gatewayStates),
  /** The failure is at least this old. Null unless failing, or if the platform keeps failures for another time. */
  failing_since: instant.nullable(),
})
export type GatewayHealth = z.infer<typeof gatewayHealth>

/** `stale`: the last registration has expired, and the platform has not reported another one. */
export const registrationStates = ['registered', 'failing', 'stale', 'unknown'] as const

export const registrationHealth = z.object({
  state: z.enum(registrationStates),
  /** Response of the carrier, such as `403 Forbidden`. */
  reason: z.string().nullable(),
  /** Time of the last report. */
  reported_at: instant.nullable(),
  expires_at: instant.nullable(),
  /**
   * Time at which the carrier accepted a later REGISTER, as a capture shows. The reported refusal is then no failure.
   * Null without one.
   */
  settled_at: instant.nullable(),
})
export type RegistrationHealth = z.infer<typeof registrationHealth>

/**
 * `partly_failing`: some gateways fail, and the carrier can still be reached. `no_failure_known`: at least one gateway is
 * pinged or the carrier is registered, and nothing fails. `unknown`: the pings of a gateway cannot be read.
 */
export const carrierStates = ['failing', 'partly_failing', 'no_failure_known', 'not_monitored', 'unknown'] as const
export type CarrierState = (typeof carrierStates)[number]

/** Calls over a carrier that the caller may see. Null if another system stores the call records. */
export const callCounts = z.object({ attempts: z.number(), answered: z.number(), since: instant }).nullable()

const summary = z.object({
  voip_carrier_sid: z.string(),
  state: z.enum(carrierStates),
  /** Null if the carrier does not require registration. */
  registration: registrationHealth.nullable(),
  calls: callCounts,
  gateway_count: z.number(),
  failing_count: z.number(),
  monitored_count: z.number(),
})
export type CarrierHealthSummary = z.infer<typeof summary>

const carrierHealth = summary.extend({
  /** At most `maxHealthGateways`, failing ones first. */
  gateways: z.array(gatewayHealth),
})
export type CarrierHealth = z.infer<typeof carrierHealth>

export const maxHealthGateways = 500

/** Days for which changes of the health are kept. */
export const healthHistoryDays = 30

/** States that a change can have. A state that becomes unknown is no change. */
export const watchedStates = [
  'failing',
  'no_failure_known',
  'not_monitored',
  'registered',
  'registration_failing',
  'registration_expired',
] as const
export type WatchedState = (typeof watchedStates)[number]

const healthChange = z.object({
  /** Null for the registration of the carrier. */
  sip_gateway_sid: z.string().nullable(),
  /** Address of the gateway at the time of the change. */
  address: z.string().nullable(),
  /** Null if the state was not known before. */
  from_state: z.enum(watchedStates).nullable(),
  to_state: z.enum(watchedStates),
  /** Response of the carrier to the registration, such as `403 Forbidden`. */
  reason: z.string().nullable(),
  changed_at: instant,
  /** Time of the next change of the same gateway or registration. Null if the state lasts. */
  ended_at: instant.nullable(),
})
export type HealthChange = z.infer<typeof healthChange>

/** Maximum number of periods without a watch that are returned. */
export const maxUnwatchedPeriods = 10

const healthHistory = z.object({
  total: z.number(),
  page: z.string(),
  page_size: z.string(),
  /** Since when Patchbay watches carriers, at most `healthHistoryDays` ago. Null before the first check. */
  watched_since: instant.nullable(),
  /** The newest periods in which Patchbay did not watch, because it did not run or Redis was not available. */
  unwatched: z.array(z.object({ from: instant, until: instant })),
  /** Newest first. */
  data: z.array(healthChange),
})
export type HealthHistory = z.infer<typeof healthHistory>

export const carrierHealthEndpoints = endpoints({
  'GET /patchbay/carriers/:voip_carrier_sid/health': {
    summary: 'Get the health of a carrier and of each SIP gateway',
    access: { minScope: 'account', owner: { of: 'voip_carrier' }, errorCode: 'insufficient_privileges' },
    responses: { 200: carrierHealth },
  },
  'GET /patchbay/carriers/:voip_carrier_sid/health-changes': {
    summary: 'List the changes of the health of a carrier in the last 30 days, newest first',
    access: { minScope: 'account', owner: { of: 'voip_carrier' }, errorCode: 'insufficient_privileges' },
    query: z.object({ page: pageQuery.page, count: pageQuery.count }),
    responses: { 200: healthHistory },
  },
  'GET /patchbay/carrier-health': {
    summary: 'Get the health of carriers',
    access: { minScope: 'account', owner: 'narrowed' },
    query: z.object({ voip_carrier_sid: carrierSidList }),
    responses: { 200: z.array(summary) },
  },
})

/** Descriptions of fields for the API documentation. */
export const carrierHealthDescriptions: Descriptions = {
  address: 'Address of the gateway, or null for a registration.',
  answered: 'Number of answered calls.',
  calls: 'Calls over the carrier since the start of the previous hour. Null if another system stores the call records.',
  changed_at: 'Time of the change (ISO 8601).',
  ended_at: 'Time of the next change of the same gateway or registration (ISO 8601), or null.',
  expires_at: 'Time at which the registration expires.',
  failing_count: 'Number of gateways that the SBCs skip because an OPTIONS ping failed.',
  from_state: 'State before the change, or null if it was not known.',
  gateway_count: 'Number of SIP gateways.',
  monitored_count: 'Number of gateways to which the SBCs send OPTIONS pings.',
  reason: 'Response of the carrier to the last registration.',
  registration: 'State of the registration. Null if the carrier does not require one.',
  reported_at: 'Time of the last report of the platform.',
  settled_at:
    'Time at which the carrier accepted a later REGISTER, as a capture shows, so that the refusal is no failure; or null.',
  since: 'Start of the counted time.',
  state: 'State of the carrier, of the gateway, or of the registration.',
  to_state: 'State after the change.',
  unwatched: 'Periods in which Patchbay did not watch carriers.',
  watched_since: 'Time since which Patchbay watches carriers (ISO 8601), or null.',
}
