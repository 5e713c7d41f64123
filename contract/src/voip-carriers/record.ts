import type { RecordTable } from '../shared/record-table.ts'

export const voipCarrierLengths = {
  name: 64,
  description: 255,
  register_username: 64,
  register_sip_realm: 64,
  register_password: 64,
  tech_prefix: 16,
  inbound_auth_username: 64,
  inbound_auth_password: 64,
  diversion: 32,
  smpp_system_id: 255,
  smpp_password: 64,
  smpp_inbound_system_id: 255,
  smpp_inbound_password: 64,
  register_from_user: 128,
  register_from_domain: 255,
  outbound_sip_proxy: 255,
} as const

export const voipCarrierTable = {
  table: 'voip_carriers',
  key: 'voip_carrier_sid',
  name: 'name',
  parts: [{ table: 'sip_gateways' }, { table: 'smpp_gateways' }],
  live: ['register_status'],
  references: {
    account_sid: { to: 'accounts', onDelete: 'cascade' },
    service_provider_sid: { to: 'service_providers', onDelete: 'cascade' },
    application_sid: { to: 'applications', onDelete: 'block', reason: 'that a carrier uses', position: 5 },
  },
} as const satisfies RecordTable
