import type { DependentTable } from '../shared/record-table.ts'

export const savedViewTable = {
  table: 'patchbay_saved_views',
  references: { user_sid: { to: 'users', onDelete: 'cascade', withoutForeignKey: true } },
} as const satisfies DependentTable

export const listColumnsTable = {
  table: 'patchbay_list_columns',
  references: { user_sid: { to: 'users', onDelete: 'cascade', withoutForeignKey: true } },
} as const satisfies DependentTable
