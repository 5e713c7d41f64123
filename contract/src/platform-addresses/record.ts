import type { RecordTable } from '../shared/record-table.ts'

/** Addresses of the platform's own SBCs and SMPP servers. */
export const platformAddressLengths = { ipv4: 255 } as const

export const sbcAddressTable = {
  table: 'sbc_addresses',
  key: 'sbc_address_sid',
  name: 'ipv4',
  references: { service_provider_sid: { to: 'service_providers', onDelete: 'block' } },
} as const satisfies RecordTable

export const smppAddressTable = {
  table: 'smpp_addresses',
  key: 'smpp_address_sid',
  name: 'ipv4',
  isOptional: true,
  references: { service_provider_sid: { to: 'service_providers', onDelete: 'block' } },
} as const satisfies RecordTable
