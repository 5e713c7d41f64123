import type { LookupAddress, NaptrRecord, SrvRecord } from 'node:dns'
import { isIP } from 'node:net'
import type { AddressSource, SipTransport } from '@patchbay/contract/shared/connection-check'
import type { AddressPolicy } from '../outbound-http/ssrf-guard.ts'
import { SipRequestError } from './sip-errors.ts'

/** Finds the addresses of a SIP host (RFC 3263 §4). */

/** DNS queries that `getaddrinfo` cannot make. Both reject if there are no records. */
export interface SipDns {
  resolveSrv(name: string): Promise<SrvRecord[]>
  resolveNaptr(name: string): Promise<NaptrRecord[]>
}

export interface SipHost {
  host: string
  port: number | null
  /** Null if DNS selects it. UDP is the default. */
  transport: SipTransport | null
}

export interface SipDestination {
  transport: SipTransport
  source: AddressSource
  addresses: readonly { address: string; port: number }[]
}

/** Maximum number of SRV records whose names are looked up. */
const maxServers = 4

/** Maximum number of addresses of a host. */
const maxAddresses = 8

const servicePrefix: Readonly<Record<SipTransport, string>> = { udp: '_sip._udp', tcp: '_sip._tcp', tls: '_sips._tcp' }

const transportByService: Readonly<Record<string, SipTransport>> = {
  'SIP+D2U': 'udp',
  'SIP+D2T': 'tcp',
  'SIPS+D2T': 'tls',
}

const defaultPort = (transport: SipTransport): number => (transport === 'tls' ? 5061 : 5060)

/** Sorts by priority. Among equals the heaviest is first, so that repeated checks give the same result. */
const byPreference = (one: SrvRecord, other: SrvRecord): number =>
  one.priority - other.priority || other.weight - one.weight

/** Creates a function that resolves hosts. The policy decides which addresses can be called. */
export const createTargetResolver = (policy: AddressPolicy, dns: SipDns) => {
  const lookUp = (name: string, port: number): Promise<{ address: string; port: number }[]> =>
    new Promise((resolve, reject) => {
      policy.check(name)
      policy.lookup(name, { all: true }, (error, result) => {
        if (error) return reject(error)
        const addresses = [result].flat().filter((item): item is LookupAddress => typeof item !== 'string')
        resolve(addresses.map(({ address }) => ({ address, port })))
      })
    })

  /** Looks up the servers of a service. A failed query counts as a name without records. */
  const findServers = async (name: string): Promise<SrvRecord[]> => {
    const records = await dns.resolveSrv(name).catch(() => [])
    // A target "." means that the service does not exist (RFC 2782).
    return records.filter(({ name: target, port }) => target !== '' && target !== '.' && port > 0)
  }

  const lookUpServers = async (records: readonly SrvRecord[]) => {
    const chosen = records.toSorted(byPreference).slice(0, maxServers)
    const results = await Promise.allSettled(chosen.map(({ name, port }) => lookUp(name, port)))
    const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    const failed = results.find((result) => result.status === 'rejected')
    if (addresses.length === 0 && failed) throw new SipRequestError('not_resolved', null, { cause: failed.reason })
    return addresses
  }

  const selectTransport = async (
    host: string,
  ): Promise<{ transport: SipTransport; replacement: string } | undefined> => {
    const records = await dns.resolveNaptr(host).catch(() => [])
    const [first] = records
      .filter(({ service, replacement }) => transportByService[service.toUpperCase()] && replacement !== '')
      .toSorted((one, other) => one.order - other.order || one.preference - other.preference)
    if (first === undefined) return undefined
    return { transport: transportByService[first.service.toUpperCase()] ?? 'udp', replacement: first.replacement }
  }

  /**
   * Returns the addresses of a host in the order in which they are to be tried.
   *
   * @throws AddressNotAllowedError, HostUnavailableError, or SipRequestError `not_resolved`
   */
  return async ({ host, port, transport }: SipHost): Promise<SipDestination> => {
    const named = transport ?? 'udp'
    if (isIP(host) !== 0) {
      policy.check(host)
      return { transport: named, source: 'literal', addresses: [{ address: host, port: port ?? defaultPort(named) }] }
    }
    const limited = (addresses: SipDestination['addresses']) => addresses.slice(0, maxAddresses)
    if (port !== null) return { transport: named, source: 'address', addresses: limited(await lookUp(host, port)) }
    const selected = transport === null ? await selectTransport(host) : undefined
    const chosen = selected?.transport ?? named
    const servers = await findServers(selected?.replacement ?? `${servicePrefix[chosen]}.${host}`)
    if (servers.length > 0) {
      const addresses = limited(await lookUpServers(servers))
      return { transport: chosen, source: selected ? 'naptr' : 'srv', addresses }
    }
    return { transport: chosen, source: 'address', addresses: limited(await lookUp(host, defaultPort(chosen))) }
  }
}
