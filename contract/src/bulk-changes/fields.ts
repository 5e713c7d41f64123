/** The fields that can have the same value for several records of a kind. They are members of the body of its update. */

export interface BulkField {
  /** The kind of value: on or off, the SID of a record, or a choice from a list. */
  type: 'flag' | 'account' | 'application' | 'dtmf_type'
  /** Whether a record can have no value. */
  canBeEmpty?: true
}

const flag = { type: 'flag' } as const
const account = { type: 'account' } as const
const application = { type: 'application', canBeEmpty: true } as const

export const bulkFields = {
  account: { record_all_calls: flag, disable_cdrs: flag, enable_debug_log: flag },
  alert_destination: { is_active: flag, once_per_hour: flag },
  application: { account_sid: account, record_all_calls: flag },
  client: {
    is_active: flag,
    account_sid: account,
    allow_direct_app_calling: flag,
    allow_direct_queue_calling: flag,
    allow_direct_user_calling: flag,
  },
  ms_teams_tenant: { account_sid: account, application_sid: application },
  phone_number: { account_sid: { ...account, canBeEmpty: true }, application_sid: application },
  user: { is_active: flag, force_change: flag, is_view_only: flag },
  voip_carrier: {
    is_active: flag,
    account_sid: { ...account, canBeEmpty: true },
    application_sid: application,
    e164_leading_plus: flag,
    dtmf_type: { type: 'dtmf_type' },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, BulkField>>>>

/** The kinds of records that can be updated in bulk. */
export type UpdatableKind = keyof typeof bulkFields

export type BulkFieldName<Kind extends UpdatableKind = UpdatableKind> = Kind extends unknown
  ? keyof (typeof bulkFields)[Kind]
  : never
