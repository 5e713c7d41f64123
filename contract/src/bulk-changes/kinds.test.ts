import { expect, test } from 'vitest'
import { findNamedTable, findTable, getBlockers, getDeletionOrder, recordTables } from '../api/record-tables.ts'
import type { RecordTable } from '../shared/record-table.ts'
import { type BulkKindName, bulkKindNames, cascadeKinds, cascadeOwners, findBulkKind } from './kinds.ts'

const requireTable = (kind: BulkKindName) => {
  const table = findTable({ key: `${kind}_sid` })
  if (table === undefined) throw new Error(`${kind} has no table`)
  return table
}

/** Returns the kinds of `names` whose records name an account or a service provider. */
const selectOwned = (names: readonly BulkKindName[], ...keys: readonly string[]) =>
  names.filter((kind) => keys.some((key) => Object.hasOwn(requireTable(kind).references, key))).toSorted()

test('a deletion with contents deletes all kinds that are deleted with an account and have an endpoint', () => {
  const cascading = new Set(getDeletionOrder('accounts'))
  const deletable = bulkKindNames.filter(
    (kind) => findBulkKind(kind).remove !== undefined && cascading.has(requireTable(kind)),
  )
  expect(selectOwned(cascadeKinds, 'account_sid')).toEqual(selectOwned(deletable, 'account_sid'))
})

test('a deletion with contents deletes all kinds that belong to a service provider and have an endpoint', () => {
  const owners = ['account_sid', 'service_provider_sid']
  const deletable = bulkKindNames.filter((kind) => {
    const { remove, removeCascade } = findBulkKind(kind)
    return (remove ?? removeCascade) !== undefined
  })
  expect(cascadeKinds.toSorted()).toEqual(selectOwned(deletable, ...owners))
})

test('a deletion with contents deletes all records that would block the deletion of a service provider', () => {
  const tables = new Set(cascadeKinds.map((kind) => requireTable(kind).table))
  const blocking = getBlockers('service_providers').map(({ table }) => table.table)
  expect(blocking).toContain('sbc_addresses')
  expect(blocking.filter((table) => !tables.has(table))).toEqual([])
})

test('the owners that are deleted with their contents have an endpoint that deletes them', () => {
  const endpoints = Object.keys(cascadeOwners).map((kind) => findBulkKind(kind as BulkKindName).removeCascade)
  expect(endpoints).toEqual(['DELETE /Accounts/:account_sid', 'DELETE /ServiceProviders/:service_provider_sid'])
})

test('each kind is deleted after the kinds that block its deletion', () => {
  const position = new Map<string, number>(cascadeKinds.map((kind, nth) => [requireTable(kind).table, nth]))
  const tables = recordTables.filter(({ table }) => position.has(table))
  const pairs = tables.flatMap(({ table }: RecordTable) =>
    getBlockers(table as 'applications').map((blocker) => [findNamedTable(blocker).target.table, table] as const),
  )
  // Accounts that use applications are updated before these are deleted.
  const planned = pairs.filter(([blocker]) => position.has(blocker) && blocker !== 'accounts')
  expect(planned).toContainEqual(['lcr', 'voip_carriers'])
  for (const [blocker, table] of planned) expect(position.get(blocker)).toBeLessThan(position.get(table) ?? -1)
})
