import { type Actor, isAtLeast } from '@patchbay/contract/api/access'
import {
  type BulkField,
  type BulkFieldName,
  bulkFields,
  type UpdatableKind,
} from '@patchbay/contract/bulk-changes/fields'
import type { BulkKindName } from '@patchbay/contract/bulk-changes/kinds'
import { config } from '../../api/configuration.ts'

/** The fields that can be changed for several records of a kind, as the forms of one record name them. */

type Labels<Kind extends UpdatableKind> = Readonly<Record<Exclude<BulkFieldName<Kind>, 'is_active'>, string | null>>

/** A field without a label is not in the form either. */
const labels: { readonly [Kind in UpdatableKind]: Labels<Kind> } = {
  account: { record_all_calls: 'Record all calls', disable_cdrs: null, enable_debug_log: null },
  alert_destination: { once_per_hour: 'Only the first alert of each type per hour' },
  application: { account_sid: 'Account', record_all_calls: 'Record all calls' },
  client: {
    account_sid: 'Account',
    allow_direct_app_calling: 'Allow direct calling to applications',
    allow_direct_queue_calling: 'Allow direct calling to queues',
    allow_direct_user_calling: 'Allow direct calling to users',
  },
  ms_teams_tenant: { account_sid: 'Account', application_sid: 'Application' },
  phone_number: { account_sid: 'Account', application_sid: 'Application' },
  user: { force_change: 'Force password change', is_view_only: 'View-only User' },
  voip_carrier: {
    account_sid: 'Used by',
    application_sid: 'Default application',
    dtmf_type: 'DTMF type',
    e164_leading_plus: 'E.164 syntax',
  },
}

export interface EditableField extends BulkField {
  name: string
  label: string
}

const isUpdatable = (kind: BulkKindName): kind is UpdatableKind => kind in bulkFields

const isOffered = (kind: UpdatableKind, { type }: BulkField, actor: Actor): boolean => {
  if (type === 'account') return isAtLeast(actor.scope, 'service_provider')
  const isRouting = kind === 'voip_carrier' && type === 'application'
  return !isRouting || actor.scope === 'admin' || !config().switches.has('no-default-trunk-routing')
}

/** Returns the fields that the actor can change for several records of a kind. */
export const listEditableFields = (kind: BulkKindName, actor: Actor): EditableField[] => {
  if (!isUpdatable(kind)) return []
  const fields: Readonly<Record<string, BulkField>> = bulkFields[kind]
  return Object.entries(labels[kind]).flatMap(([name, label]: [string, string | null]) => {
    const field = fields[name]
    return field && label !== null && isOffered(kind, field, actor) ? [{ ...field, name, label }] : []
  })
}

/** Returns whether records of a kind can be enabled and disabled, by `is_active`. */
export const hasState = (kind: BulkKindName): boolean => isUpdatable(kind) && 'is_active' in bulkFields[kind]
