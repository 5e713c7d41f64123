import type { RecordTable } from '../shared/record-table.ts'

export const accountLimitTable = {
  table: 'account_limits',
  key: 'account_limits_sid',
  references: { account_sid: { to: 'accounts', onDelete: 'database' } },
} as const satisfies RecordTable

export const providerLimitTable = {
  table: 'service_provider_limits',
  key: 'service_provider_limits_sid',
  references: { service_provider_sid: { to: 'service_providers', onDelete: 'database' } },
} as const satisfies RecordTable
