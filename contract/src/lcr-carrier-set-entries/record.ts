import type { RecordTable } from '../shared/record-table.ts'

export const lcrCarrierSetEntryTable = {
  table: 'lcr_carrier_set_entry',
  key: 'lcr_carrier_set_entry_sid',
  references: {
    lcr_route_sid: { to: 'lcr_routes', onDelete: 'cascade' },
    voip_carrier_sid: {
      to: 'voip_carriers',
      onDelete: 'block',
      as: 'lcrs',
      through: ['lcr_route_sid', 'lcr_sid'],
      reason: 'with active outbound call routes',
    },
  },
} as const satisfies RecordTable
