import type { AuditAction } from '@patchbay/contract/shared/audit'
import { isRecordKind, type RecordKind, recordKinds } from '@patchbay/contract/shared/record-kinds'
import type { StateTone } from '../../ui/badge.tsx'
import { capitalize } from '../../ui/format/text.ts'

/** Labels of the audit trail. */

export type AuditKind = RecordKind

/** A server may know kinds that this console does not. */
export const kindText = (kind: string): string => (isRecordKind(kind) ? recordKinds[kind] : fieldText(kind))

export const actionLabels: Readonly<Record<AuditAction, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  try: 'tried',
  sign_in: 'signed in',
  sign_out: 'signed out',
  refused: 'rejected',
}

export const actionTones: Readonly<Record<AuditAction, StateTone>> = {
  create: 'good',
  update: 'neutral',
  delete: 'bad',
  try: 'neutral',
  sign_in: 'neutral',
  sign_out: 'neutral',
  refused: 'warn',
}

/** `require_digit`: "Require digit". */
export const fieldText = (field: string): string => {
  const label = field.replaceAll('_', ' ').replace(/\bsid\b/g, 'SID')
  return capitalize(label)
}

const roleLabels = new Map<unknown, string>([
  ['admin', 'administrator'],
  ['service_provider', 'provider user'],
  ['account', 'account user'],
])

/** Formats the stored value of a field. Returns undefined for an empty one. */
export const valueText = (value: unknown, field?: string): string | undefined => {
  if (value === null || value === undefined || value === '') return undefined
  const role = field === 'role' ? roleLabels.get(value) : undefined
  if (role !== undefined) return role
  return typeof value === 'string' ? value : JSON.stringify(value)
}
