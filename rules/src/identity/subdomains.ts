/** Rules for the subdomain that an account chooses below the root domain of its provider: one label (RFC 1123 §2.1). */

export const minSubdomainLength = 3
const maxSubdomainLength = 63

/**
 * Returns the error of a subdomain's format, as the end of a sentence about the subdomain, or undefined if it is valid.
 * Ignores case.
 */
export const validateSubdomain = (name: string): string | undefined => {
  if (name.length < minSubdomainLength) return `must be at least ${minSubdomainLength} characters long`
  if (name.length > maxSubdomainLength) return `must be at most ${maxSubdomainLength} characters long`
  if (!/^[a-z0-9-]+$/i.test(name)) return 'can contain only letters from a to z, digits, and hyphens'
  if (name.startsWith('-') || name.endsWith('-')) return 'must not start or end with a hyphen'
  // RFC 5891 §4.2.3.1 reserves these for internationalized names, which can look like another name.
  if (name.slice(2, 4) === '--') return 'must not have hyphens as its third and fourth characters'
  return undefined
}

/** Returns the part of a domain before the root domain, or undefined if the domain is not below the root domain. */
export const extractSubdomain = (realm: string, rootDomain: string): string | undefined => {
  const end = `.${rootDomain.toLowerCase()}`
  return realm.toLowerCase().endsWith(end) ? realm.slice(0, -end.length) : undefined
}
