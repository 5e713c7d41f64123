import type { DependentTable } from '../shared/record-table.ts'

export const alertAcknowledgmentTable = {
  table: 'patchbay_alert_acknowledgments',
  references: {
    account_sid: { to: 'accounts', onDelete: 'cascade', withoutForeignKey: true },
    service_provider_sid: { to: 'service_providers', onDelete: 'cascade', withoutForeignKey: true },
  },
} as const satisfies DependentTable
