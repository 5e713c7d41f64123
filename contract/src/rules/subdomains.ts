/** The name that an account chooses for itself below the root domain of its provider: one label (RFC 1123 §2.1). Pure. */

export const leastSubdomain = 3
const longest = 63

/** What is wrong with it, as goes on after its name; undefined: nothing. Capitals count as small letters. */
export const subdomainFault = (name: string): string | undefined => {
  if (name.length < leastSubdomain) return `must be at least ${leastSubdomain} characters long`
  if (name.length > longest) return `must be at most ${longest} characters long`
  if (!/^[a-z0-9-]+$/i.test(name)) return 'may have letters from a to z, digits and hyphens only'
  if (name.startsWith('-') || name.endsWith('-')) return 'must not begin or end with a hyphen'
  return undefined
}

/** What stands before a root domain; undefined where a domain is not below it. */
export const subdomainOf = (realm: string, rootDomain: string): string | undefined => {
  const end = `.${rootDomain.toLowerCase()}`
  return realm.toLowerCase().endsWith(end) ? realm.slice(0, -end.length) : undefined
}
