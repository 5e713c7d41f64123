import { type LookupAddress, lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { parseIpAddress } from '@patchbay/rules/networks/ip-address'
import { isInNetworks, parseNetworks } from '../../lib/ip-networks.ts'

/**
 * Decides which IP addresses an outgoing request can connect to. Addresses that a tenant provides must be public,
 * unless the operator allows their network, so that a tenant cannot reach services behind the server's firewall (OWASP:
 * server-side request forgery).
 */

/**
 * Networks that are not part of the public internet: IANA's IPv4 and IPv6 special-purpose address registries (RFC 6890
 * and its updates) and the transition mechanisms that embed an IPv4 address.
 */
const specialPurposeNetworks = [
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
  // Unspecified, loopback, IPv4-compatible.
  '::/96',
  // IPv4-translated (RFC 2765).
  '::ffff:0:0:0/96',
  // NAT64 (RFC 6052, RFC 8215).
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  // Teredo, ORCHID, benchmarking.
  '2001::/23',
  '2001:db8::/32',
  // 6to4.
  '2002::/16',
  // Documentation (RFC 9637).
  '3fff::/20',
  // Segment routing SIDs (RFC 9602).
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  // Site-local, deprecated by RFC 3879 but still routed in places.
  'fec0::/10',
  'ff00::/8',
]

const specialPurpose = parseNetworks(specialPurposeNetworks)

/** The URL contains an IP address, or `localhost`, in a network that is not allowed. */
export class AddressNotAllowedError extends Error {
  constructor(host: string) {
    super(`${host} is in a private network. Use a public address`)
    this.name = 'AddressNotAllowedError'
  }
}

/**
 * A host name does not resolve, or resolves only to addresses that are not allowed. Tenants see the same message for
 * both, so that they cannot find out which internal names exist. The cause, which is written to the server's log,
 * distinguishes them.
 */
export class HostUnavailableError extends Error {
  constructor(hostname: string, cause: unknown) {
    super(`${hostname} could not be found, or its address is not allowed`, { cause })
    this.name = 'HostUnavailableError'
  }
}

export interface AddressPolicy {
  /** Throws AddressNotAllowedError if the host is an IP address, or `localhost`, that is not allowed. */
  check(host: string): void
  /** Resolves a host name to its allowed addresses. Fails with HostUnavailableError if there are none. */
  lookup: LookupFunction
}

/**
 * Failed lookups are reported at the next multiple of this time, so that the duration of a failure does not reveal
 * whether an internal name server knows the name.
 */
const failureGridMs = 100

const atGrid = (startedAt: number, report: () => void): void => {
  setTimeout(report, failureGridMs - ((performance.now() - startedAt) % failureGridMs))
}

/** `localhost` and the names below it always mean this machine (RFC 6761). */
const isLocalhost = (host: string): boolean => /^(?:.+\.)?localhost\.?$/i.test(host)

/**
 * Creates the policy for addresses that tenants provide: public addresses and the networks that the operator allows.
 *
 * @param allowedNetworks networks in CIDR notation (setting PRIVATE_NETWORKS)
 * @param onBlocked called when a host name resolves only to addresses that are not allowed
 */
export const publicAddressPolicy = (
  allowedNetworks: readonly string[],
  onBlocked: (error: Error) => void = () => {},
): AddressPolicy => {
  const allowed = parseNetworks(allowedNetworks)
  const canConnect = (text: string): boolean => {
    const address = parseIpAddress(text)
    return address !== undefined && (!isInNetworks(address, specialPurpose) || isInNetworks(address, allowed))
  }
  const blocked = (hostname: string, addresses: readonly LookupAddress[]): HostUnavailableError => {
    const list = addresses.map(({ address }) => address).join(', ')
    const text = `${hostname} resolves to ${list}, which PRIVATE_NETWORKS does not allow`
    const error = new HostUnavailableError(hostname, new Error(text))
    onBlocked(error)
    return error
  }
  const localhostAllowed = canConnect('127.0.0.1') || canConnect('::1')
  return {
    check(host) {
      const isBlocked = isLocalhost(host) ? !localhostAllowed : parseIpAddress(host) !== undefined && !canConnect(host)
      if (isBlocked) throw new AddressNotAllowedError(host.replace(/^\[|\]$/g, ''))
    },
    lookup: (hostname, options, answer) => {
      const startedAt = performance.now()
      const fail = (error: Error) => atGrid(startedAt, () => answer(error, ''))
      lookup(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return fail(new HostUnavailableError(hostname, error))
        const usable = addresses.filter(({ address }) => canConnect(address))
        const [first] = usable
        if (first === undefined) return fail(blocked(hostname, addresses))
        return options.all ? answer(null, usable) : answer(null, first.address, first.family)
      })
    },
  }
}

/** The policy for addresses that the operator configures. Everything is allowed. */
export const anyAddressPolicy: AddressPolicy = { check: () => {}, lookup }
