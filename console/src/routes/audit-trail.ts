import { History } from 'lucide-react'
import { defineScreen } from './define-screen.ts'
import { type AuditAction, auditActions } from '@patchbay/contract/shared/audit'
import { type Given, type ListSearch, listSearch, parseOneOf, omitUndefined, textIn } from './list-search-params.ts'

/** The filters of the audit trail, as the address holds them. What is at its default is left out. */

export const days = ['1', '7', '30', '90'] as const

export interface AuditSearch extends ListSearch {
  days?: (typeof days)[number]
  action?: AuditAction
  /** one that is not known narrows nothing */
  kind?: string
  /** of admins: beyond the provider they work in */
  whole?: 'yes'
}

export const parseAuditSearch = (given: Given): AuditSearch =>
  omitUndefined({
    days: parseOneOf(days, given['days']),
    action: parseOneOf(auditActions, given['action']),
    kind: textIn(given, 'kind'),
    whole: parseOneOf(['yes'], given['whole']),
    ...listSearch(given),
  })

export const auditTrail = defineScreen({
  path: '/internal/audit-trail',
  title: 'Audit trail',
  minScope: 'service_provider',
  deniedMessage: 'You do not have permissions to view the audit trail',
  serverExtension: 'audit-trail',
  search: parseAuditSearch,
  menu: { group: 'general', icon: History },
  shortcut: 'h',
})
