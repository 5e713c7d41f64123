import type { RecordTable } from '../shared/record-table.ts'

export const phoneNumberLengths = { number: 132 } as const

export const phoneNumberTable = {
  table: 'phone_numbers',
  key: 'phone_number_sid',
  name: 'number',
  references: {
    account_sid: { to: 'accounts', onDelete: 'cascade', blocksMembers: true },
    service_provider_sid: { to: 'service_providers', onDelete: 'block' },
    voip_carrier_sid: { to: 'voip_carriers', onDelete: 'block', reason: 'with active phone numbers' },
    application_sid: { to: 'applications', onDelete: 'block', reason: 'with phone numbers', position: 1 },
  },
} as const satisfies RecordTable
