import { api } from '../../../api/client.ts'
import { ApiError } from '../../../api/api-error.ts'
import { config } from '../../../api/configuration.ts'
import { type SavePart, saveInParts } from '../../../form/save-in-parts.ts'
import { requiredSession } from '../../../session/session.ts'
import { toCarrierPayload, type CarrierValues, emptyCarrier } from './carrier-form.ts'
import {
  type CarrierChanges,
  toChanges,
  formField,
  toGatewaysPayload,
  isEmptyChange,
  toSipRowPayload,
} from './changes.ts'
import { toSmppGatewayPayload } from './gateways.ts'

/** Saves a carrier together with its gateways. */

/** Stores the SID of a new row in the form, so that a second save does not create it again. */
export type SetSid = (
  path: `sip_gateways.${number}.sip_gateway_sid` | `smpp_gateways.${number}.smpp_gateway_sid`,
  sid: string,
) => void

/** Saves each gateway with a request of its own. */
const gatewayParts = (
  voip_carrier_sid: string,
  { sip, smpp }: Pick<CarrierChanges, 'sip' | 'smpp'>,
  setSid: SetSid,
): SavePart[] => [
  ...sip.map((changed) => ({
    what: `SIP gateway ${changed.row.ipv4}`,
    save: async () => {
      const body = { ...toSipRowPayload(changed), voip_carrier_sid }
      if (changed.before) {
        const { sip_gateway_sid } = changed.before
        return api('PUT /SipGateways/:sip_gateway_sid', { params: { sip_gateway_sid }, body })
      }
      const { sid } = await api('POST /SipGateways', { body })
      return setSid(`sip_gateways.${changed.index}.sip_gateway_sid`, sid)
    },
  })),
  ...smpp.map(({ index, row, before }) => ({
    what: `SMPP gateway ${row.ipv4}`,
    save: async () => {
      const body = { ...toSmppGatewayPayload(row), voip_carrier_sid }
      if (before) {
        const { smpp_gateway_sid } = before
        return api('PUT /SmppGateways/:smpp_gateway_sid', { params: { smpp_gateway_sid }, body })
      }
      const { sid } = await api('POST /SmppGateways', { body })
      return setSid(`smpp_gateways.${index}.smpp_gateway_sid`, sid)
    },
  })),
]

/** Maps the field of an API error to the row of the form. */
const withFormField = async <Result>(
  changes: Parameters<typeof formField>[1],
  work: Promise<Result>,
): Promise<Result> => {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ApiError) || error.field === undefined) throw error
    const { kind, status, message, detail, requestId } = error
    throw new ApiError(kind, status, message, { field: formField(error.field, changes), detail, requestId })
  }
}

const noGateways: CarrierValues = { ...emptyCarrier, sip_gateways: [] }

const canSaveTogether = () => config().extensions.has('whole-carriers')

/**
 * Creates a carrier with its gateways and returns its SID. Without the `whole-carriers` extension, the carrier is
 * created first and `onCarrierCreated` receives its SID before the gateways are saved.
 */
export const createCarrier = async (
  values: CarrierValues,
  service_provider_sid: string,
  { onCarrierCreated, setSid }: { onCarrierCreated: (voip_carrier_sid: string) => void; setSid: SetSid },
): Promise<string> => {
  const { account_sid: ownAccountSid, scope } = requiredSession().actor
  const changes = toChanges(values, noGateways)
  const carrier = { ...toCarrierPayload(values), service_provider_sid }
  if (canSaveTogether()) {
    const body = {
      carrier: scope === 'account' ? { ...carrier, account_sid: ownAccountSid } : carrier,
      ...toGatewaysPayload(changes),
    }
    return (await withFormField(changes, api('POST /patchbay/carriers', { body }))).voip_carrier_sid
  }
  const { sid } =
    scope === 'account' && ownAccountSid !== null
      ? await api('POST /Accounts/:account_sid/VoipCarriers', { params: { account_sid: ownAccountSid }, body: carrier })
      : await api('POST /ServiceProviders/:service_provider_sid/VoipCarriers', {
          params: { service_provider_sid },
          body: carrier,
        })
  onCarrierCreated(sid)
  await saveInParts(gatewayParts(sid, changes, setSid))
  return sid
}

interface Change {
  voip_carrier_sid: string
  service_provider_sid: string
  values: CarrierValues
  before: CarrierValues
  setSid: SetSid
}

/** Saves the differences. Sends no request if nothing has changed. */
export const changeCarrier = async ({ voip_carrier_sid, service_provider_sid, values, before, setSid }: Change) => {
  const changes = toChanges(values, before)
  if (isEmptyChange(changes)) return
  const { carrier } = changes
  if (canSaveTogether()) {
    const body = { carrier, ...toGatewaysPayload(changes) }
    await withFormField(
      changes,
      api('PUT /patchbay/carriers/:voip_carrier_sid', { params: { voip_carrier_sid }, body }, { once: true }),
    )
    return
  }
  const { account_sid: own, scope } = requiredSession().actor
  const save = () =>
    scope === 'account' && own !== null
      ? api('PUT /Accounts/:account_sid/VoipCarriers/:voip_carrier_sid', {
          params: { account_sid: own, voip_carrier_sid },
          body: carrier,
        })
      : api('PUT /ServiceProviders/:service_provider_sid/VoipCarriers/:voip_carrier_sid', {
          params: { service_provider_sid, voip_carrier_sid },
          body: carrier,
        })
  await saveInParts([
    ...(Object.keys(carrier).length > 0 ? [{ what: 'carrier', save }] : []),
    ...gatewayParts(voip_carrier_sid, changes, setSid),
  ])
}
