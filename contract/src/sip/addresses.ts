import { isIpv4 } from '../shared/addresses.ts'

/** Classifies IP addresses as private or public. Pure. */

/** RFC 1918 §3, RFC 6598 §7, RFC 1122 §3.2.1.3, RFC 3927 §2.1 */
const isPrivateIpv4 = (address: string): boolean => {
  const [first = 0, second = 0] = address.split('.').map(Number)
  if (first === 172) return second >= 16 && second <= 31
  if (first === 192) return second === 168
  if (first === 169) return second === 254
  if (first === 100) return second >= 64 && second <= 127
  return first === 10 || first === 127
}

const isIpv6 = (address: string): boolean => address.includes(':') && /^[0-9a-f:.]+$/i.test(address)

/** RFC 4193 §3.1, RFC 4291 §2.5.3, §2.5.6 */
const isPrivateIpv6 = (address: string): boolean => /^(?:f[cd]|fe[89ab]|::1$)/i.test(address)

const isUnspecified = (address: string): boolean => address === '0.0.0.0' || address === '::'

/** Returns whether an address is reachable only within its own network. False for domain names. */
export const isPrivateAddress = (address: string): boolean =>
  isIpv4(address) ? isPrivateIpv4(address) : isIpv6(address) && isPrivateIpv6(address)

/** Returns whether an address is reachable from the Internet. False for domain names. */
export const isPublicAddress = (address: string): boolean =>
  (isIpv4(address) || isIpv6(address)) && !isPrivateAddress(address) && !isUnspecified(address)
