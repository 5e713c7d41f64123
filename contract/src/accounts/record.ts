import type { RecordTable } from '../shared/record-table.ts'

export const accountLengths = {
  name: 64,
  sip_realm: 132,
  webhook_secret: 36,
  deactivated_reason: 255,
  subspace: 255,
} as const

/**
 * Members of a storage credential. All of them are encrypted into a single column, so their total length is limited,
 * too.
 */
export const bucketLengths = {
  name: 255,
  region: 64,
  endpoint: 255,
  access_key_id: 255,
  secret_access_key: 255,
  service_key: 6000,
  connection_string: 1024,
  tags: 50,
  tagKey: 128,
  tagValue: 256,
  stored: 8192,
} as const

export const accountTable = {
  table: 'accounts',
  key: 'account_sid',
  name: 'name',
  parts: [{ table: 'webhooks', key: 'webhook_sid' }],
  references: {
    service_provider_sid: { to: 'service_providers', onDelete: 'block', errorCode: 'provider_in_use' },
    registration_hook_sid: { to: 'webhooks', onDelete: 'block' },
    queue_event_hook_sid: { to: 'webhooks', onDelete: 'block' },
    device_calling_application_sid: {
      to: 'applications',
      onDelete: 'block',
      as: 'device_calling_accounts',
      reason: 'that an account uses for device calling',
      position: 2,
    },
    siprec_hook_sid: {
      to: 'applications',
      onDelete: 'block',
      as: 'siprec_accounts',
      reason: 'that an account uses for SIPREC',
      position: 3,
    },
  },
} as const satisfies RecordTable
