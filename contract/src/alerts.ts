import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { pageQuery } from './lists/page-query.ts'

/** Alerts (docs/reference/platform-api/call-records.md#alerts). */

export const alertQuery = z.object({
  ...pageQuery,
  /** Matched exactly. An empty value does not filter. */
  alert_type: z.string().max(255).optional(),
})

/** Loose, so that members added by newer platform versions reach the client unchanged. */
export const alert = z.looseObject({
  /** up to nanoseconds */
  time: z.string(),
  account_sid: z.string().nullable(),
  alert_type: z.string(),
  detail: z.string().nullable(),
  message: z.string(),
  service_provider_sid: z.string().nullable(),
  /** The record that the alert refers to, usually a call_sid. */
  target_sid: z.string().nullable(),
  vendor: z.string().nullable(),
})
export type Alert = z.infer<typeof alert>

/** page and page_size are returned as the JSON strings of the request, as in the API of jambonz. */
const alertPage = z.object({ total: z.number(), page: z.string(), page_size: z.string(), data: z.array(alert) })

export const alertEndpoints = endpoints({
  'GET /Accounts/:account_sid/Alerts': {
    summary: 'List a page of the alerts of an account, newest first',
    access: accountAccess,
    query: alertQuery,
    responses: { 200: alertPage },
  },
  'GET /ServiceProviders/:service_provider_sid/Alerts': {
    summary: 'List a page of the alerts of a service provider and its accounts, newest first',
    access: providerAccess,
    query: alertQuery,
    responses: { 200: alertPage },
  },
})

/** Descriptions of fields for the API documentation. */
export const alertDescriptions: Descriptions = {
  alert_type: 'Type of the alert.',
  target_sid: 'SID of the affected record, such as a call.',
  time: 'Time of the alert (ISO 8601).',
}
