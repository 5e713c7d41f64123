import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints } from './api/endpoint.ts'
import { text } from './api/values.ts'

/** SIP realms that users choose for their own account (docs/reference/platform-api/hosted-mode.md#sip-realms). */

/** The handler validates these members because clients expect the messages of the platform's API. */
const maybeText = text(1024).optional()

export const sipRealmEndpoints = endpoints({
  'GET /Availability': {
    summary: 'Check whether a SIP realm or an email address is available; rate-limited',
    access: { minScope: 'account', owner: 'narrowed' },
    query: z.object({
      /** subdomain, email, or phone */
      type: maybeText,
      /** A complete domain name if `type` is subdomain. */
      value: maybeText,
    }),
    responses: { 200: z.object({ available: z.boolean() }) },
  },
  'POST /Accounts/:account_sid/SipRealms/:sip_realm': {
    summary: 'Set the SIP realm of an account and its managed DNS records; rate-limited',
    access: accountAccess,
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const sipRealmDescriptions: Descriptions = {
  available: 'Whether the value can be used.',
}
