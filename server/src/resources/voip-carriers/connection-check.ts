import type { Actor } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { ConnectionCheck, GatewayCheck } from '@patchbay/contract/carrier-connection-check'
import { parseSipProxy } from '@patchbay/contract/shared/addresses'
import { lastCallDays, maxCheckedGateways, type SipTransport } from '@patchbay/contract/shared/connection-check'
import { dayMs } from '@patchbay/contract/shared/durations'
import { type SipProtocol, singleAddress } from '@patchbay/contract/shared/gateways'
import type { SipHost } from '../../adapters/sip/resolve-target.ts'
import type { SipPing } from '../../adapters/sip/sip-ping.ts'
import type { Calls } from '../../call-data/calls/calls.ts'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import type { Database } from '../../database/engine.ts'
import { type FairQueue, fairnessKey } from '../../lib/fair-queue.ts'
import { withTimeout } from '../../lib/timeout.ts'
import type { CarrierHealthReader } from './carrier-health.ts'

/** Checks the connection to the gateways of a carrier. */

/** The latest call is a supplement, so the check does not wait longer for it. */
const callSearchTimeoutSeconds = 3

export interface ConnectionCheckSources {
  database: Database
  sipPing: SipPing
  health: CarrierHealthReader
  calls: Calls
  /** Limits the gateways that are checked at the same time. */
  queue: FairQueue
}

interface CarrierRow {
  name: string
  outbound_sip_proxy: string | null
  account_sid: string | null
  service_provider_sid: string | null
}

export interface CheckedGateway {
  /** Empty for a gateway that is not saved. */
  sip_gateway_sid: string
  ipv4: string
  port: number | null
  netmask: number
  outbound: 0 | 1
  protocol: SipProtocol | null
  use_sips_scheme: 0 | 1
}

/** A text that is not a proxy fails as an invalid address, because calls fail as well. */
const toProxy = (text: string): SipHost => parseSipProxy(text) ?? { host: '', port: null, transport: null }

const toTransport = (protocol: SipProtocol | null): SipTransport | null => (protocol === 'tls/srtp' ? 'tls' : protocol)

/** Calls can arrive from each address of a network, so there is no address to check. */
const isNetwork = ({ netmask, outbound }: CheckedGateway): boolean => outbound === 0 && netmask < singleAddress

const getCallOwner = (actor: Actor, { account_sid, service_provider_sid }: CarrierRow): CallOwner | undefined => {
  const account = actor.scope === 'account' ? actor.account_sid : account_sid
  if (account !== null) return { account_sid: account }
  return service_provider_sid === null ? undefined : { service_provider_sid }
}

/** Creates functions that check a carrier, and gateways that are not saved. */
export const createConnectionCheck = ({ database, sipPing, health, calls, queue }: ConnectionCheckSources) => {
  const { reader } = database

  const readGateways = (voip_carrier_sid: string): Promise<CheckedGateway[]> =>
    reader
      .selectFrom('sip_gateways')
      .select(['sip_gateway_sid', 'ipv4', 'port', 'netmask', 'outbound', 'protocol', 'use_sips_scheme'])
      .where('voip_carrier_sid', '=', voip_carrier_sid)
      .where('is_active', '=', 1)
      .orderBy('outbound', 'desc')
      .orderBy('ipv4')
      .orderBy('port')
      .orderBy('sip_gateway_sid')
      .limit(maxCheckedGateways)
      .execute()

  const countGateways = async (voip_carrier_sid: string): Promise<number> => {
    const { count } = await reader
      .selectFrom('sip_gateways')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('voip_carrier_sid', '=', voip_carrier_sid)
      .where('is_active', '=', 1)
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  const checkGateway = async (
    row: CheckedGateway,
    carrierProxy: string | null,
    signal: AbortSignal,
  ): Promise<GatewayCheck> => {
    const { sip_gateway_sid, ipv4, port, protocol } = row
    const transport = toTransport(protocol)
    // Only calls to the carrier pass the proxy.
    const proxy = row.outbound === 1 ? carrierProxy || null : null
    const gateway = { sip_gateway_sid, ipv4, port, outbound: row.outbound === 1, outbound_sip_proxy: proxy }
    if (isNetwork(row)) {
      const unchecked = { transport: transport ?? 'udp', source: null, addresses: [], response: null, failure: null }
      return { ...gateway, ...unchecked }
    }
    const target = {
      host: ipv4,
      port,
      transport,
      usesSips: row.use_sips_scheme === 1 && transport === 'tls',
      ...(proxy !== null && { proxy: toProxy(proxy) }),
    }
    return { ...gateway, ...(await sipPing.ping(target, signal)) }
  }

  const findLastCall = async (actor: Actor, carrier: CarrierRow, signal: AbortSignal): Promise<string | null> => {
    const owner = getCallOwner(actor, carrier)
    if (owner === undefined) return null
    const search = { owner, trunk: carrier.name, from: Date.now() - lastCallDays * dayMs, page: 1, pageSize: 1 }
    const result = await withTimeout(
      calls.search(search, { owner: fairnessKey(actor), signal }),
      callSearchTimeoutSeconds,
      () => new Error('The search takes too long'),
    ).catch(() => undefined)
    return result?.calls[0]?.attempted_at ?? null
  }

  const checkAll = (
    actor: Actor,
    rows: readonly CheckedGateway[],
    carrierProxy: string | null,
    signal: AbortSignal,
  ): Promise<GatewayCheck[]> =>
    queue.run(
      fairnessKey(actor),
      (runStep) => Promise.all(rows.map((row) => runStep(() => checkGateway(row, carrierProxy, signal)))),
      signal,
    )

  return {
    /**
     * Checks gateways that are not saved.
     *
     * @throws ApiError `too_many_concurrent_requests` if the tenant already runs several checks
     */
    async checkGateways(
      actor: Actor,
      rows: readonly CheckedGateway[],
      carrierProxy: string | null,
      signal: AbortSignal,
    ) {
      const gateways = await checkAll(actor, rows, carrierProxy, signal)
      return { checked_at: new Date().toISOString(), gateways }
    },

    /**
     * Checks a carrier.
     *
     * @throws ApiError `too_many_concurrent_requests` if the tenant already runs several checks
     */
    async checkCarrier(actor: Actor, voip_carrier_sid: string, signal: AbortSignal): Promise<ConnectionCheck> {
      const [{ registration, calls: counts }, carrier, rows, gateway_count] = await Promise.all([
        health.find(actor, voip_carrier_sid),
        reader
          .selectFrom('voip_carriers')
          .select(['name', 'outbound_sip_proxy', 'account_sid', 'service_provider_sid'])
          .where('voip_carrier_sid', '=', voip_carrier_sid)
          .executeTakeFirst(),
        readGateways(voip_carrier_sid),
        countGateways(voip_carrier_sid),
      ])
      if (carrier === undefined) return throwApiError('not_found')
      const [gateways, last_call_at] = await Promise.all([
        checkAll(actor, rows, carrier.outbound_sip_proxy, signal),
        findLastCall(actor, carrier, signal),
      ])
      const checked_at = new Date().toISOString()
      return { checked_at, gateways, gateway_count, registration, calls: counts, last_call_at }
    },
  }
}
