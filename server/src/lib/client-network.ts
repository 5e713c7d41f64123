import { parseIpAddress } from '@patchbay/rules/networks/ip-address'

/**
 * Returns the network that limits for unauthenticated clients apply to: an IPv4 address, or the /64 of an IPv6 address,
 * because its holder can use every address in it (RFC 6177, RFC 8981). Returns other texts unchanged.
 */
export const toClientNetwork = (ip: string): string => {
  const address = parseIpAddress(ip)
  if (address === undefined || !('parts' in address)) return address?.toString() ?? ip
  const network = address.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
