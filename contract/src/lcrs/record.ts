import type { RecordTable } from '../shared/record-table.ts'

export const lcrLengths = { name: 64 } as const

export const lcrTable = {
  table: 'lcr',
  key: 'lcr_sid',
  name: 'name',
  plural: 'lcrs',
  parts: [{ table: 'lcr_routes' }, { table: 'lcr_carrier_set_entry' }],
  references: {
    account_sid: { to: 'accounts', onDelete: 'cascade', withoutForeignKey: true },
    service_provider_sid: { to: 'service_providers', onDelete: 'cascade', withoutForeignKey: true },
    default_carrier_set_entry_sid: { to: 'lcr_carrier_set_entry', onDelete: 'clear' },
  },
} as const satisfies RecordTable
