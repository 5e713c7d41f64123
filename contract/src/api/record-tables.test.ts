import { expect, test } from 'vitest'
import type { DependentTable } from '../shared/record-table.ts'
import {
  findReferencedTable,
  getBlockers,
  getContents,
  getDeletionOrder,
  getMemberBlockers,
  ownRecordTables,
  recordTables,
  referencesTo,
} from './record-tables.ts'

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

const allTables: readonly DependentTable[] = [...recordTables, ...ownRecordTables]

test.each(allTables.map(({ table }) => table))(
  'a deletion of %s deletes rows before those to which they refer',
  (parent) => {
    const order = getDeletionOrder(parent)
    const names = order.map(({ table }) => table)
    expect(new Set(names).size).toBe(names.length)
    const tooLate = order.flatMap(({ table, references }, index) =>
      Object.values(references)
        .filter(({ to, onDelete }) => onDelete !== 'clear' && names.slice(0, index).includes(to))
        .map(({ to }) => `${table} after ${to}`),
    )
    expect(tooLate).toEqual([])
  },
)

test('an account is deleted with all of its records, and a service provider without those that block its deletion', () => {
  const ofAccount = getDeletionOrder('accounts').map(({ table }) => table)
  for (const { table, reference } of referencesTo('accounts'))
    expect([table.table, ofAccount.includes(table.table)]).toEqual([table.table, reference.onDelete === 'cascade'])
  expect(ofAccount).toEqual(expect.arrayContaining(['sip_gateways', 'account_products', 'patchbay_saved_views']))
  const ofProvider = getDeletionOrder('service_providers').map(({ table }) => table)
  expect(ofProvider).toContain('lcr_carrier_set_entry')
  for (const { table } of getBlockers('service_providers')) expect(ofProvider).not.toContain(table.table)
})

test('a column refers to the same table wherever it exists', () => {
  const targets = new Map<string, Set<string>>()
  for (const [column, { to }] of allTables.flatMap(({ references }) => Object.entries(references)))
    targets.set(column, new Set([...(targets.get(column) ?? []), to]))
  expect([...targets].filter(([, tables]) => tables.size > 1)).toEqual([])
})

test.each([
  ['application_sid', 'applications'],
  ['siprec_hook_sid', 'applications'],
  ['user_sid', 'users'],
  // Excludes API keys, whose name is a secret, and webhooks, which have none.
  ['api_key_sid', undefined],
  ['registration_hook_sid', undefined],
  ['description', undefined],
])('the named table to which %s refers is %s', (column, table) => {
  expect(findReferencedTable(column)?.table).toBe(table)
})
