import type { RecordTable } from '../shared/record-table.ts'

export const userLengths = { name: 255, email: 255, email_activation_code: 16 } as const

export const userTable = {
  table: 'users',
  key: 'user_sid',
  name: 'name',
  parts: [{ table: 'user_permissions' }],
  references: {
    account_sid: { to: 'accounts', onDelete: 'cascade' },
    service_provider_sid: { to: 'service_providers', onDelete: 'block', errorCode: 'provider_in_use' },
  },
} as const satisfies RecordTable

export const userPermissionTable = {
  table: 'user_permissions',
  key: 'user_permissions_sid',
  references: {
    user_sid: { to: 'users', onDelete: 'database' },
    permission_sid: { to: 'permissions', onDelete: 'block' },
  },
} as const satisfies RecordTable
