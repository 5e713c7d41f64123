import { throwApiError } from '@patchbay/contract/api/errors'
import type { sipGatewayEndpoints } from '@patchbay/contract/sip-gateways'
import { assertCanChangeCarriers } from '../../auth/permissions.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { created, ok, okOrNotFound } from '../../http/responses.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { checkCreateLimit } from '../shared/creation-limits.ts'
import { checkCarrierReadable, resolveCarrierOwner } from './resolve-carrier-owner.ts'
import { addSipGateway, changeSipGateway, createSipGatewayStore, removeSipGateway } from './sip-gateways.ts'

export const sipGatewayRoutes = ({
  database,
  write,
  owners,
  configuration,
  missingSchema,
}: Services): Handlers<keyof typeof sipGatewayEndpoints> => {
  const gateways = createSipGatewayStore(database, missingSchema)
  const { minNetmask } = configuration

  const getOwner = async (sip_gateway_sid: string) =>
    (await owners.sip_gateway(sip_gateway_sid)) ?? throwApiError('not_found')
  const assertCanChange = (actor: Caller) => assertCanChangeCarriers(configuration, actor)

  return {
    'GET /SipGateways': async ({ actor, query: { voip_carrier_sid } }) => {
      await checkCarrierReadable(owners, actor, voip_carrier_sid)
      return ok(await gateways.ofCarrier(voip_carrier_sid))
    },

    'POST /SipGateways': async ({ actor, body }) => {
      assertCanChange(actor)
      const owner = await resolveCarrierOwner(owners, actor, body.voip_carrier_sid)
      const sid = await write(actor, async (tx) => {
        await checkCreateLimit(tx, configuration, actor, 'sip_gateways')
        return addSipGateway(tx, body, { minNetmask, owner })
      })
      return created({ sid })
    },

    'GET /SipGateways/:sip_gateway_sid': ({ params }) => okOrNotFound(gateways.read(params.sip_gateway_sid)),

    'PUT /SipGateways/:sip_gateway_sid': async ({ actor, params: { sip_gateway_sid }, body }) => {
      assertCanChange(actor)
      const owner = await getOwner(sip_gateway_sid)
      await write(actor, (tx) => changeSipGateway(tx, sip_gateway_sid, body, { minNetmask, owner }))
    },

    'DELETE /SipGateways/:sip_gateway_sid': async ({ actor, params: { sip_gateway_sid } }) => {
      assertCanChange(actor)
      const owner = await getOwner(sip_gateway_sid)
      await write(actor, (tx) => removeSipGateway(tx, sip_gateway_sid, owner))
    },
  }
}
