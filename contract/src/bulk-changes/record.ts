import type { DependentTable } from '../shared/record-table.ts'

export const bulkChangeLengths = { reason: 300 } as const

/** A bulk change is deleted with the user or API key that requested it, because no other can read it. It then ends. */
export const bulkChangeTable = {
  table: 'patchbay_bulk_changes',
  key: 'bulk_change_sid',
  references: {
    user_sid: { to: 'users', onDelete: 'cascade', withoutForeignKey: true },
    api_key_sid: { to: 'api_keys', onDelete: 'cascade', withoutForeignKey: true },
    account_sid: { to: 'accounts', onDelete: 'cascade', withoutForeignKey: true },
    service_provider_sid: { to: 'service_providers', onDelete: 'cascade', withoutForeignKey: true },
  },
} as const satisfies DependentTable

export const bulkChangeRecordTable = {
  table: 'patchbay_bulk_change_records',
  references: {
    bulk_change_sid: { to: 'patchbay_bulk_changes', onDelete: 'cascade', withoutForeignKey: true },
  },
} as const satisfies DependentTable
