import type { DependentTable } from '../shared/record-table.ts'

export const callShareTable = {
  table: 'patchbay_call_shares',
  references: { account_sid: { to: 'accounts', onDelete: 'cascade', withoutForeignKey: true } },
} as const satisfies DependentTable
