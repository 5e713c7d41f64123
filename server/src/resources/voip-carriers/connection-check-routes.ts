import type { carrierConnectionCheckEndpoints } from '@patchbay/contract/carrier-connection-check'
import { throwApiError } from '@patchbay/contract/errors'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
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

/** Gateways that a process checks at the same time. Each keeps a socket for at most 3 seconds. */
const concurrentGateways = 20

/** Checks that a tenant can have running or waiting. */
const maxChecksPerTenant = 4

export const connectionCheckRoutes = ({
  database,
  configuration,
  platformHealth: health,
  callActivity,
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
    }),
    calls,
    queue: createFairQueue({ name: 'connection_checks', concurrency: concurrentGateways, max: maxChecksPerTenant }),
  })
  return {
    'POST /patchbay/carriers/:voip_carrier_sid/connection-check': async ({ actor, params, signal }) => {
      const { voip_carrier_sid } = params
      const owner = (await owners.voip_carrier(voip_carrier_sid)) ?? throwApiError('not_found')
      await countForTenant(rates, 'connection-checks', maxConnectionChecksPerMinute, owner)
      return ok(await check(actor, voip_carrier_sid, signal))
    },
  }
}
