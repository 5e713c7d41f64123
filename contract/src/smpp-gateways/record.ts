import type { RecordTable } from '../shared/record-table.ts'

export const smppGatewayTable = {
  table: 'smpp_gateways',
  key: 'smpp_gateway_sid',
  isOptional: true,
  references: { voip_carrier_sid: { to: 'voip_carriers', onDelete: 'cascade' } },
} as const satisfies RecordTable
