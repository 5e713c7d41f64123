import type { IpAddress } from '@patchbay/contract/shared/ip-address'
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

/** Returns whether one of the networks contains the address. */
export const isInNetworks = (address: IpAddress, networks: readonly IpNetwork[]): boolean =>
  networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
