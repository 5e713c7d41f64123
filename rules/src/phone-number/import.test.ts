import { describe, expect, test } from 'vitest'
import { type ImportContext, planImport, rejectUnconfirmed } from './import.ts'
import { rejectRepeats } from './import-repeats.ts'
import type { NumberRow, RowPlan } from './import-rows.ts'

const context: ImportContext = {
  ownAccount: null,
  accounts: [
    { sid: 'a1', name: 'Acme' },
    { sid: 'a2', name: 'Beta' },
    { sid: 'a3', name: 'Twin' },
    { sid: 'a4', name: 'twin' },
  ],
  carriers: [
    { sid: 'c0', name: 'Shared', account_sid: null },
    { sid: 'c1', name: 'Of Acme', account_sid: 'a1' },
  ],
  applications: [
    { sid: 'p1', name: 'Hello', account_sid: 'a1' },
    { sid: 'p2', name: 'Hello', account_sid: 'a2' },
    { sid: 'p3', name: 'Only Beta', account_sid: 'a2' },
  ],
  numbers: [
    {
      phone_number_sid: 'n1',
      number: '1001',
      voip_carrier_sid: 'c0',
      account_sid: 'a1',
      application_sid: 'p1',
      isOwn: true,
    },
    {
      phone_number_sid: 'n2',
      number: '1002',
      voip_carrier_sid: 'c0',
      account_sid: 'x',
      application_sid: null,
      isOwn: false,
    },
    {
      phone_number_sid: 'n3',
      number: '1003',
      voip_carrier_sid: 'c0',
      account_sid: 'a1',
      application_sid: null,
      isOwn: true,
    },
    {
      phone_number_sid: 'n4',
      number: '1003',
      voip_carrier_sid: 'c1',
      account_sid: 'a1',
      application_sid: null,
      isOwn: true,
    },
    {
      phone_number_sid: 'n5',
      number: '1005',
      voip_carrier_sid: 'c1',
      account_sid: 'a1',
      application_sid: null,
      isOwn: true,
    },
    {
      phone_number_sid: 'n6',
      number: '1006',
      voip_carrier_sid: null,
      account_sid: null,
      application_sid: null,
      isOwn: true,
    },
  ],
}

const planned = (row: NumberRow, more: Partial<ImportContext> = {}) => planImport([row], { ...context, ...more })[0]

const fresh = { number: '2000', carrier: 'shared', account: 'ACME' }

test.each<[NumberRow, object]>([
  [fresh, { is: 'new', number: '2000', voip_carrier_sid: 'c0', account_sid: 'a1', application_sid: null }],
  [
    { ...fresh, number: '+1 (508) 308-4809' },
    { is: 'new', number: '15083084809' },
  ],
  [
    { ...fresh, carrier: 'c1', application: 'hello' },
    { is: 'new', voip_carrier_sid: 'c1', application_sid: 'p1' },
  ],
  [
    { ...fresh, account: 'a2', application: 'p3' },
    { is: 'new', account_sid: 'a2', application_sid: 'p3' },
  ],
  [
    { ...fresh, number: '1001', carrier: 'c1' },
    { is: 'new', number: '1001', voip_carrier_sid: 'c1' },
  ],
  [{ number: '+1001' }, { is: 'unchanged', phone_number_sid: 'n1', voip_carrier_sid: 'c0', application_sid: 'p1' }],
  [{ number: '1001', carrier: 'Shared', account: 'Acme', application: 'Hello' }, { is: 'unchanged' }],
  [
    { number: '1001', application: '' },
    { is: 'changed', phone_number_sid: 'n1', application_sid: null },
  ],
  [
    { number: '1001', account: 'Beta', application: 'Hello' },
    { is: 'changed', account_sid: 'a2', application_sid: 'p2' },
  ],
  [
    { number: '1005', application: 'Hello' },
    { is: 'changed', phone_number_sid: 'n5', application_sid: 'p1' },
  ],
  [
    { number: '1006', account: 'Beta' },
    { is: 'changed', phone_number_sid: 'n6', account_sid: 'a2' },
  ],
])('plans %j as %j', (row, plan) => {
  expect(planned(row)).toMatchObject(plan)
})

