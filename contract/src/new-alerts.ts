import { z } from 'zod'
import { alert } from './alerts.ts'
import { accountAccess, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { instant } from './api/values.ts'

/**
 * Alerts that the signed-in user has not seen, and how far they have. A Patchbay extension. The position of an alert in
 * the order of time is opaque to callers, because alerts can have the same time.
 */

/** Maximum number of alerts in a response. */
export const maxNewAlerts = 100

const newAlertQuery = z.object({
  count: z
    .string()
    .regex(/^\d{1,3}$/, { error: 'invalid "count" query arg' })
    .refine((text) => Number(text) >= 1 && Number(text) <= maxNewAlerts, { error: 'invalid "count" query arg' }),
})

const newAlertPage = z.object({
  /** Number of alerts that are neither seen nor acknowledged, of the last 30 days. */
  total: z.number(),
  /** Time of the oldest of them. */
  since: instant.nullable(),
  /** Position of the last alert in `data`. */
  until: z.string().nullable(),
  /** Position of the newest alert. */
  newest: z.string().nullable(),
  /** The oldest of them, oldest first, so that alerts are seen without gaps. */
  data: z.array(alert),
})
export type NewAlertPage = z.infer<typeof newAlertPage>

const seenAlerts = z.strictObject({
  /** A position from a response. All alerts up to this one become seen. */
  until: z.string().regex(/^\d{1,16}-\d{1,6}-[0-9a-f]{64}$/, { error: 'must be a position from a list of new alerts' }),
})

/** The position is the user's own, so view-only users and users of suspended accounts may change it. */
const ownWrite = { usersOnly: true, allowViewOnly: true, allowSuspended: true } as const

export const newAlertEndpoints = endpoints({
  'GET /patchbay/accounts/:account_sid/new-alerts': {
    summary: 'List the alerts of an account that the signed-in user has not seen, oldest first',
    access: { ...accountAccess, usersOnly: true },
    query: newAlertQuery,
    responses: { 200: newAlertPage },
  },
  'GET /patchbay/service-providers/:service_provider_sid/new-alerts': {
    summary:
      'List the alerts of a service provider and its accounts that the signed-in user has not seen, oldest first',
    access: { ...providerAccess, usersOnly: true },
    query: newAlertQuery,
    responses: { 200: newAlertPage },
  },
  'PUT /patchbay/accounts/:account_sid/seen-alerts': {
    summary:
      'Remember that the signed-in user has seen the alerts of an account up to a position; never less than before',
    access: { ...accountAccess, ...ownWrite },
    body: seenAlerts,
    responses: { 204: null },
  },
  'PUT /patchbay/service-providers/:service_provider_sid/seen-alerts': {
    summary:
      'Remember that the signed-in user has seen the alerts of a service provider and its accounts up to a position',
    access: { ...providerAccess, ...ownWrite },
    body: seenAlerts,
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const newAlertDescriptions: Descriptions = {
  newest: 'Position of the newest alert that the user has not seen, or null.',
  since: 'Time of the oldest alert that the user has not seen (ISO 8601), or null.',
  until: 'Position of an alert in the order of time, as the list of new alerts returns it.',
}
