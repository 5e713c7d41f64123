import { type Answer, api, type Input } from '../api/client.ts'
import { type SavePart, saveInParts } from '../form/save-in-parts.ts'
import { requiredSession } from '../session/session.ts'

/** Reads a carrier and its gateways one by one. Saves the carrier first, and then each of its gateways. */

export const readCarrier: Answer<'GET /patchbay/carriers/:voip_carrier_sid'> = async ({ params }, options) => {
  const [carrier, sip_gateways, smpp_gateways] = await Promise.all([
    api<'GET /VoipCarriers/:voip_carrier_sid'>('GET /VoipCarriers/:voip_carrier_sid', { params }, options),
    api('GET /SipGateways', { query: params }, options),
    api('GET /SmppGateways', { query: params }, options),
  ])
  return { carrier, sip_gateways, smpp_gateways }
}

type Gateways = Pick<Input<'PUT /patchbay/carriers/:voip_carrier_sid'>['body'], 'sip_gateways' | 'smpp_gateways'>

/** Returns the parts of a save, and its response, in which the SIDs of gateways are empty until they are saved. */
const toGatewayParts = (voip_carrier_sid: string, { sip_gateways = [], smpp_gateways = [] }: Gateways) => {
  const answer = {
    voip_carrier_sid,
    sip_gateway_sids: sip_gateways.map(({ sip_gateway_sid = '' }) => sip_gateway_sid),
    smpp_gateway_sids: smpp_gateways.map(({ smpp_gateway_sid = '' }) => smpp_gateway_sid),
  }
  const parts: SavePart[] = [
    ...sip_gateways.map(({ sip_gateway_sid, ...gateway }, at) => ({
      what: `SIP gateway ${gateway.ipv4}`,
      save: async () => {
        const body = { ...gateway, voip_carrier_sid }
        if (sip_gateway_sid !== undefined)
          return api('PUT /SipGateways/:sip_gateway_sid', { params: { sip_gateway_sid }, body })
        const { sid } = await api('POST /SipGateways', { body })
        answer.sip_gateway_sids[at] = sid
        return sid
      },
    })),
    ...smpp_gateways.map(({ smpp_gateway_sid, ...gateway }, at) => ({
      what: `SMPP gateway ${gateway.ipv4}`,
      save: async () => {
        const body = { ...gateway, voip_carrier_sid }
        if (smpp_gateway_sid !== undefined)
          return api('PUT /SmppGateways/:smpp_gateway_sid', { params: { smpp_gateway_sid }, body })
        const { sid } = await api('POST /SmppGateways', { body })
        answer.smpp_gateway_sids[at] = sid
        return sid
      },
    })),
  ]
  return { parts, answer }
}

/** Returns the account of a user who has access to that account only. */
const getOwnAccount = (): string | null => {
  const { scope, account_sid } = requiredSession().actor
  return scope === 'account' ? account_sid : null
}

export const createCarrier: Answer<'POST /patchbay/carriers'> = async ({ body: { carrier, ...gateways } }) => {
  const account_sid = getOwnAccount()
  const { sid } =
    account_sid === null
      ? await api('POST /ServiceProviders/:service_provider_sid/VoipCarriers', {
          params: { service_provider_sid: carrier.service_provider_sid ?? '' },
          body: carrier,
        })
      : await api('POST /Accounts/:account_sid/VoipCarriers', { params: { account_sid }, body: carrier })
  const { parts, answer } = toGatewayParts(sid, gateways)
  await saveInParts(parts, answer)
  return answer
}

export const changeCarrier: Answer<'PUT /patchbay/carriers/:voip_carrier_sid'> = async ({
  params: { voip_carrier_sid },
  body: { carrier = {}, ...gateways },
}) => {
  const save = async () => {
    const account_sid = getOwnAccount()
    if (account_sid !== null)
      return api('PUT /Accounts/:account_sid/VoipCarriers/:voip_carrier_sid', {
        params: { account_sid, voip_carrier_sid },
        body: carrier,
      })
    const { service_provider_sid } = await api('GET /VoipCarriers/:voip_carrier_sid', { params: { voip_carrier_sid } })
    return api('PUT /ServiceProviders/:service_provider_sid/VoipCarriers/:voip_carrier_sid', {
      params: { service_provider_sid: service_provider_sid ?? '', voip_carrier_sid },
      body: carrier,
    })
  }
  const { parts, answer } = toGatewayParts(voip_carrier_sid, gateways)
  await saveInParts([...(Object.keys(carrier).length > 0 ? [{ what: 'carrier', save }] : []), ...parts], answer)
  return answer
}
