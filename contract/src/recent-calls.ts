import { z } from 'zod'
import { accountAccess, type Bytes, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { pageQuery } from './lists/page-query.ts'

/** Recent calls (docs/reference/platform-api/call-records.md#recent-calls). */

/** `answered` filters only for the literals true and false. Other values are ignored for API compatibility. */
export const callQuery = z.object({
  ...pageQuery,
  trunk: z.string().max(255).optional(),
  direction: z.string().max(16).optional(),
  answered: z.string().max(16).optional(),
  filter: z.string().max(255).optional(),
  /** Final SIP status, or 0 for an unknown one, a Patchbay extension. Any other value that is not three digits is ignored. */
  sip_status: z.string().max(16).optional(),
  /**
   * Result of the call as its answer and its final status prove it, a Patchbay extension: one of `selectedResults`. Any other
   * value is ignored.
   */
  result: z.string().max(16).optional(),
  /** Minimum duration in seconds, a Patchbay extension. Any value that is not an integer up to 99999 is ignored. */
  min_duration: z.string().max(16).optional(),
  /** Maximum duration in seconds, a Patchbay extension. Any value that is not an integer up to 99999 is ignored. */
  max_duration: z.string().max(16).optional(),
  /** SID of the application that handled the call, a Patchbay extension. */
  application_sid: z.string().max(64).optional(),
  /**
   * Part of the calling or called number, a Patchbay extension. Spaces, dashes, and brackets are ignored. With a leading
   * plus sign, only numbers that begin with it match, whether or not they are stored with the sign.
   */
  number: z.string().max(255).optional(),
})

const { page: _page, count: _count, ...filters } = callQuery.shape

/** Selects the calls of a CSV export. Same filters as the paged list. */
export const callTableQuery = z.object(filters)

/** A call record. Loose, so that members added by newer platform versions reach the client unchanged. */
export const call = z.looseObject({
  attempted_at: z.string(),
  account_sid: z.string(),
  answered: z.boolean(),
  answered_at: z.string().nullable(),
  application_sid: z.string().nullable(),
  call_sid: z.string().nullable(),
  direction: z.string().nullable(),
  duration: z.number(),
  from: z.string().nullable(),
  host: z.string().nullable(),
  recording_url: z.string().nullable(),
  remote_host: z.string().nullable(),
  service_provider_sid: z.string().nullable(),
  sip_callid: z.string().nullable(),
  sip_parent_callid: z.string().nullable(),
  sip_status: z.number().nullable(),
  terminated_at: z.string().nullable(),
  termination_reason: z.string().nullable(),
  to: z.string().nullable(),
  trace_id: z.string().nullable(),
  trunk: z.string().nullable(),
})
export type Call = z.infer<typeof call>

/** page and page_size are returned as the JSON strings of the request, as in the API of jambonz. */
const callPage = z.object({
  total: z.number(),
  page: z.string(),
  page_size: z.string(),
  data: z.array(call),
})

/** Maximum number of legs that are returned for one call. */
export const maxLegs = 50

const csvExport = z.custom<Bytes>()

export const recentCallEndpoints = endpoints({
  'GET /Accounts/:account_sid/RecentCalls': {
    summary: 'List a page of the calls of an account, newest first',
    access: accountAccess,
    query: callQuery,
    responses: { 200: callPage },
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls': {
    summary: 'List a page of the calls of a service provider, newest first',
    access: providerAccess,
    query: callQuery,
    responses: { 200: callPage },
  },
  'GET /patchbay/accounts/:account_sid/call-legs': {
    summary: 'List the call records that belong to the same call: same trace, parent, or child calls; oldest first',
    access: accountAccess,
    query: z.object({ sip_callid: z.string().min(1).max(255) }),
    responses: { 200: z.array(call).max(maxLegs) },
  },
  'GET /patchbay/accounts/:account_sid/recent-calls.csv': {
    summary: 'Export all matching calls of an account as CSV (RFC 4180), newest first',
    access: accountAccess,
    query: callTableQuery,
    bytes: ['text/csv'],
    responses: { 200: csvExport },
  },
  'GET /patchbay/service-providers/:service_provider_sid/recent-calls.csv': {
    summary: 'Export all matching calls of a service provider as CSV (RFC 4180), newest first',
    access: providerAccess,
    query: callTableQuery,
    bytes: ['text/csv'],
    responses: { 200: csvExport },
  },
})

/** Columns of the CSV export. */
export const callColumns = Object.keys(call.shape) as readonly (keyof typeof call.shape)[]

/** Descriptions of fields for the API documentation. */
export const recentCallDescriptions: Descriptions = {
  answered: 'Whether the call was answered.',
  answered_at: 'Time at which the call was answered (ISO 8601).',
  attempted_at: 'Time of the INVITE (ISO 8601).',
  duration: 'Duration in seconds.',
  host: 'Feature server that handled the call.',
  max_duration: 'Only calls of at most this many seconds.',
  min_duration: 'Only calls of at least this many seconds.',
  number: 'Part of the calling or called number. With a leading plus sign, the start of it.',
  recording_url: 'URL of the recording.',
  remote_host: 'IP address of the other side.',
  result: 'Only calls with this result: answered, busy, no answer, cancelled, or failed.',
  sip_parent_callid: 'SIP Call-ID of the other leg.',
  terminated_at: 'Time at which the call ended (ISO 8601).',
  termination_reason: 'Why the call ended.',
}
