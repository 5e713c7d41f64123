import type { DependentTable } from '../shared/record-table.ts'

/** Older alerts are not new, also to users who have never opened the list. */
export const newAlertDays = 30

export const seenAlertTable = {
  table: 'patchbay_seen_alerts',
  references: {
    user_sid: { to: 'users', onDelete: 'cascade', withoutForeignKey: true },
    account_sid: { to: 'accounts', onDelete: 'cascade', withoutForeignKey: true },
    service_provider_sid: { to: 'service_providers', onDelete: 'cascade', withoutForeignKey: true },
  },
} as const satisfies DependentTable
