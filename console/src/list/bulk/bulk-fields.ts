import type { BulkKindName } from '@patchbay/contract/bulk-changes/kinds'

/** The fields that can be changed for several records of a kind, as the forms of one record name them. */

interface BulkField {
  name: string
  label: string
}

interface BulkFields {
  /** Whether records can be enabled and disabled, by `is_active`. */
  hasState?: true
  /** Fields that are on or off. */
  flags?: readonly BulkField[]
  /** The records cannot be deleted together. */
  isKept?: true
}

export const bulkFields: Partial<Record<BulkKindName, BulkFields>> = {
  account: {
    flags: [{ name: 'record_all_calls', label: 'Record all calls' }],
    isKept: true,
  },
  alert_destination: {
    hasState: true,
    flags: [{ name: 'once_per_hour', label: 'Only the first alert of each type per hour' }],
  },
  application: { flags: [{ name: 'record_all_calls', label: 'Record all calls' }] },
  client: {
    hasState: true,
    flags: [
      { name: 'allow_direct_app_calling', label: 'Allow direct calling to applications' },
      { name: 'allow_direct_queue_calling', label: 'Allow direct calling to queues' },
      { name: 'allow_direct_user_calling', label: 'Allow direct calling to users' },
    ],
  },
  voip_carrier: {
    hasState: true,
    flags: [{ name: 'e164_leading_plus', label: 'E.164 syntax' }],
  },
  user: { hasState: true, flags: [{ name: 'force_change', label: 'Force password change' }] },
}
