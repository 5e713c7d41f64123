/** The name of a hosted account below the installation's domain: one label of a host name (RFC 1123 §2.1, RFC 1035 §2.3.1). */

const least = 3
const most = 63

/** What is wrong with it, in words; undefined: nothing. Whether it is free the server says. */
export const subdomainFault = (name: string): string | undefined => {
  if (name.length < least) return `It must have at least ${least} characters.`
  if (name.length > most) return `It may have ${most} characters at most.`
  if (!/^[a-z0-9-]*$/i.test(name)) return 'It may have letters from a to z, digits and hyphens.'
  if (name.startsWith('-') || name.endsWith('-')) return 'It must begin and end with a letter or a digit.'
  return undefined
}
