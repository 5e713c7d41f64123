import type { carrierHealthEndpoints } from '@patchbay/contract/carrier-health'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { createCarrierHealth } from './carrier-health.ts'
import { readHealthHistory } from './health-history.ts'

export const carrierHealthRoutes = ({
  database,
  configuration,
  platformHealth: health,
  callActivity,
  captures,
}: Services): Handlers<keyof typeof carrierHealthEndpoints> => {
  const { list, find } = createCarrierHealth({
    database,
    health,
    callActivity,
    pingTtlSeconds: configuration.pingTtlSeconds,
    captures,
  })
  return {
    'GET /patchbay/carriers/:voip_carrier_sid/health': async ({ actor, params }) =>
      ok(await find(actor, params.voip_carrier_sid)),

    'GET /patchbay/carriers/:voip_carrier_sid/health-changes': async ({ params, query: { page, count } }) => {
      const request = { page: Number(page), pageSize: Number(count), now: Date.now() }
      return ok({ ...(await readHealthHistory(database, params.voip_carrier_sid, request)), page, page_size: count })
    },

    'GET /patchbay/carrier-health': async ({ actor, query }) => ok(await list(actor, query.voip_carrier_sid)),
  }
}
