import { expect, test } from 'vitest'
import { getBlockers, getContents, getMemberBlockers, recordTables, referencesTo } from './record-tables.ts'

test('every reference that blocks the deletion of a carrier or an application has a reason for the error', () => {
  const blockers = [...getBlockers('voip_carriers'), ...getBlockers('applications')]
  expect(blockers.filter(({ reference }) => reference.reason === undefined)).toEqual([])
})

test('lists the records that block the deletion of another one in the order in which errors name them', () => {
  expect(getBlockers('voip_carriers').map(({ name }) => name)).toEqual(['phone_numbers', 'lcrs'])
  expect(getBlockers('applications').map(({ name }) => name)).toEqual([
    'phone_numbers',
    'device_calling_accounts',
    'siprec_accounts',
    'ms_teams_tenants',
    'voip_carriers',
    'call_routes',
  ])
})

test('lists the contents of a service provider that block its deletion before those that are deleted with it', () => {
  const effects = getContents('service_providers').map(({ reference }) => reference.onDelete)
  expect(effects).toEqual(effects.toSorted((a, b) => Number(b === 'block') - Number(a === 'block')))
  expect(new Set(effects)).toEqual(new Set(['block', 'cascade', 'database']))
})

test('names each of the contents once, and leaves out tables that some installations lack', () => {
  for (const parent of ['accounts', 'service_providers'] as const) {
    const contents = getContents(parent)
    expect(new Set(contents.map(({ name }) => name)).size).toBe(contents.length)
    expect(contents.filter(({ table }) => table.isOptional)).toEqual([])
  }
  const addresses = referencesTo('service_providers').map(({ table }) => table.table)
  expect(addresses).toContain('smpp_addresses')
})

test('only records of an account can keep its users from deleting it, and those with a name come first', () => {
  const marked = recordTables.flatMap(({ references }) =>
    Object.values(references).filter((reference) => 'blocksMembers' in reference),
  )
  expect(marked.map(({ to }) => to)).toEqual(marked.map(() => 'accounts'))
  expect(getMemberBlockers().map(({ name }) => name)).toEqual([
    'applications',
    'phone_numbers',
    'ms_teams_tenants',
    'api_keys',
  ])
})
