import { z } from 'zod'
import { alertDestinationLengths } from './alert-destinations/record.ts'
import { alert, alertQuery } from './alerts.ts'
import { accountAccess, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { anySid, booleanInput, created, instant, instantInput, name, text } from './api/values.ts'
import { alertObjectKinds, maxObjectIdLength } from './shared/alert-objects.ts'

/**
 * Alerts grouped by type and object, and their acknowledgments. A Patchbay extension; the platform has no equivalent.
 * An acknowledgment covers the alerts of a group up to a time, or a single alert.
 */

export const alertGroupQuery = alertQuery.extend({
  /** `hide` leaves out groups of which all alerts in the period are acknowledged. */
  acknowledged: z.enum(['show', 'hide'], { error: 'invalid "acknowledged" query arg' }).optional(),
})

export const alertAcknowledgment = z.object({
  alert_acknowledgment_sid: z.string(),
  /** All alerts of the group up to this time are acknowledged, or the alert of this time. */
  acknowledged_until: instant,
  acknowledged_at: instant,
  /** Name of the user, or the masked token of the API key. */
  acknowledged_by: z.string().nullable(),
})
export type AlertAcknowledgment = z.infer<typeof alertAcknowledgment>

const alertGroup = z.object({
  alert_type: z.string(),
  account_sid: z.string().nullable(),
  service_provider_sid: z.string().nullable(),
  object_kind: z.enum(alertObjectKinds),
  object_id: z.string().nullable(),
  count: z.number(),
  /** Number of alerts that are not acknowledged. */
  open_count: z.number(),
  first_at: instant,
  last_at: instant,
  /** The newest alert of the group. */
  newest: alert,
  /** The acknowledgment that reaches furthest, even if there are newer alerts. */
  acknowledgment: alertAcknowledgment.nullable(),
})
export type AlertGroup = z.infer<typeof alertGroup>

const alertGroupPage = z.object({
  /** Number of groups. */
  total: z.number(),
  page: z.string(),
  page_size: z.string(),
  /** Start of the grouped period, which is at most `maxGroupedDays` long. */
  start: instant,
  alert_count: z.number(),
  open_count: z.number(),
  /** Number of alerts that are in groups. Smaller than `alert_count` if there are too many alerts or groups. */
  grouped_count: z.number(),
  data: z.array(alertGroup),
})
export type AlertGroupPage = z.infer<typeof alertGroupPage>

const groupMembers = {
  alert_type: name(alertDestinationLengths.type),
  object_kind: z.enum(alertObjectKinds, { error: `must be one of ${alertObjectKinds.join(', ')}` }),
}
const objectId = text(maxObjectIdLength)

const alertTime = instantInput('1970-01-01T00:00:00Z', '9999-12-31T23:59:59Z')

/** The owner, type, and object are those of an alert of the group. */
export const newAlertAcknowledgment = z.strictObject({
  account_sid: anySid.nullish(),
  service_provider_sid: anySid.nullish(),
  ...groupMembers,
  object_id: objectId.nullish(),
  /** Time of the newest alert to acknowledge. At most five minutes ahead. */
  until: alertTime,
  /** Acknowledges only the alert of exactly this time. */
  is_single: booleanInput.default(0),
})
export type NewAlertAcknowledgment = z.output<typeof newAlertAcknowledgment>

const acknowledgmentQuery = z.object({
  account_sid: anySid.optional(),
  service_provider_sid: anySid.optional(),
  ...groupMembers,
  object_id: objectId.optional(),
  time: alertTime,
})
export type AcknowledgmentQuery = z.output<typeof acknowledgmentQuery>

const openAlertsQuery = z.object({
  /** Alerts since this time are counted, at most those of the last `maxGroupedDays` days. */
  start: z.iso.datetime({ offset: true, error: 'invalid "start" query arg' }).optional(),
})
const openAlerts = z.object({ open_count: z.number() })

export const alertGroupEndpoints = endpoints({
  'GET /patchbay/accounts/:account_sid/alert-groups': {
    summary: 'List the alerts of an account by type and object, with the newest group first',
    access: accountAccess,
    query: alertGroupQuery,
    responses: { 200: alertGroupPage },
  },
  'GET /patchbay/service-providers/:service_provider_sid/alert-groups': {
    summary: 'List the alerts of a service provider and its accounts by type and object, with the newest group first',
    access: providerAccess,
    query: alertGroupQuery,
    responses: { 200: alertGroupPage },
  },
  'GET /patchbay/accounts/:account_sid/open-alerts': {
    summary: 'Count the alerts of an account that are not acknowledged',
    access: accountAccess,
    query: openAlertsQuery,
    responses: { 200: openAlerts },
  },
  'GET /patchbay/service-providers/:service_provider_sid/open-alerts': {
    summary: 'Count the alerts of a service provider and its accounts that are not acknowledged',
    access: providerAccess,
    query: openAlertsQuery,
    responses: { 200: openAlerts },
  },
  'GET /patchbay/alert-acknowledgments': {
    summary: 'Find the acknowledgment of an alert',
    access: { minScope: 'account', owner: 'narrowed' },
    query: acknowledgmentQuery,
    responses: { 200: z.object({ acknowledgment: alertAcknowledgment.nullable() }) },
  },
  'POST /patchbay/alert-acknowledgments': {
    summary: 'Acknowledge the alerts of a group up to a time, or a single alert',
    access: { minScope: 'account', owner: 'body' },
    body: newAlertAcknowledgment,
    responses: { 201: created },
  },
  'DELETE /patchbay/alert-acknowledgments/:alert_acknowledgment_sid': {
    summary: 'Withdraw an acknowledgment',
    access: { minScope: 'account', owner: { of: 'alert_acknowledgment' }, errorCode: 'not_found' },
    lenientSids: true,
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const alertGroupDescriptions: Descriptions = {
  acknowledged: 'hide leaves out groups of which all alerts are acknowledged.',
  acknowledged_at: 'Time of the acknowledgment (ISO 8601).',
  acknowledged_by: 'Name of the user, or masked token of the API key, that acknowledged the alerts.',
  acknowledged_until: 'Time of the newest alert that is acknowledged (ISO 8601).',
  acknowledgment: 'Acknowledgment of the alerts, or null.',
  alert_count: 'Number of alerts in the period.',
  count: 'Number of groups per page, or of alerts in a group.',
  first_at: 'Time of the oldest alert in the period (ISO 8601).',
  grouped_count: 'Number of alerts in groups. Smaller than alert_count if there are too many alerts or groups.',
  is_single: 'Whether only the alert of exactly this time is acknowledged.',
  last_at: 'Time of the newest alert (ISO 8601).',
  newest: 'Newest alert of the group.',
  object_id: 'SID of the carrier, name of the vendor, or URL without its query. Null for the owner of the alerts.',
  object_kind: 'Object of the alerts: carrier, vendor, url, account, or service_provider.',
  open_count: 'Number of alerts that are not acknowledged.',
  until: 'Time of the newest alert to acknowledge (ISO 8601). At most five minutes ahead.',
}
