import { call } from '../../../api/client.ts'
import { Failure } from '../../../api/failure.ts'
import { runtime } from '../../../api/configuration.ts'
import { type SavePart, saveParts } from '../../../page/form/save-parts.ts'
import { requiredSession } from '../../../session/session.ts'
import { carrierSent, type CarrierValues, emptyCarrier } from './carrier-form.ts'
import { type CarrierChanges, changesOf, formField, gatewaysSent, saysNothing, sipRowSent } from './changes.ts'
import { smppGatewaySent } from './gateways.ts'

/** A carrier and its gateways are one thing to who saves them. */

/** Under what sid a new row is stored now: a second save does not make it again. */
export type SetSid = (
  path: `sip_gateways.${number}.sip_gateway_sid` | `smpp_gateways.${number}.smpp_gateway_sid`,
  sid: string,
) => void

/** The gateways one by one. */
const gatewayParts = (
  voip_carrier_sid: string,
  { sip, smpp }: Pick<CarrierChanges, 'sip' | 'smpp'>,
  setSid: SetSid,
): SavePart[] => [
  ...sip.map((changed) => ({
    what: `SIP gateway ${changed.row.ipv4}`,
    save: async () => {
      const body = { ...sipRowSent(changed), voip_carrier_sid }
      if (changed.before) {
        const { sip_gateway_sid } = changed.before
        return call('PUT /SipGateways/:sip_gateway_sid', { params: { sip_gateway_sid }, body })
      }
      const { sid } = await call('POST /SipGateways', { body })
      return setSid(`sip_gateways.${changed.index}.sip_gateway_sid`, sid)
    },
  })),
  ...smpp.map(({ index, row, before }) => ({
    what: `SMPP gateway ${row.ipv4}`,
    save: async () => {
      const body = { ...smppGatewaySent(row), voip_carrier_sid }
      if (before) {
        const { smpp_gateway_sid } = before
        return call('PUT /SmppGateways/:smpp_gateway_sid', { params: { smpp_gateway_sid }, body })
      }
      const { sid } = await call('POST /SmppGateways', { body })
      return setSid(`smpp_gateways.${index}.smpp_gateway_sid`, sid)
    },
  })),
]

/** What the server refuses is told at the field of the form, by its place there. */
const atFormField = async <Result>(
  changes: Parameters<typeof formField>[1],
  work: Promise<Result>,
): Promise<Result> => {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Failure) || error.field === undefined) throw error
    const { kind, status, message, detail, requestId } = error
    throw new Failure(kind, status, message, { field: formField(error.field, changes), detail, requestId })
  }
}

const noGateways: CarrierValues = { ...emptyCarrier, sip_gateways: [] }

const isWhole = () => runtime().extensions.has('whole-carriers')

/** Makes it; on the wire alone the carrier first, whose sid `made` is told before its gateways follow. */
export const createCarrier = async (
  values: CarrierValues,
  service_provider_sid: string,
  { made, setSid }: { made: (voip_carrier_sid: string) => void; setSid: SetSid },
): Promise<string> => {
  const { account_sid: own, scope } = requiredSession().actor
  const changes = changesOf(values, noGateways)
  const carrier = { ...carrierSent(values), service_provider_sid }
  if (isWhole()) {
    const body = { carrier: scope === 'account' ? { ...carrier, account_sid: own } : carrier, ...gatewaysSent(changes) }
    return (await atFormField(changes, call('POST /patchbay/carriers', { body }))).voip_carrier_sid
  }
  const { sid } =
    scope === 'account' && own !== null
      ? await call('POST /Accounts/:account_sid/VoipCarriers', { params: { account_sid: own }, body: carrier })
      : await call('POST /ServiceProviders/:service_provider_sid/VoipCarriers', {
          params: { service_provider_sid },
          body: carrier,
        })
  made(sid)
  await saveParts(gatewayParts(sid, changes, setSid))
  return sid
}

interface Change {
  voip_carrier_sid: string
  service_provider_sid: string
  values: CarrierValues
  before: CarrierValues
  setSid: SetSid
}

/** Saves what differs; where nothing does, nothing is sent. */
export const changeCarrier = async ({ voip_carrier_sid, service_provider_sid, values, before, setSid }: Change) => {
  const changes = changesOf(values, before)
  if (saysNothing(changes)) return
  const { carrier } = changes
  if (isWhole()) {
    const body = { carrier, ...gatewaysSent(changes) }
    await atFormField(changes, call('PUT /patchbay/carriers/:voip_carrier_sid', { params: { voip_carrier_sid }, body }))
    return
  }
  const { account_sid: own, scope } = requiredSession().actor
  const save = () =>
    scope === 'account' && own !== null
      ? call('PUT /Accounts/:account_sid/VoipCarriers/:voip_carrier_sid', {
          params: { account_sid: own, voip_carrier_sid },
          body: carrier,
        })
      : call('PUT /ServiceProviders/:service_provider_sid/VoipCarriers/:voip_carrier_sid', {
          params: { service_provider_sid, voip_carrier_sid },
          body: carrier,
        })
  await saveParts([
    ...(Object.keys(carrier).length > 0 ? [{ what: 'carrier', save }] : []),
    ...gatewayParts(voip_carrier_sid, changes, setSid),
  ])
}