test.each<[NumberRow, string, string]>([
  [{ ...fresh, number: ' ' }, 'number', 'Enter a phone number'],
  [{ ...fresh, number: 'a b' }, 'number', 'This is not a phone number: it contains no digits'],
  [{ ...fresh, number: '1'.repeat(133) }, 'number', 'Use at most 132 characters'],
  [{ ...fresh, number: '^(1[' }, 'number', 'The platform can’t parse this pattern and would skip it'],
  [{ ...fresh, carrier: 'Nobody' }, 'carrier', 'There is no such carrier'],
  [{ ...fresh, account: 'Nobody' }, 'account', 'There is no such account'],
  [{ ...fresh, application: 'Nobody' }, 'application', 'There is no such application'],
  [{ ...fresh, application: 'Only Beta' }, 'application', 'The account can’t use this application'],
  [{ ...fresh, account: 'Beta', carrier: 'Of Acme' }, 'carrier', 'The account can’t use this carrier'],
  [{ ...fresh, account: 'Twin' }, 'account', '2 accounts have this name: give the SID'],
  [{ number: '2000', account: 'Acme' }, 'carrier', 'A new number needs a carrier'],
  [{ number: '2000', carrier: 'Shared' }, 'account', 'A new number needs an account'],
  [{ number: '1006' }, 'account', 'A new number needs an account'],
  [{ number: '1002', carrier: 'Shared', account: 'Acme' }, 'number', 'The number already exists on this carrier'],
  [{ number: '1003' }, 'carrier', 'The number exists on several carriers: name one'],
  [
    { number: '1001', account: 'Beta' },
    'application',
    'The application belongs to the previous account: name another or none',
  ],
  [{ number: '1005', account: 'Beta' }, 'account', 'The account can’t use the carrier of this number'],
])('rejects %j because of its %s: %s', (row, column, why) => {
  expect(planned(row)).toEqual({ is: 'wrong', column, why })
})

test('keeps a number in another form that is stored already, and adds it to no other carrier', () => {
  const numbers = [
    { ...context.numbers[0], number: '#31#' },
    { ...context.numbers[0], phone_number_sid: 'n8', number: '0049301234567' },
    { ...context.numbers[0], phone_number_sid: 'n9', number: '1.5E+10' },
  ] as ImportContext['numbers']
  expect(planned({ number: '#31#' }, { numbers })).toMatchObject({ is: 'unchanged', number: '#31#' })
  expect(planned({ number: '0049301234567' }, { numbers })).toMatchObject({ is: 'unchanged', phone_number_sid: 'n8' })
  expect(planned({ ...fresh, number: '#31#', carrier: 'c1' }, { numbers })).toMatchObject({
    is: 'wrong',
    why: expect.stringContaining('can’t contain “#”'),
  })
  // The stored text is not the number either.
  expect(planned({ number: '1.5E+10' }, { numbers })).toMatchObject({
    is: 'wrong',
    why: expect.stringContaining('last digits are lost'),
  })
})

test('rejects a new pattern that is not confirmed', () => {
  const rows = [
    { ...fresh, number: '1508*' },
    { ...fresh, number: '1617*', is_pattern: true },
  ]
  const plans = planImport(rows, context)
  expect(plans).toMatchObject([
    { is: 'new', number: '1508*', is_pattern: true },
    { is: 'new', number: '1617*', is_pattern: true },
  ])
  expect(rejectUnconfirmed(rows, plans)).toMatchObject([
    { is: 'wrong', why: 'This is a pattern. Confirm it with is_pattern' },
    { is: 'new' },
  ])
})

test('lets account users add numbers only to their own account', () => {
  const own = { ownAccount: 'a1', accounts: [{ sid: 'a1', name: 'Acme' }] }
  expect(planned({ number: '2000', carrier: 'Shared' }, own)).toMatchObject({ is: 'new', account_sid: 'a1' })
  expect(planned({ ...fresh, account: 'Beta' }, own)).toMatchObject({ is: 'wrong', column: 'account' })
})

describe('a repeated number', () => {
  const at = (number: string, voip_carrier_sid: string): RowPlan => ({
    is: 'new',
    is_pattern: false,
    number,
    voip_carrier_sid,
    account_sid: 'a',
    application_sid: null,
  })

  test('is imported from its first row only, unless the carrier differs', () => {
    const wrong: RowPlan = { is: 'wrong', column: 'number', why: 'x' }
    const plans = [at('1', 'c'), wrong, at('1', 'd'), at('1', 'c'), at('AB', 'c'), at('ab', 'c')]
    const outcomes = (rows: readonly NumberRow[]) =>
      rejectRepeats(rows, plans).map((plan) => (plan.is === 'wrong' ? plan.why : plan.is))
    const repeated = (line: number) => `Line ${line} has the same number`
    expect(outcomes(plans.map((_, line) => ({ number: '', line: line + 7 })))).toEqual([
      'new',
      'x',
      'new',
      repeated(7),
      'new',
      repeated(11),
    ])
    expect(outcomes([])).toEqual(['new', 'x', 'new', repeated(1), 'new', repeated(5)])
  })
})
