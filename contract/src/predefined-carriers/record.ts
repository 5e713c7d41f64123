import type { RecordTable } from '../shared/record-table.ts'

export const predefinedSipGatewayTable = {
  table: 'predefined_sip_gateways',
  key: 'predefined_sip_gateway_sid',
  references: { predefined_carrier_sid: { to: 'predefined_carriers', onDelete: 'block' } },
} as const satisfies RecordTable

export const predefinedSmppGatewayTable = {
  table: 'predefined_smpp_gateways',
  key: 'predefined_smpp_gateway_sid',
  isOptional: true,
  references: { predefined_carrier_sid: { to: 'predefined_carriers', onDelete: 'block' } },
} as const satisfies RecordTable
