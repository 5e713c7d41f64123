import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'

/**
 * Log lines that the platform's components wrote during a call
 * (docs/reference/platform-api/traces-and-captures.md#call-logs).
 */

const logQuery = z.object({
  /** CloudWatch log group. Ignored if Patchbay stores the log lines itself. */
  logGroupName: z
    .string()
    .max(512)
    .regex(/^[\w/.#-]+$/, { error: 'must be a name of a log group' })
    .optional(),
})

/**
 * Log lines as written, normally JSON with level, time (milliseconds since the Unix epoch), msg, and the call's IDs.
 */
export const logLines = z.array(z.string())

export const callLogEndpoints = endpoints({
  'GET /Accounts/:account_sid/RecentCalls/:call_sid/logs': {
    summary: 'Get the log lines of a call of an account; 404 if there is no record of the call',
    access: accountAccess,
    lenientSids: true,
    query: logQuery,
    responses: { 200: logLines },
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/logs': {
    summary: 'Always rejected; call logs are available only at the account',
    access: providerAccess,
    lenientSids: true,
    query: logQuery,
    responses: { 200: logLines },
  },
})

/** Descriptions of fields for the API documentation. */
export const callLogDescriptions: Descriptions = {
  logGroupName: 'CloudWatch log group.',
}
