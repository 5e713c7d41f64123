import { setTimeout as pause } from 'node:timers/promises'
import type { Owner } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import type {
  ConnectionCheck,
  carrierConnectionCheckEndpoints,
  GatewayCheck,
} from '@patchbay/contract/carrier-connection-check'
import { connectionTimeoutMs, publicFailures } from '@patchbay/contract/shared/connection-check'
import { hourMs } from '@patchbay/contract/shared/durations'
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
const hideReasons = (result: ConnectionCheck): ConnectionCheck => ({
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
  const check = createConnectionCheck({
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
  return {
    'POST /patchbay/carriers/:voip_carrier_sid/connection-check': async ({ actor, params, signal }) => {
      const { voip_carrier_sid } = params
      const owner = (await owners.voip_carrier(voip_carrier_sid)) ?? throwApiError('not_found')
      await countForTenant(rates, 'connection-checks', maxConnectionChecksPerMinute, owner)
      if (actor.scope === 'admin') return ok(await check(actor, voip_carrier_sid, signal))
      await limitPerHour(owner)
      const endsAt = monotonicMs() + connectionTimeoutMs
      const result = hideReasons(await check(actor, voip_carrier_sid, signal))
      // A closed port fails at once, a filtered port at the time limit. Waiting makes their times equal, to hide which it is.
      if (result.gateways.some(isHidden)) await pause(Math.max(0, endsAt - monotonicMs()), undefined, { signal })
      return ok(result)
    },
  }
}
