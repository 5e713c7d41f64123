import { parseIpAddress } from '../networks/ip-address.ts'

/** RFC 1918 §3, RFC 6598 §7, RFC 1122 §3.2.1.3, RFC 3927 §2.1, RFC 4193 §3.1, RFC 4291 §2.5.3, §2.5.6 */
const privateRanges = new Set<string>(['private', 'carrierGradeNat', 'loopback', 'linkLocal', 'uniqueLocal'])

const getRange = (address: string): string => parseIpAddress(address)?.range() ?? 'no address'

/** Returns whether an address is reachable only within its own network. False for domain names. */
export const isPrivateAddress = (address: string): boolean => privateRanges.has(getRange(address))

/** Returns whether an address is reachable from the Internet. False for domain names. */
export const isPublicAddress = (address: string): boolean =>
  !privateRanges.has(getRange(address)) && !['unspecified', 'no address'].includes(getRange(address))
