import type { DependentTable } from '../shared/record-table.ts'

export const signInLinkTable = {
  table: 'patchbay_sign_in_links',
  references: { user_sid: { to: 'users', onDelete: 'cascade', withoutForeignKey: true } },
} as const satisfies DependentTable

export const linkTicketTable = {
  table: 'patchbay_link_tickets',
  references: { user_sid: { to: 'users', onDelete: 'cascade', withoutForeignKey: true } },
} as const satisfies DependentTable
