import type { RecordTable } from '../shared/record-table.ts'

/** Call routes have no endpoints. They exist in databases of jambonz. */
export const callRouteTable = {
  table: 'call_routes',
  key: 'call_route_sid',
  name: 'regex',
  references: {
    account_sid: { to: 'accounts', onDelete: 'cascade' },
    application_sid: { to: 'applications', onDelete: 'block', reason: 'that a call route uses', position: 6 },
  },
} as const satisfies RecordTable
