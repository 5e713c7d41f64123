import { type IpAddress, parseIpAddress } from '@patchbay/rules/networks/ip-address'
import ipaddr from 'ipaddr.js'

export type IpNetwork = readonly [IpAddress, number]

/** Returns whether a text is a network in CIDR notation, such as `10.0.0.0/8` or `fd00::/8`. */
export const isNetwork = (text: string): boolean =>
  ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || ipaddr.IPv6.isValidCIDR(text)

/** @throws Error if a text is not a network in CIDR notation */
export const parseNetworks = (cidrs: readonly string[]): IpNetwork[] =>
  cidrs.map((text) => {
    if (!isNetwork(text)) throw new Error(`${text} is not a network in CIDR notation`)
    return ipaddr.parseCIDR(text)
  })

const mappedPrefixBits = 96

/**
 * Parses a single address, such as `192.0.2.7`, or a network in CIDR notation. IPv4-mapped networks
 * (`::ffff:10.0.0.0/104`) become their IPv4 network, like the addresses that they are compared with.
 *
 * @returns undefined if the text is neither, or if it is a network that contains every address
 */
export const parseAddressOrNetwork = (text: string): IpNetwork | undefined => {
  if (!text.includes('/')) {
    // A zone ID names an interface of this machine, and brackets belong to URLs.
    const address = /[[\]%]/.test(text) ? undefined : parseIpAddress(text)
    return address && [address, 8 * address.toByteArray().length]
  }
  if (!isNetwork(text)) return undefined
  const [network, bits] = ipaddr.parseCIDR(text)
  if (bits === 0) return undefined
  if (network instanceof ipaddr.IPv4 || !network.isIPv4MappedAddress()) return [network, bits]
  return bits > mappedPrefixBits ? [network.toIPv4Address(), bits - mappedPrefixBits] : undefined
}

/** Returns whether one of the networks contains the address. */
export const isInNetworks = (address: IpAddress, networks: readonly IpNetwork[]): boolean =>
  networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
