/** A domain that devices register with: labels of letters, digits and hyphens (RFC 1123), at most 132 characters. */
const realmPattern = /^(?=.{1,132}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i

export const isSipRealm = (realm: string): boolean => realmPattern.test(realm)
