import { changedMembers } from '../../../form/changed-members.ts'
import { type CarrierValues, toCarrierPayload } from './carrier-form.ts'
import { type SipGatewayValues, type SmppGatewayValues, toSipGatewayPayload, toSmppGatewayPayload } from './gateways.ts'

/** Determines which parts of a carrier and its gateways have to be saved. */

/** A new or changed row, with its index in the form. */
interface ChangedRow<Row> {
  index: number
  row: Row
  /** The stored row, or undefined for a new row. */
  before: Row | undefined
}

const findChangedRows = <Row>(
  rows: readonly Row[],
  before: readonly Row[],
  getSid: (row: Row) => string,
): ChangedRow<Row>[] => {
  const stored = new Map(before.map((row) => [getSid(row), row]))
  return rows
    .map((row, index) => ({ index, row, before: stored.get(getSid(row)) }))
    .filter((changed) => JSON.stringify(changed.row) !== JSON.stringify(changed.before))
}

export interface CarrierChanges {
  carrier: Partial<ReturnType<typeof toCarrierPayload>>
  sip: ChangedRow<SipGatewayValues>[]
  smpp: ChangedRow<SmppGatewayValues>[]
}

/** Returns the differences between the form and the stored carrier. */
export const toChanges = (values: CarrierValues, before: CarrierValues): CarrierChanges => ({
  carrier: changedMembers(toCarrierPayload(values), toCarrierPayload(before)),
  sip: findChangedRows(values.sip_gateways, before.sip_gateways, ({ sip_gateway_sid }) => sip_gateway_sid),
  smpp: findChangedRows(values.smpp_gateways, before.smpp_gateways, ({ smpp_gateway_sid }) => smpp_gateway_sid),
})

export const isEmptyChange = ({ carrier, sip, smpp }: CarrierChanges): boolean =>
  Object.keys(carrier).length === 0 && sip.length === 0 && smpp.length === 0

/**
 * Returns the whole gateway, because jambonz validates the request body and never the stored row
 * (docs/reference/platform-api/carriers.md#gateway-rules). Flags that older versions of jambonz lack are sent only if
 * they are set or change.
 */
export const toSipRowPayload = ({ row, before }: ChangedRow<SipGatewayValues>) => {
  const { remove_ice, dtls_off, ...gateway } = toSipGatewayPayload(row)
  return {
    ...gateway,
    ...(remove_ice || before?.remove_ice ? { remove_ice } : {}),
    ...(dtls_off || before?.dtls_off ? { dtls_off } : {}),
  }
}

/** Returns the gateways in the format of the combined request. */
export const toGatewaysPayload = ({ sip, smpp }: Pick<CarrierChanges, 'sip' | 'smpp'>) => ({
  sip_gateways: sip.map((changed) => ({
    ...toSipRowPayload(changed),
    ...(changed.before && { sip_gateway_sid: changed.before.sip_gateway_sid }),
  })),
  smpp_gateways: smpp.map(({ row, before }) => ({
    ...toSmppGatewayPayload(row),
    ...(before && { smpp_gateway_sid: before.smpp_gateway_sid }),
  })),
})

/** Maps a field of that request to the field of the form. */
export const formField = (field: string, { sip, smpp }: Pick<CarrierChanges, 'sip' | 'smpp'>): string => {
  const [, kind, index, member] = /^(sip|smpp)_gateways\.(\d+)\.(\w+)$/.exec(field) ?? []
  const changed = (kind === 'sip' ? sip : smpp)[Number(index)]
  return kind && changed ? `${kind}_gateways.${changed.index}.${member}` : field.replace(/^carrier\./, '')
}
