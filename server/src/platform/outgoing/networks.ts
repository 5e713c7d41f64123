import { lookup } from 'node:dns'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'

/**
 * Of the addresses that a tenant names only the public ones are called, and those of networks that the operator allows,
 * so that nobody looks around behind the server's firewall (OWASP: server-side request forgery).
 */

/** Not on the public internet: IANA's special-purpose registries, RFC 6890 and its updates. */
const special = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
]

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

const listOf = (networks: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), familyOf(address))
  }
  return list
}

const notPublic = listOf(special)

/** Whether a text is a network such as 10.0.0.0/8 or fd00::/8. */
export const isNetwork = (text: string): boolean => {
  const [address = '', bits = '', ...more] = text.split('/')
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most
}

export class NotPublic extends Error {
  constructor(address: string) {
    super(`${address} is in a private network, which the operator has not allowed (PRIVATE_NETWORKS)`)
  }
}

export interface Networks {
  /** throws for a host that is an address which may not be called; names are judged by what they resolve to */
  check(host: string): void
  /** gives the addresses of a name that may be called */
  lookup: LookupFunction
}

export const publicNetworks = (allowed: readonly string[]): Networks => {
  const exceptions = listOf(allowed)
  const mayReach = (address: string): boolean => {
    const family = familyOf(address)
    return !notPublic.check(address, family) || exceptions.check(address, family)
  }
  return {
    check(host) {
      if (isIP(host) !== 0 && !mayReach(host)) throw new NotPublic(host)
    },
    lookup: (hostname, options, answer) =>
      lookup(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return answer(error, '')
        const reachable = addresses.filter(({ address }) => mayReach(address))
        const [first] = reachable
        if (first === undefined) return answer(new NotPublic(hostname), '')
        return options.all ? answer(null, reachable) : answer(null, first.address, first.family)
      }),
  }
}
