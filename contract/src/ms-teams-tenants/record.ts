import type { RecordTable } from '../shared/record-table.ts'

export const msTeamsTenantLengths = { tenant_fqdn: 255 } as const

export const msTeamsTenantTable = {
  table: 'ms_teams_tenants',
  key: 'ms_teams_tenant_sid',
  name: 'tenant_fqdn',
  references: {
    account_sid: { to: 'accounts', onDelete: 'cascade', blocksMembers: true },
    service_provider_sid: { to: 'service_providers', onDelete: 'block' },
    application_sid: {
      to: 'applications',
      onDelete: 'block',
      reason: 'that a Microsoft Teams tenant uses',
      position: 4,
    },
  },
} as const satisfies RecordTable
