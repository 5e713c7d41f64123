import type { DependentTable } from '../shared/record-table.ts'

export const reviewSettingTable = {
  table: 'patchbay_review_settings',
  references: {
    service_provider_sid: { to: 'service_providers', onDelete: 'cascade', withoutForeignKey: true },
  },
} as const satisfies DependentTable
