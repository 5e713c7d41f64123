import ipaddr from 'ipaddr.js'

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6

/**
 * Parses an IP address in the notation that the operating system would connect to. IPv4-mapped addresses
 * (`::ffff:10.0.0.1`) become their IPv4 address. Brackets and zone ids (`fe80::1%eth0`) are ignored, because they do not
 * change the network.
 *
 * @returns undefined if the text is not an IP address
 */
export const parseIpAddress = (text: string): IpAddress | undefined => {
  const [address = ''] = text.replace(/^\[|\]$/g, '').split('%')
  // Rejects octal, hexadecimal, and short forms of IPv4, which URL parsers have already rewritten.
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)
  return isAddress ? ipaddr.process(address) : undefined
}
