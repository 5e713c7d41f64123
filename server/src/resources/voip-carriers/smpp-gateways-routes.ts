import { throwApiError } from '@patchbay/contract/api/errors'
import type { smppGatewayEndpoints } from '@patchbay/contract/smpp-gateways'
import type { Handlers } from '../../http/contract-router.ts'
import { createdSid, ok, okOrNotFound } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { checkCarrierReadable, resolveCarrierOwner } from './resolve-carrier-owner.ts'
import { addSmppGateway, changeSmppGateway, createSmppGatewayStore, removeSmppGateway } from './smpp-gateways.ts'

export const smppGatewayRoutes = ({
  database,
  missingSchema,
  write,
  owners,
}: Services): Handlers<keyof typeof smppGatewayEndpoints> => {
  const gateways = createSmppGatewayStore(database)
  const getOwner = async (smpp_gateway_sid: string) =>
    (await owners.smpp_gateway(smpp_gateway_sid)) ?? throwApiError('not_found')

  return {
    'GET /SmppGateways': async ({ actor, query: { voip_carrier_sid } }) => {
      await checkCarrierReadable(owners, actor, voip_carrier_sid)
      return ok(missingSchema.has('smpp_gateways') ? [] : await gateways.ofCarrier(voip_carrier_sid))
    },

    'POST /SmppGateways': async ({ actor, body }) => {
      const owner = await resolveCarrierOwner(owners, actor, body.voip_carrier_sid)
      if (missingSchema.has('smpp_gateways'))
        return throwApiError('invalid', { msg: 'the platform has no SMPP gateways' })
      return createdSid(write(actor, (tx) => addSmppGateway(tx, body, owner)))
    },

    'GET /SmppGateways/:smpp_gateway_sid': ({ params }) => okOrNotFound(gateways.read(params.smpp_gateway_sid)),

    'PUT /SmppGateways/:smpp_gateway_sid': async ({ actor, params: { smpp_gateway_sid }, body }) => {
      const owner = await getOwner(smpp_gateway_sid)
      await write(actor, (tx) => changeSmppGateway(tx, smpp_gateway_sid, body, owner))
    },

    'DELETE /SmppGateways/:smpp_gateway_sid': async ({ actor, params: { smpp_gateway_sid } }) => {
      const owner = await getOwner(smpp_gateway_sid)
      await write(actor, (tx) => removeSmppGateway(tx, smpp_gateway_sid, owner))
    },
  }
}
