import { parseIpAddress } from '../../networks/ip-address.ts'

/** Finds IP addresses in texts whose grammar is unknown, such as Call-IDs, tags, and reasons. Takes linear time. Pure. */

/** IPv4 addresses are also written with other separators in host names and Call-IDs: `ip-10-0-0-5`. */
const dottedRun = /\d{1,3}(?:[._-]\d{1,3}){3,64}/g

/** Texts of hexadecimal digits, colons, and points, which IPv6 addresses are among. */
const colonRun = /[0-9a-f:.]{3,}/gi

/** The longest text of an IPv6 address with an embedded IPv4 address. */
const maxIpv6Length = 45

interface AddressChoice {
  isMasked: (address: string) => boolean
  isPseudonym: (text: string) => boolean
}

/** Returns the address that is masked in a run of numbers, or undefined. Overlapping addresses count. */
const findInDottedRun = (run: string, { isMasked }: AddressChoice): string | undefined => {
  const groups = run.split(/[._-]/)
  return groups
    .slice(0, groups.length - 3)
    .map((_, at) => groups.slice(at, at + 4).join('.'))
    .find((address) => parseIpAddress(address) !== undefined && isMasked(address))
}

/** Returns the address that is masked in a text, or at its end after colons that belong to something else. */
const findInColonRun = (run: string, { isMasked, isPseudonym }: AddressChoice): string | undefined => {
  if (!run.includes(':')) return undefined
  const trimmed = run.slice(-maxIpv6Length - 8).replace(/\.{1,8}$/, '')
  if (trimmed.split(':').length < 3 || isPseudonym(trimmed)) return undefined
  const starts = [0, ...[...trimmed.matchAll(/:/g)].map(({ index }) => index + 1)]
  return starts
    .flatMap((start) => [trimmed.slice(start), trimmed.slice(start).replace(/:$/, '')])
    .find((address) => address.includes(':') && parseIpAddress(address) !== undefined && isMasked(address))
}

/**
 * Replaces the IP addresses in a text that are masked. What surrounds an address without a clear end is
 * replaced with it.
 */
export const replaceAddresses = (text: string, choice: AddressChoice, replace: (address: string) => string): string => {
  const replaceFound = (run: string, address: string | undefined) => (address === undefined ? run : replace(address))
  return text
    .replace(colonRun, (run) => replaceFound(run, findInColonRun(run, choice)))
    .replace(dottedRun, (run) => replaceFound(run, findInDottedRun(run, choice)))
}
