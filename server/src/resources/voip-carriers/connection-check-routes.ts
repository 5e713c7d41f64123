import { setTimeout as pause } from 'node:timers/promises'
import type { Actor, Owner } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import type {
  ConnectionCheck,
  carrierConnectionCheckEndpoints,
  GatewayCheck,
} from '@patchbay/contract/carrier-connection-check'
import { connectionTimeoutMs, publicFailures } from '@patchbay/contract/shared/connection-check'
import { hourMs } from '@patchbay/contract/shared/durations'
import { singleAddress } from '@patchbay/contract/shared/gateways'
import { resolveOwner } from '../../auth/resolve-owner.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import { monotonicMs } from '../../lib/clock.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'
import { countForTenant } from '../shared/tenant-quota.ts'
import { createCarrierHealth } from './carrier-health.ts'
import { createConnectionCheck } from './connection-check.ts'

/**
 * Maximum checks per minute of an account, and of all accounts of a provider. Each check sends requests to hosts that
 * the tenant chose.
 */
export const maxConnectionChecksPerMinute = { account: 12, provider: 36 }

/**
 * Maximum checks per hour of an account, and of a provider with all its accounts together, except those of
 * administrators. A check reaches up to 20 hosts, so without it, many accounts could scan a network.
 */
export const maxConnectionChecksPerHour = { account: 20, provider: 60 }

/** Gateways that a process checks at the same time. Each keeps a socket for at most 3 seconds. */
const concurrentGateways = 20

/** Checks that a tenant can have running or waiting. */
const maxChecksPerTenant = 4

/**
 * Returns the result for a caller who could use the check to scan the ports of hosts: without the reasons that tell an
 * open port from a closed or filtered one.
 */
const hideReasons = <Result extends Pick<ConnectionCheck, 'gateways'>>(result: Result): Result => ({
  ...result,
  gateways: result.gateways.map((gateway) =>
    gateway.failure === null || publicFailures.has(gateway.failure.code)
      ? gateway
      : { ...gateway, failure: { code: 'no_response', detail: null } },
  ),
})

const isHidden = ({ failure }: GatewayCheck): boolean => failure?.code === 'no_response'

export const connectionCheckRoutes = ({
  database,
  configuration,
  platformHealth: health,
  callActivity,
  captures,
  calls,
  owners,
  rates,
  sipPing,
}: Services): Handlers<keyof typeof carrierConnectionCheckEndpoints> => {
  const checks = createConnectionCheck({
    database,
    sipPing,
    health: createCarrierHealth({
      database,
      health,
      callActivity,
      pingTtlSeconds: configuration.pingTtlSeconds,
      captures,
    }),
    calls,
    queue: createFairQueue({ name: 'connection_checks', concurrency: concurrentGateways, max: maxChecksPerTenant }),
  })
  const limitPerHour = async ({ account_sid, service_provider_sid }: Owner): Promise<void> => {
    for (const [sid, max] of [
      [account_sid, maxConnectionChecksPerHour.account],
      [service_provider_sid, maxConnectionChecksPerHour.provider],
    ] as const)
      if (sid !== null && (await rates.hit(`connection-checks-per-hour:${sid}`, hourMs)).count > max)
        throwApiError('too_many_requests')
  }
  /** Runs a check within the limits of the tenant. Only administrators learn which ports of a host are open. */
  const runForOwner = async <Result extends Pick<ConnectionCheck, 'gateways'>>(
    { actor, signal }: { actor: Actor; signal: AbortSignal },
    owner: Owner,
    check: () => Promise<Result>,
  ): Promise<Result> => {
    await countForTenant(rates, 'connection-checks', maxConnectionChecksPerMinute, owner)
    if (actor.scope === 'admin') return check()
    await limitPerHour(owner)
    const endsAt = monotonicMs() + connectionTimeoutMs
    const result = hideReasons(await check())
    // A closed port fails at once, a filtered port at the time limit. Waiting makes their times equal, to hide which it is.
    if (result.gateways.some(isHidden)) await pause(Math.max(0, endsAt - monotonicMs()), undefined, { signal })
    return result
  }

  return {
    'POST /patchbay/carriers/:voip_carrier_sid/connection-check': async (context) => {
      const { voip_carrier_sid } = context.params
      const owner = (await owners.voip_carrier(voip_carrier_sid)) ?? throwApiError('not_found')
      return ok(
        await runForOwner(context, owner, () => checks.checkCarrier(context.actor, voip_carrier_sid, context.signal)),
      )
    },

    'POST /patchbay/carriers/connection-check': async (context) => {
      const { gateways, outbound_sip_proxy = null, ...ownerInput } = context.body
      const owner = await resolveOwner(database.db, context.actor, ownerInput)
      const rows = gateways.map(({ port = null, protocol = null, ...gateway }) => ({
        sip_gateway_sid: '',
        ipv4: gateway.ipv4,
        port,
        protocol,
        netmask: gateway.netmask ?? singleAddress,
        outbound: gateway.outbound ?? 0,
        use_sips_scheme: gateway.use_sips_scheme ?? 0,
      }))
      return ok(
        await runForOwner(context, owner, () =>
          checks.checkGateways(context.actor, rows, outbound_sip_proxy, context.signal),
        ),
      )
    },
  }
}
