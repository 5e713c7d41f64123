import type { DependentTable } from '../shared/record-table.ts'

/** `types` is the number of types. */
export const alertDestinationLengths = { name: 64, target: 1024, type: 64, types: 50, link: 128 } as const

export const alertDestinationTable = {
  table: 'patchbay_alert_destinations',
  key: 'alert_destination_sid',
  live: [
    'due_at',
    'claim',
    'claimed_until',
    'minute_at',
    'minute_sent',
    'left_out',
    'failing_since',
    'last_delivered_at',
    'last_error',
  ],
  references: {
    account_sid: { to: 'accounts', onDelete: 'cascade', withoutForeignKey: true },
    service_provider_sid: { to: 'service_providers', onDelete: 'cascade', withoutForeignKey: true },
  },
} as const satisfies DependentTable

/** Confirmations of email addresses. */
export const alertAddressTable = {
  table: 'patchbay_alert_addresses',
  references: {
    alert_destination_sid: { to: 'patchbay_alert_destinations', onDelete: 'cascade', withoutForeignKey: true },
  },
} as const satisfies DependentTable

export const alertDeliveryTable = {
  table: 'patchbay_alert_deliveries',
  references: {
    alert_destination_sid: { to: 'patchbay_alert_destinations', onDelete: 'cascade', withoutForeignKey: true },
  },
} as const satisfies DependentTable
