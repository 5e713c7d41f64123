import type { Actor } from '@patchbay/contract/access'

/** An actor as a request brings it: with what the audit trail says of who did something. */
export interface Caller extends Actor {
  /** of the user or the API key */
  sid: string | null
  /** of the user; of an API key its masked token */
  name: string | null
  /** as far as trusted proxies say */
  address: string
  request_id: string
  /** SHA-256 of the reset link by which the user is known; such a one may change the password with it and no more */
  reset_link?: string
}
