import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

export type Network = [Address, number]

/**
 * Reads an IP address in the notation that the operating system would connect to. IPv4-mapped addresses
 * (`::ffff:10.0.0.1`) become their IPv4 address; a zone id (`fe80::1%eth0`) does not change the network.
 *
 * @returns undefined if the text is no IP address
 */
export const readAddress = (text: string): Address | undefined => {
  const [bare = ''] = text.replace(/^\[|\]$/g, '').split('%')
  // Four-part decimal or an IPv6 address: URL parsers have already rewritten octal, hexadecimal, and short forms.
  return ipaddr.IPv4.isValidFourPartDecimal(bare) || ipaddr.IPv6.isValid(bare) ? ipaddr.process(bare) : undefined
}

export const readNetwork = (text: string): Network | undefined => {
  try {
    const [address, bits] = ipaddr.parseCIDR(text)
    return [address, bits]
  } catch {
    return undefined
  }
}

/** @throws Error if a text is not a network in CIDR notation */
export const readNetworks = (cidrs: readonly string[]): Network[] =>
  cidrs.map((text) => {
    const network = readNetwork(text)
    if (network === undefined) throw new Error(`${text} is not a network in CIDR notation`)
    return network
  })

/** Returns whether one of the networks contains the address. */
export const isIn = (address: Address, networks: readonly Network[]): boolean =>
  networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))

/** Returns whether a text is a network in CIDR notation, such as `10.0.0.0/8` or `fd00::/8`. */
export const isNetwork = (text: string): boolean => {
  const [address = '', bits = ''] = text.split('/')
  return /^\d{1,3}$/.test(bits) && readAddress(address) !== undefined && readNetwork(text) !== undefined
}
