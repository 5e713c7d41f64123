import type { DependentTable } from '../shared/record-table.ts'

export const seenAlertTable = {
  table: 'patchbay_seen_alerts',
  references: {
    user_sid: { to: 'users', onDelete: 'cascade', withoutForeignKey: true },
    account_sid: { to: 'accounts', onDelete: 'cascade', withoutForeignKey: true },
    service_provider_sid: { to: 'service_providers', onDelete: 'cascade', withoutForeignKey: true },
  },
} as const satisfies DependentTable
