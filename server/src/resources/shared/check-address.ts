import { throwInvalid } from '@patchbay/contract/api/errors'
import type { Outgoing } from '../../adapters/outbound-http/outgoing.ts'
import { AddressNotAllowedError } from '../../adapters/outbound-http/ssrf-guard.ts'

/**
 * Rejects a URL at an IP address of a private network. Host names are not resolved here, because the result would reveal
 * which internal names exist. Every request checks the address to which it connects.
 *
 * @param field Member that the error names
 */
export const checkAddress = (outgoing: Outgoing, url: string, field: string): void => {
  try {
    outgoing.check(url)
  } catch (error) {
    if (error instanceof AddressNotAllowedError) throwInvalid(error.message, field)
    throw error
  }
}
