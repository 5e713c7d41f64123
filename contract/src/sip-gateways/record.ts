import type { RecordTable } from '../shared/record-table.ts'

export const gatewayLengths = { ipv4: 128 } as const

export const sipGatewayTable = {
  table: 'sip_gateways',
  key: 'sip_gateway_sid',
  references: { voip_carrier_sid: { to: 'voip_carriers', onDelete: 'cascade' } },
} as const satisfies RecordTable
