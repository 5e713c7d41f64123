import { getBlockers } from '@patchbay/contract/api/record-tables'
import type { wholeCarrierEndpoints } from '@patchbay/contract/carriers-with-gateways'
import { assertCanChangeCarriers } from '../../auth/permissions.ts'
import { resolveOwner } from '../../auth/resolve-owner.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok, okOrNotFound } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { checkCreateLimit } from '../shared/creation-limits.ts'
import { createUsesReader } from '../shared/references.ts'
import { countGateways, createWholeCarrierReader, removeCarrierSid, saveGateways } from './carriers-with-gateways.ts'
import { changeVoipCarrier, createVoipCarrier, lockCarrier } from './store.ts'

export const wholeCarrierRoutes = ({
  database,
  write,
  configuration,
  missingSchema,
}: Services): Handlers<keyof typeof wholeCarrierEndpoints> => {
  const readWholeCarrier = createWholeCarrierReader(database, missingSchema)
  const readUsedBy = createUsesReader(database.reader, getBlockers('voip_carriers'))
  const { minNetmask } = configuration

  return {
    'POST /patchbay/carriers': async ({ actor, body: { carrier, ...gateways } }) => {
      assertCanChangeCarriers(configuration, actor)
      const saved = await write(actor, async (tx) => {
        await checkCreateLimit(tx, configuration, actor, 'voip_carriers')
        await checkCreateLimit(tx, configuration, actor, 'sip_gateways', gateways.sip_gateways.length)
        const owner = await resolveOwner(tx.trx, actor, carrier)
        const voip_carrier_sid = await createVoipCarrier(tx, carrier, owner)
        return saveGateways(tx, voip_carrier_sid, gateways, { minNetmask, owner })
      })
      return { status: 201, body: saved }
    },

    'GET /patchbay/carriers/:voip_carrier_sid': ({ params }) => okOrNotFound(readWholeCarrier(params.voip_carrier_sid)),

    'PUT /patchbay/carriers/:voip_carrier_sid': async ({ actor, params, body: { carrier: input, ...gateways } }) => {
      assertCanChangeCarriers(configuration, actor)
      const {
        created_at: _created,
        register_status: _status,
        ...carrier
      } = removeCarrierSid(input, params.voip_carrier_sid)
      const saved = await write(actor, async (tx) => {
        const added = gateways.sip_gateways.filter(({ sip_gateway_sid }) => sip_gateway_sid === undefined)
        await checkCreateLimit(tx, configuration, actor, 'sip_gateways', added.length)
        const current = await lockCarrier(tx, actor, params.voip_carrier_sid)
        const owner = await resolveOwner(tx.trx, actor, carrier, current)
        await changeVoipCarrier(tx, current, carrier, owner)
        return saveGateways(tx, params.voip_carrier_sid, gateways, { minNetmask, owner })
      })
      return ok(saved)
    },

    'GET /patchbay/carriers/:voip_carrier_sid/used-by': async ({ params }) =>
      ok(await readUsedBy(params.voip_carrier_sid)),

    'GET /patchbay/gateway-counts': async ({ actor, query: { voip_carrier_sid } }) =>
      ok(await countGateways(database, actor, voip_carrier_sid)),
  }
}
