import type { RecordTable } from '../shared/record-table.ts'

export const serviceProviderLengths = { name: 64, description: 255, root_domain: 128, ms_teams_fqdn: 255 } as const

export const serviceProviderTable = {
  table: 'service_providers',
  key: 'service_provider_sid',
  name: 'name',
  parts: [{ table: 'webhooks', key: 'webhook_sid' }],
  references: { registration_hook_sid: { to: 'webhooks', onDelete: 'block' } },
} as const satisfies RecordTable
