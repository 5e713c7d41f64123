import { isIPv6 } from 'node:net'

/**
 * Returns the network that limits for unauthenticated clients apply to: an IPv4 address, or the /64 of an IPv6 address,
 * because its holder can use every address in it (RFC 6177, RFC 8981).
 */
export const toClientNetwork = (ip: string): string => {
  if (!isIPv6(ip)) return ip
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (mapped !== undefined) return mapped
  const [withoutZone = ''] = ip.split('%')
  const [head = '', tail] = withoutZone.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const last = tail === '' ? [] : tail.split(':').flatMap((group) => (group.includes('.') ? [group, group] : [group]))
    while (groups.length + last.length < 8) groups.push('0')
    groups.push(...last)
  }
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}
