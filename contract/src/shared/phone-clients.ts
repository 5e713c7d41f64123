/**
 * SIP clients that exist for one call from the browser. Their name contains when Patchbay deletes them, so that no table
 * has to be kept consistent with the platform's.
 */

const prefix = 'patchbay-phone-'

const name = /^patchbay-phone-(?<expiry>[0-9a-z]{6,8})-[0-9a-f]{16}$/

/** The SQL pattern that the names of all phone clients match. Names of other clients can match it, too. */
export const phoneClientPattern = `${prefix}%`

/**
 * Returns the name of a phone client.
 * @param expiresAt milliseconds since the Unix epoch, of which the name contains the whole seconds
 * @param random 16 hexadecimal digits
 */
export const createPhoneClientName = (expiresAt: number, random: string): string =>
  `${prefix}${Math.floor(expiresAt / 1000).toString(36)}-${random}`

/** Returns when a phone client expires, in milliseconds since the Unix epoch. Undefined for other SIP clients. */
export const readPhoneClientExpiry = (username: string | null): number | undefined => {
  const { expiry } = name.exec(username ?? '')?.groups ?? {}
  return expiry === undefined ? undefined : Number.parseInt(expiry, 36) * 1000
}

export const phoneLimits = {
  /** The platform checks the password only when a call starts, so a client is not needed for the length of the call. */
  lifetimeMs: 600_000,
  /** Phone clients of an account that have not expired. */
  perAccount: 20,
} as const
