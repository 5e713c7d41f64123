import { expect, test } from 'vitest'
import { findNamedTable, findTable, getBlockers, getDeletionOrder, recordTables } from '../api/record-tables.ts'
import type { RecordTable } from '../shared/record-table.ts'
import { type BulkKindName, bulkKindNames, cascadeKinds, findBulkKind } from './kinds.ts'

const requireTable = (kind: BulkKindName) => {
  const table = findTable({ key: `${kind}_sid` })
  if (table === undefined) throw new Error(`${kind} has no table`)
  return table
}

test('a deletion with contents deletes all kinds that are deleted with an account and have an endpoint', () => {
  const cascading = new Set(getDeletionOrder('accounts'))
  const belongsToAccount = (kind: BulkKindName) => {
    const table = requireTable(kind)
    return cascading.has(table) && table.references['account_sid'] !== undefined
  }
  const deletable = bulkKindNames.filter((kind) => findBulkKind(kind).remove !== undefined && belongsToAccount(kind))
  expect(cascadeKinds.toSorted()).toEqual(deletable.toSorted())
})

test('each kind is deleted after the kinds that block its deletion', () => {
  const position = new Map<string, number>(cascadeKinds.map((kind, nth) => [requireTable(kind).table, nth]))
  const tables = recordTables.filter(({ table }) => position.has(table))
  const pairs = tables.flatMap(({ table }: RecordTable) =>
    getBlockers(table as 'applications').map((blocker) => [findNamedTable(blocker).target.table, table] as const),
  )
  const planned = pairs.filter(([blocker]) => position.has(blocker))
  expect(planned).toContainEqual(['lcr', 'voip_carriers'])
  for (const [blocker, table] of planned) expect(position.get(blocker)).toBeLessThan(position.get(table) ?? -1)
})
