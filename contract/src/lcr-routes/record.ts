import type { RecordTable } from '../shared/record-table.ts'

export const lcrRouteLengths = { regex: 32, description: 1024 } as const

/** Maximum number of routes of an LCR, not counting the default route. */
export const maxRoutes = 1000

export const lcrRouteTable = {
  table: 'lcr_routes',
  key: 'lcr_route_sid',
  name: 'regex',
  references: { lcr_sid: { to: 'lcr', onDelete: 'cascade' } },
} as const satisfies RecordTable
