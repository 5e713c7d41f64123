import { ApiError } from '../../../api/api-error.ts'
import { api } from '../../../api/client.ts'
import { PartialFailure } from '../../../form/save-in-parts.ts'
import type { SaveOptions } from '../../../form/use-record-form.tsx'
import { requiredSession } from '../../../session/session.ts'
import { type CarrierValues, emptyCarrier, toCarrierPayload } from './carrier-form.ts'
import { type CarrierChanges, formField, isEmptyChange, toChanges, toGatewaysPayload } from './changes.ts'

/** Saves a carrier together with its gateways. */

/** Stores the SID of a new row in the form, so that a second save does not create it again. */
export type SetSid = (
  path: `sip_gateways.${number}.sip_gateway_sid` | `smpp_gateways.${number}.smpp_gateway_sid`,
  sid: string,
) => void

/** The SIDs of gateways that a save has stored although it failed in part, in the order of the request. */
interface SavedSids {
  sip_gateway_sids: readonly string[]
  smpp_gateway_sids: readonly string[]
}

/** Sets the SIDs of the rows that were saved. */
const setSavedSids = ({ sip, smpp }: CarrierChanges, { answer }: PartialFailure, setSid: SetSid): void => {
  // The cast is safe: a save that fails in part has the response of a complete one, as far as it got.
  const { sip_gateway_sids, smpp_gateway_sids } = answer as unknown as SavedSids
  for (const [at, { index }] of sip.entries())
    if (sip_gateway_sids[at]) setSid(`sip_gateways.${index}.sip_gateway_sid`, sip_gateway_sids[at])
  for (const [at, { index }] of smpp.entries())
    if (smpp_gateway_sids[at]) setSid(`smpp_gateways.${index}.smpp_gateway_sid`, smpp_gateway_sids[at])
}

/** Relates the failure of a save to the form: its field, or the rows that were saved. */
const withForm = async <Result>(changes: CarrierChanges, setSid: SetSid, work: Promise<Result>): Promise<Result> => {
  try {
    return await work
  } catch (error) {
    if (error instanceof PartialFailure) setSavedSids(changes, error, setSid)
    if (!(error instanceof ApiError) || error instanceof PartialFailure || error.field === undefined) throw error
    const { kind, status, message, detail, requestId } = error
    throw new ApiError(kind, status, message, { field: formField(error.field, changes), detail, requestId })
  }
}

const noGateways: CarrierValues = { ...emptyCarrier, sip_gateways: [] }

/** Creates a carrier with its gateways and returns its SID. */
export const createCarrier = async (
  values: CarrierValues,
  service_provider_sid: string,
  setSid: SetSid,
): Promise<string> => {
  const { account_sid: ownAccountSid, scope } = requiredSession().actor
  const changes = toChanges(values, noGateways)
  const carrier = { ...toCarrierPayload(values), service_provider_sid }
  const body = {
    carrier: scope === 'account' ? { ...carrier, account_sid: ownAccountSid } : carrier,
    ...toGatewaysPayload(changes),
  }
  return (await withForm(changes, setSid, api('POST /patchbay/carriers', { body }))).voip_carrier_sid
}

interface Change {
  voip_carrier_sid: string
  values: CarrierValues
  before: CarrierValues
  setSid: SetSid
  /** Absent for a carrier that this form has created. */
  options?: SaveOptions
}

/** Saves the differences. Sends no request if nothing has changed. */
export const changeCarrier = async (change: Change): Promise<void> => {
  const { voip_carrier_sid, values, before, setSid, options } = change
  const changes = toChanges(values, before)
  if (isEmptyChange(changes)) return
  const body = { carrier: changes.carrier, ...toGatewaysPayload(changes) }
  await withForm(
    changes,
    setSid,
    api('PUT /patchbay/carriers/:voip_carrier_sid', { params: { voip_carrier_sid }, body }, { ...options, once: true }),
  )
}
