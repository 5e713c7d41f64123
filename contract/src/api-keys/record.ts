import type { DependentTable, RecordTable } from '../shared/record-table.ts'

export const apiKeyLengths = { name: 64 } as const

export const apiKeyTable = {
  table: 'api_keys',
  key: 'api_key_sid',
  name: 'token',
  isNameSecret: true,
  references: {
    account_sid: { to: 'accounts', onDelete: 'cascade', blocksMembers: true },
    service_provider_sid: { to: 'service_providers', onDelete: 'cascade' },
  },
} as const satisfies RecordTable

export const apiKeyNameTable = {
  table: 'patchbay_api_key_names',
  references: { api_key_sid: { to: 'api_keys', onDelete: 'cascade', withoutForeignKey: true } },
} as const satisfies DependentTable
