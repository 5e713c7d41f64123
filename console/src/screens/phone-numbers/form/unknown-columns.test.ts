import type { RowPlan } from '@patchbay/rules/phone-number/import-rows'
import { expect, test } from 'vitest'
import { findUnknownColumn, withoutColumns } from './unknown-columns.ts'

const row = (account: string | undefined, carrier?: string) => ({ line: 2, number: '15083084809', account, carrier })
const noSuch = (column: 'account' | 'carrier'): RowPlan => ({ is: 'wrong', column, why: `There is no such ${column}` })
const unreadable: RowPlan = { is: 'wrong', column: 'number', why: 'This is not a phone number' }
const planned: RowPlan = {
  is: 'new',
  is_pattern: false,
  number: '15083084809',
  voip_carrier_sid: 'c',
  account_sid: 'a',
  application_sid: null,
}

test('finds a column of which no value is a known record', () => {
  expect(
    findUnknownColumn([
      { row: row('5500012'), plan: noSuch('account') },
      { row: row(''), plan: planned },
      { row: row('5500012'), plan: unreadable },
    ]),
  ).toBe('account')
  expect(findUnknownColumn([{ row: row(undefined, 'Plivo'), plan: noSuch('carrier') }])).toBe('carrier')
})

test('finds no column with a known record, or without values', () => {
  expect(
    findUnknownColumn([
      { row: row('Acme'), plan: planned },
      { row: row('Acne'), plan: noSuch('account') },
    ]),
  ).toBeUndefined()
  expect(findUnknownColumn([{ row: row('5500012'), plan: unreadable }])).toBeUndefined()
  expect(
    findUnknownColumn([
      { row: row('Acme'), plan: { is: 'wrong', column: 'account', why: '2 accounts have this name: give the SID' } },
    ]),
  ).toBeUndefined()
})

test('removes the values of columns', () => {
  expect(withoutColumns(row('5500012', 'Plivo'), new Set(['account'] as const))).toEqual({
    line: 2,
    number: '15083084809',
    carrier: 'Plivo',
  })
})
