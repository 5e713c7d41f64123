import { changedMembers } from '../../../form/changed-members.ts'
import { toCarrierPayload, type CarrierValues } from './carrier-form.ts'
import { type SipGatewayValues, toSipGatewayPayload, type SmppGatewayValues, toSmppGatewayPayload } from './gateways.ts'

/** What of a carrier and its gateways is saved. */

/** A row that is to be saved, by its place in the form. */
interface ChangedRow<Row> {
  index: number
  row: Row
  /** as it is stored; undefined for a new one */
  before: Row | undefined
}

const changedRows = <Row>(
  rows: readonly Row[],
  before: readonly Row[],
  sidOf: (row: Row) => string,
): ChangedRow<Row>[] => {
  const stored = new Map(before.map((row) => [sidOf(row), row]))
  return rows
    .map((row, index) => ({ index, row, before: stored.get(sidOf(row)) }))
    .filter((changed) => JSON.stringify(changed.row) !== JSON.stringify(changed.before))
}

export interface CarrierChanges {
  carrier: Partial<ReturnType<typeof toCarrierPayload>>
  sip: ChangedRow<SipGatewayValues>[]
  smpp: ChangedRow<SmppGatewayValues>[]
}

/** What of the form differs from what is stored. */
export const toChanges = (values: CarrierValues, before: CarrierValues): CarrierChanges => ({
  carrier: changedMembers(toCarrierPayload(values), toCarrierPayload(before)),
  sip: changedRows(values.sip_gateways, before.sip_gateways, ({ sip_gateway_sid }) => sip_gateway_sid),
  smpp: changedRows(values.smpp_gateways, before.smpp_gateways, ({ smpp_gateway_sid }) => smpp_gateway_sid),
})

export const saysNothing = ({ carrier, sip, smpp }: CarrierChanges): boolean =>
  Object.keys(carrier).length === 0 && sip.length === 0 && smpp.length === 0

/**
 * The whole gateway: the platform's own server checks what is sent, never what is stored (api/2-telephony.md §4.4). Of
 * what its older versions lack, that alone which says something.
 */
export const toSipRowPayload = ({ row, before }: ChangedRow<SipGatewayValues>) => {
  const { remove_ice, dtls_off, ...gateway } = toSipGatewayPayload(row)
  return {
    ...gateway,
    ...(remove_ice || before?.remove_ice ? { remove_ice } : {}),
    ...(dtls_off || before?.dtls_off ? { dtls_off } : {}),
  }
}

/** The gateways as the one request takes them. */
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

/** A field of that request by its place in the form. */
export const formField = (field: string, { sip, smpp }: Pick<CarrierChanges, 'sip' | 'smpp'>): string => {
  const [, kind, index, member] = /^(sip|smpp)_gateways\.(\d+)\.(\w+)$/.exec(field) ?? []
  const changed = (kind === 'sip' ? sip : smpp)[Number(index)]
  return kind && changed ? `${kind}_gateways.${changed.index}.${member}` : field.replace(/^carrier\./, '')
}
