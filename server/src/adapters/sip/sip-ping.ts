import { Resolver } from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import type { GatewayCheck } from '@patchbay/contract/carrier-connection-check'
import { classifyHost } from '@patchbay/contract/shared/addresses'
import {
  type ConnectionFailure,
  connectionTimeoutMs,
  type SipTransport,
} from '@patchbay/contract/shared/connection-check'
import type { AddressPolicy } from '../outbound-http/ssrf-guard.ts'
import { type Exchange, exchangeOverTcp, exchangeOverTls, exchangeOverUdp, type TimedResponse } from './exchange.ts'
import { buildOptionsRequest, createTransaction } from './options-request.ts'
import { createTargetResolver, type SipDestination, type SipDns, type SipHost } from './resolve-target.ts'
import { SipRequestError, toSipRequestError } from './sip-errors.ts'

/** Sends SIP OPTIONS requests to hosts that tenants provide. */
export interface SipPing {
  /**
   * Resolves a host and sends a request to its addresses, one after another, until one of them responds. Never rejects.
   * Takes at most 3 seconds.
   */
  ping(target: SipPingTarget, signal: AbortSignal): Promise<SipPingResult>
}

export interface SipPingTarget extends SipHost {
  usesSips: boolean
  /** Receives the request in place of the host, which the Request-URI names. */
  proxy?: SipHost
}

export type SipPingResult = Pick<GatewayCheck, 'transport' | 'source' | 'addresses' | 'response' | 'failure'>

interface SipPingOptions {
  policy: AddressPolicy
  dns?: SipDns
  /** Trusted certificates in PEM format. Default: those of Node.js. */
  ca?: string
  /** Time limit of a ping, including DNS. */
  timeoutMs?: number
}

/** After these failures, another address of the host may still respond. */
const tryNextAfter: ReadonlySet<ConnectionFailure> = new Set(['refused', 'unreachable', 'closed'])

const formatAddress = (address: string, port: number): string => `${isIPv6(address) ? `[${address}]` : address}:${port}`

/** Rejects with `timeout` when the signal aborts. The work itself cannot be stopped. */
const untilAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(new SipRequestError('timeout'))
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })

const defaultTransport = (transport: SipTransport | null): SipTransport => transport ?? 'udp'

/** Anything else could add header lines to the request. */
const isValidHost = ({ host, port }: SipHost): boolean =>
  host === host.trim() && classifyHost(host) !== 'invalid' && port !== 0

/** Creates the client. */
export const createSipPing = ({
  policy,
  dns = new Resolver({ timeout: 1000, tries: 2 }),
  ca,
  timeoutMs = connectionTimeoutMs,
}: SipPingOptions): SipPing => {
  const resolveTarget = createTargetResolver(policy, dns)

  const exchange = (
    { host, port: statedPort, transport: ownTransport, usesSips, proxy }: SipPingTarget,
    transport: SipTransport,
    { address, port }: SipDestination['addresses'][number],
    signal: AbortSignal,
  ): Promise<TimedResponse> => {
    const transaction = createTransaction()
    const request: Exchange = {
      address,
      port,
      transaction,
      buildRequest: (local) => {
        const uri = { host, port: statedPort, transport: proxy ? defaultTransport(ownTransport) : transport, usesSips }
        return buildOptionsRequest(transaction, uri, { ...local, transport })
      },
      signal,
    }
    if (transport === 'udp') return exchangeOverUdp(request)
    return transport === 'tcp' ? exchangeOverTcp(request) : exchangeOverTls(request, (proxy ?? { host }).host, ca)
  }

  const tryAddresses = async (
    target: SipPingTarget,
    { transport, addresses }: SipDestination,
    signal: AbortSignal,
  ): Promise<Pick<SipPingResult, 'response' | 'failure'>> => {
    let failure = new SipRequestError('not_resolved')
    for (const to of addresses) {
      try {
        const { status, reason, round_trip_ms } = await exchange(target, transport, to, signal)
        const address = formatAddress(to.address, to.port)
        return { response: { status, reason, address, round_trip_ms }, failure: null }
      } catch (error) {
        failure = toSipRequestError(error)
        if (!tryNextAfter.has(failure.code) || signal.aborted) break
      }
    }
    return { response: null, failure: { code: failure.code, detail: failure.detail } }
  }

  return {
    async ping(target, callerSignal) {
      const receiver = target.proxy ?? target
      const unresolved = {
        transport: defaultTransport(receiver.transport),
        source: null,
        addresses: [],
        response: null,
      }
      if (!isValidHost(target) || !isValidHost(receiver))
        return { ...unresolved, failure: { code: 'invalid_address', detail: null } }
      const signal = AbortSignal.any([callerSignal, AbortSignal.timeout(timeoutMs)])
      try {
        const destination = await untilAborted(resolveTarget(receiver), signal)
        const { source, addresses } = destination
        return {
          transport: destination.transport,
          source,
          addresses: addresses.map(({ address, port: used }) => formatAddress(address, used)),
          ...(await tryAddresses(target, destination, signal)),
        }
      } catch (error) {
        const { code, detail } = toSipRequestError(error)
        // A name server that does not respond is a failed lookup, not a silent gateway.
        return { ...unresolved, failure: { code: code === 'timeout' ? 'not_resolved' : code, detail } }
      }
    },
  }
}
