import { accountLengths } from '../accounts/record.ts'

/** Labels of letters, digits, and hyphens (RFC 1123). */
const domain = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i

/** Returns whether a text is valid as the domain with which devices register. */
export const isSipRealm = (realm: string): boolean => realm.length <= accountLengths.sip_realm && domain.test(realm)
