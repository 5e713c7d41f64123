import { type AuditAction, auditActions } from '@patchbay/contract/shared/audit'
import { History } from 'lucide-react'
import { defineScreen } from './define-screen.ts'
import { type Given, type ListSearch, listSearch, omitUndefined, parseChoice, textIn } from './list-search-params.ts'

/** The filters of the audit trail in the URL. Filters with default values are left out. */

export const days = ['1', '7', '30', '90'] as const

export interface AuditSearch extends ListSearch {
  days?: (typeof days)[number]
  action?: AuditAction
  /** An unknown kind is ignored. */
  kind?: string
  /** Admins only: the entries of the current provider instead of all. */
  whole?: 'no'
}

/** Parses the filters of the audit trail. */
export const parseAuditSearch = (params: Given): AuditSearch =>
  omitUndefined({
    days: parseChoice(days, params['days']),
    action: parseChoice(auditActions, params['action']),
    kind: textIn(params, 'kind'),
    whole: parseChoice(['no'], params['whole']),
    ...listSearch(params),
  })

export const auditTrail = defineScreen({
  path: '/internal/audit-trail',
  title: 'Audit trail',
  minScope: 'service_provider',
  deniedMessage: 'You do not have permissions to view the audit trail',
  serverExtension: 'audit-trail',
  search: parseAuditSearch,
  menu: { group: 'Manage', icon: History },
  shortcut: 'h',
})
