import type { Actor } from '@patchbay/contract/api/access'

/** The actor of a request, with the details that the audit trail records. */
export interface Caller extends Actor {
  /** SID of the user or the API key. */
  sid: string | null
  /** Name of the user, or the masked token of an API key. */
  name: string | null
  /** Client address, according to the trusted proxies. */
  address: string
  request_id: string
  /** SHA-256 of the reset link that identified the user. The caller can then only change the password. */
  reset_link?: string
}
