import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { instant } from './api/values.ts'

/**
 * Credentials for one call from the browser to an application: a SIP client of the account that Patchbay deletes. A
 * Patchbay extension.
 */

const phoneSession = z.object({
  /** The SIP client. The console deletes it after the call, and Patchbay after `expires_at`. */
  client_sid: z.string(),
  username: z.string(),
  /** Only this response contains the password. */
  password: z.string(),
  /** The SIP realm of the account. */
  realm: z.string(),
  /** The address to call. */
  uri: z.string(),
  /** WebSocket addresses of the SBC, in the order in which to try them. */
  sbc_urls: z.array(z.string()),
  expires_at: instant,
})
export type PhoneSession = z.infer<typeof phoneSession>

export const phoneSessionEndpoints = endpoints({
  'POST /patchbay/applications/:application_sid/phone-sessions': {
    summary: 'Create a temporary SIP client with which a browser calls an application; rate-limited',
    access: { minScope: 'account', owner: { of: 'application' }, errorCode: 'not_found' },
    responses: { 201: phoneSession },
  },
})

/** Descriptions of fields for the API documentation. */
export const phoneSessionDescriptions: Descriptions = {
  client_sid: 'SID of the temporary SIP client. Delete it when the call has ended.',
  expires_at: 'When Patchbay deletes the SIP client. A call that is in progress continues.',
  password: 'Password of the SIP client. Only this response contains it.',
  realm: 'SIP realm of the account.',
  sbc_urls: 'WebSocket addresses of the SBC, in the order in which to try them.',
  uri: 'SIP URI to call.',
  username: 'User name of the SIP client.',
}
