import { type AuditAction, auditActions } from '@patchbay/contract/rules/audit'
import { type AuditKind, kindTexts } from '../../page/audit/words.ts'
import { type Given, type ListSearch, listSearch, oneOf, said } from '../../page/list-search.ts'

/** The filters of the audit trail, as the address holds them. What is at its default is left out. */

export const days = ['1', '7', '30', '90'] as const

// The names are those of the record.
export const kinds = Object.keys(kindTexts) as AuditKind[]

export interface AuditSearch extends ListSearch {
  days?: (typeof days)[number]
  action?: AuditAction
  kind?: AuditKind
  /** of admins: beyond the provider they work in */
  whole?: 'yes'
}

export const parseAuditSearch = (given: Given): AuditSearch =>
  said({
    days: oneOf(days, given['days']),
    action: oneOf(auditActions, given['action']),
    kind: oneOf(kinds, given['kind']),
    whole: oneOf(['yes'], given['whole']),
    ...listSearch(given),
  })
