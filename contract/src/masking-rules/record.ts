import type { DependentTable } from '../shared/record-table.ts'

export const maskingRuleTable = {
  table: 'patchbay_masking_rules',
  references: {
    service_provider_sid: { to: 'service_providers', onDelete: 'cascade', withoutForeignKey: true },
  },
} as const satisfies DependentTable
