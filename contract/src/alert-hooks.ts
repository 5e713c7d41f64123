import { z } from 'zod'
import { alertDestinationTable, alertDestinationLengths as lengths } from './alert-destinations/record.ts'
import { accountAccess, type Descriptions, endpoints } from './api/endpoint.ts'
import { anySid, created, instant, name } from './api/values.ts'
import { type DestinationKind, validateDestination } from './shared/destination-kinds.ts'

/**
 * Alert hooks, the API of newer platforms for the alert destinations of an account
 * (docs/reference/platform-api/call-records.md#alert-hooks). Destinations of a service provider are not included.
 */

const kindsByHookType = {
  json: 'webhook',
  slack: 'slack',
  pagerduty: 'pagerduty',
  email: 'email',
} as const satisfies Record<string, DestinationKind>

export type AlertHookType = keyof typeof kindsByHookType
const hookTypes = Object.keys(kindsByHookType) as [AlertHookType, ...AlertHookType[]]

export const toDestinationKind = (type: AlertHookType): DestinationKind => kindsByHookType[type]
export const toHookType = (kind: DestinationKind): AlertHookType => (kind === 'webhook' ? 'json' : kind)

/** Maximum number of destinations of an account for which the account can create another hook. */
export const maxAlertHooks = 5

export const alertHook = z.object({
  alert_hook_sid: z.string(),
  account_sid: z.string(),
  type: z.enum(hookTypes),
  /** A URL, the integration key of a PagerDuty service, or an email address. */
  address: z.string(),
  created_at: instant.nullable(),
})
export type AlertHook = z.infer<typeof alertHook>

const members = {
  type: z.enum(hookTypes, { error: `must be one of ${hookTypes.join(', ')}` }),
  address: name(lengths.target),
}

export const newAlertHook = z.strictObject(members).check((context) => {
  const { type, address } = context.value
  const message = validateDestination(toDestinationKind(type), address)
  if (message !== undefined) context.issues.push({ code: 'custom', input: address, path: ['address'], message })
})

const alertHookChange = z.strictObject(members).partial()

export const alertHookTestResult = z.object({
  alert_hook_sid: z.string(),
  type: z.enum(hookTypes),
  success: z.boolean(),
  /** HTTP status of the response. Null for emails, and if there was no response. */
  status: z.number().nullable(),
  /** Reason of the failure. */
  error: z.string().nullable(),
})
export type AlertHookTestResult = z.infer<typeof alertHookTestResult>

export const alertHookEndpoints = endpoints({
  'GET /Accounts/:account_sid/AlertHooks': {
    summary: 'List the alert hooks of an account',
    access: accountAccess,
    responses: { 200: z.array(alertHook) },
  },
  'POST /Accounts/:account_sid/AlertHooks': {
    summary: 'Create an alert hook, which receives each type of alert once per hour; at most 5 per account',
    access: accountAccess,
    body: newAlertHook,
    responses: { 201: created },
  },
  'GET /Accounts/:account_sid/AlertHooks/capabilities': {
    summary: 'Get whether alert hooks can send email',
    access: accountAccess,
    responses: { 200: z.object({ email: z.boolean() }) },
  },
  'POST /Accounts/:account_sid/AlertHooks/test': {
    summary: 'Send a test alert to one alert hook, or to all of an account, and return the results; rate-limited',
    access: accountAccess,
    body: z.strictObject({ alert_hook_sid: anySid.nullish() }).optional(),
    responses: { 200: z.object({ results: z.array(alertHookTestResult) }) },
  },
  'GET /Accounts/:account_sid/AlertHooks/:alert_hook_sid': {
    summary: 'Get an alert hook',
    access: accountAccess,
    responses: { 200: alertHook },
  },
  'PUT /Accounts/:account_sid/AlertHooks/:alert_hook_sid': {
    summary: 'Update an alert hook; waiting alerts are retried immediately',
    access: accountAccess,
    updates: {
      record: 'GET /Accounts/:account_sid/AlertHooks/:alert_hook_sid',
      stored: alertDestinationTable,
    },
    body: alertHookChange,
    responses: { 204: null },
  },
  'DELETE /Accounts/:account_sid/AlertHooks/:alert_hook_sid': {
    summary: 'Delete an alert hook',
    access: accountAccess,
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const alertHookDescriptions: Descriptions = {
  address: 'URL, integration key of PagerDuty, or email address that receives the alerts.',
  alert_hook_sid: 'SID of the alert hook, which is an alert destination of the account.',
  error: 'Reason why the test failed, or null.',
  results: 'Results, one per alert hook.',
  success: 'Whether the message was delivered.',
}
