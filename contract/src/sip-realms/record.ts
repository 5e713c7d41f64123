import type { RecordTable } from '../shared/record-table.ts'

/** DNS records of SIP realms. */
export const dnsRecordTable = {
  table: 'dns_records',
  key: 'dns_record_sid',
  references: { account_sid: { to: 'accounts', onDelete: 'cascade' } },
} as const satisfies RecordTable
