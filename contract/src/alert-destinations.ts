import { z } from 'zod'
import { alertDestinationLengths as lengths } from './alert-destinations/record.ts'
import { accountAccess, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { anySid, booleanInput, created, flag, instant, name } from './api/values.ts'
import { pageQuery } from './lists/page-query.ts'
import { type DestinationKind, destinationKinds, validateDestination } from './shared/destination-kinds.ts'

/**
 * Alert destinations: webhooks, Slack channels, PagerDuty services, and email addresses that receive alerts as they
 * occur. A Patchbay extension. Newer platforms have alert hooks (`alert-hooks.ts`), which show the same records.
 */

export const alertDestination = z.object({
  alert_destination_sid: z.string(),
  /** Null for a destination of the service provider itself, which also receives the alerts of all its accounts. */
  account_sid: z.string().nullable(),
  service_provider_sid: z.string(),
  name: z.string(),
  kind: z.enum(destinationKinds),
  /** An http(s) URL, the integration key of a PagerDuty service, or an email address. */
  target: z.string(),
  /** Alert types to deliver. An empty list means all types. */
  types: z.array(z.string()),
  is_active: flag,
  /** Delivers only the first alert of each type within an hour. */
  once_per_hour: flag,
  /** Null for destinations that were created before Patchbay stored the time. */
  created_at: instant.nullable(),
  /** An email address receives alerts only after its owner has confirmed it. Other kinds need no confirmation. */
  is_confirmed: flag,
  /** When the last confirmation mail was handed to the mail server. Null if none was sent or none is needed. */
  confirmation_sent_at: instant.nullable(),
  last_delivered_at: instant.nullable(),
  /** Start of the current series of failed deliveries. Null while deliveries succeed. */
  failing_since: instant.nullable(),
  /** Reason of the most recent failure. */
  last_error: z.string().nullable(),
})
export type AlertDestination = z.infer<typeof alertDestination>

const kind = z.enum(destinationKinds, { error: `must be one of ${destinationKinds.join(', ')}` })
const types = z
  .array(name(lengths.type), { error: 'must be a list of types' })
  .max(lengths.types, { error: `must be at most ${lengths.types} types` })
const members = {
  name: name(lengths.name),
  kind,
  target: name(lengths.target),
  types,
  is_active: booleanInput,
  once_per_hour: booleanInput,
}

export const alertDestinationChange = z.strictObject(members).partial()
export type AlertDestinationChange = z.output<typeof alertDestinationChange>

/** Checks that a target fits its kind. */
const checkTarget = (context: z.core.ParsePayload<{ kind: DestinationKind; target: string }>): void => {
  const message = validateDestination(context.value.kind, context.value.target)
  if (message !== undefined)
    context.issues.push({ code: 'custom', input: context.value.target, path: ['target'], message })
}

export const newAlertDestination = z
  .strictObject({
    ...members,
    types: types.default([]),
    is_active: booleanInput.default(1),
    once_per_hour: booleanInput.default(0),
    account_sid: anySid.nullish(),
    service_provider_sid: anySid.nullish(),
  })
  .check(checkTarget)
export type NewAlertDestination = z.output<typeof newAlertDestination>

/** A destination as it is in a form. Email addresses are not tested, because their owner has not confirmed them. */
const alertDestinationDraft = z
  .strictObject({
    kind,
    target: members.target,
    /** The destination that the form changes. Its owner and its signing secret apply. */
    alert_destination_sid: anySid.nullish(),
    account_sid: anySid.nullish(),
    service_provider_sid: anySid.nullish(),
  })
  .check(checkTarget)
export type AlertDestinationDraft = z.output<typeof alertDestinationDraft>

export const alertDelivery = z.object({
  delivery_sid: z.string(),
  queued_at: instant,
  alert_type: z.string(),
  /** The alert's text, truncated if long. Null if the alert is no longer stored. */
  message: z.string().nullable(),
  state: z.enum(['waiting', 'delivered', 'given_up']),
  attempts: z.number(),
  /** Time of the last attempt. */
  attempted_at: instant.nullable(),
  /** HTTP status of the response. Null for emails. */
  status: z.number().nullable(),
  error: z.string().nullable(),
  /** Number of alerts that were delivered in the same message. */
  together: z.number(),
})
export type AlertDelivery = z.infer<typeof alertDelivery>

const report = z.object({
  delivered: z.boolean(),
  milliseconds: z.number(),
  /** HTTP status of the response. Null for emails. */
  status: z.number().nullable(),
  /** Beginning of the response body. */
  text: z.string().nullable(),
  /** Reason why the message was not delivered. */
  failure: z.string().nullable(),
})
export type DestinationReport = z.infer<typeof report>

/** A new webhook of a service provider has no signing secret before it is saved. */
const draftReport = report.extend({ is_signed_provisionally: z.boolean() })

/** The last path segment of a link in a confirmation or alert mail. */
const linkBody = z.strictObject({ link: name(lengths.link) })

/** Changes on its own: the state of the deliveries and of the confirmation of the address. */
const delivery = ['is_confirmed', 'confirmation_sent_at', 'last_delivered_at', 'failing_since', 'last_error'] as const

const byOwner = { of: 'alert_destination' } as const

export const alertDestinationEndpoints = endpoints({
  'GET /patchbay/accounts/:account_sid/alert-destinations': {
    summary: 'List the alert destinations of an account',
    access: accountAccess,
    responses: { 200: z.array(alertDestination) },
  },
  'GET /patchbay/service-providers/:service_provider_sid/alert-destinations': {
    summary: 'List the first 1,000 alert destinations of a service provider and its accounts',
    access: providerAccess,
    responses: { 200: z.array(alertDestination) },
  },
  'POST /patchbay/alert-destinations': {
    summary: 'Create an alert destination of an account or a service provider; at most 20 per owner',
    access: { minScope: 'account', owner: 'body' },
    body: newAlertDestination,
    responses: { 201: created },
  },
  'GET /patchbay/alert-destinations/:alert_destination_sid': {
    summary: 'Get an alert destination',
    access: { minScope: 'account', owner: byOwner, errorCode: 'not_found' },
    lenientSids: true,
    responses: { 200: alertDestination },
  },
  'PUT /patchbay/alert-destinations/:alert_destination_sid': {
    summary: 'Update an alert destination; waiting alerts are retried immediately',
    access: { minScope: 'account', owner: byOwner, errorCode: 'not_found' },
    lenientSids: true,
    updates: { record: 'GET /patchbay/alert-destinations/:alert_destination_sid', ignored: delivery },
    body: alertDestinationChange,
    responses: { 204: null },
  },
  'DELETE /patchbay/alert-destinations/:alert_destination_sid': {
    summary: 'Delete an alert destination and its delivery log',
    access: { minScope: 'account', owner: byOwner, errorCode: 'not_found' },
    lenientSids: true,
    responses: { 204: null },
  },
  'GET /patchbay/alert-destinations/:alert_destination_sid/webhook-secret': {
    summary: 'Get the signing secret of an alert destination; regenerate=true creates a new one for a service provider',
    access: { minScope: 'account', owner: byOwner, errorCode: 'not_found' },
    lenientSids: true,
    query: z.object({ regenerate: z.enum(['true', 'false', ''], { error: 'must be true or false' }).optional() }),
    writesWhen: 'regenerate',
    responses: { 200: z.object({ webhook_secret: z.string() }) },
  },
  'GET /patchbay/alert-destinations/:alert_destination_sid/deliveries': {
    summary: 'List a page of the deliveries to a destination, newest first; the last 1,000 are kept',
    access: { minScope: 'account', owner: byOwner, errorCode: 'not_found' },
    lenientSids: true,
    query: z.object({ page: pageQuery.page, count: pageQuery.count }),
    responses: {
      200: z.object({ total: z.number(), page: z.string(), page_size: z.string(), data: z.array(alertDelivery) }),
    },
  },
  'POST /patchbay/alert-destinations/:alert_destination_sid/test': {
    summary: 'Send a test alert and return the result; rate-limited',
    access: { minScope: 'account', owner: byOwner, errorCode: 'not_found' },
    lenientSids: true,
    responses: { 200: report },
  },
  'POST /patchbay/alert-destinations/test': {
    summary: 'Send a test alert to a destination that is not saved yet and return the result; rate-limited',
    access: { minScope: 'account', owner: 'body' },
    body: alertDestinationDraft,
    responses: { 200: draftReport },
  },
  'POST /patchbay/alert-destinations/:alert_destination_sid/confirmation': {
    summary: 'Send the confirmation email again; rate-limited',
    access: { minScope: 'account', owner: byOwner, errorCode: 'not_found' },
    lenientSids: true,
    responses: { 204: null },
  },
  'POST /patchbay/alert-addresses/confirm': {
    summary: 'Confirm an email address with the link of a confirmation email; valid once',
    access: { minScope: 'public', owner: 'none' },
    body: linkBody,
    responses: { 204: null },
  },
  'POST /patchbay/alert-addresses/stop': {
    summary: 'Unsubscribe an email address with the link of an alert email',
    access: { minScope: 'public', owner: 'none' },
    body: linkBody,
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const alertDestinationDescriptions: Descriptions = {
  attempted_at: 'Time of the last attempt (ISO 8601).',
  confirmation_sent_at: 'Time of the last confirmation email (ISO 8601).',
  delivered: 'Whether the alert was delivered.',
  delivery_sid: 'SID of the delivery.',
  is_confirmed: 'Whether the email address is confirmed.',
  is_signed_provisionally:
    'Whether the request was signed with a secret for this test only, because the destination has none before it is saved.',
  kind: 'Kind of the destination: webhook, slack, pagerduty, or email.',
  last_delivered_at: 'Time of the last successful delivery (ISO 8601).',
  last_error: 'Error of the last failed delivery.',
  once_per_hour: 'Whether only the first alert of each type within an hour is sent.',
  queued_at: 'Time at which the alert was queued (ISO 8601).',
  state: 'State of the delivery: waiting, delivered, or given_up.',
  status: 'HTTP status code of the last attempt.',
  target: 'URL or email address that receives the alerts.',
  together: 'Number of alerts in one message.',
  types: 'Types of alerts that are sent, or all types if null.',
}
