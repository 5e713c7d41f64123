import type { RecordTable } from '../shared/record-table.ts'

/** `stored` is the column's length, because encryption makes passwords longer. */
export const clientLengths = { username: 64, password: 128, stored: 1024 } as const

export const clientTable = {
  table: 'clients',
  key: 'client_sid',
  name: 'username',
  references: { account_sid: { to: 'accounts', onDelete: 'cascade' } },
} as const satisfies RecordTable
