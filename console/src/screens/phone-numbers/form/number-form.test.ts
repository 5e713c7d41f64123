import { newPhoneNumber } from '@patchbay/contract/phone-numbers'
import { expect, test } from 'vitest'
import { ApiError } from '../../../api/api-error.ts'
import { getFieldErrors } from '../../../form/field-errors.ts'
import { emptyNumber, numberFieldErrors, numberHint, numberValues, toPayload, toRoutingPayload } from './number-form.ts'

const full = {
  number: '+1 (508) 308-4809',
  is_pattern: false,
  account_sid: 'a',
  voip_carrier_sid: 'c',
  application_sid: '',
}

const faults = (values: object, isNew = true) => getFieldErrors(numberValues({ isNew }), { ...full, ...values })

test.each([
  [{}, {}],
  [{ number: ' ' }, { number: 'Enter a phone number' }],
  [{ voip_carrier_sid: '' }, { voip_carrier_sid: 'Choose a carrier' }],
  [{ account_sid: '' }, { account_sid: 'Choose an account' }],
  [{ number: '1'.repeat(133) }, { number: 'Use at most 132 characters' }],
  [{ number: '^(1[' }, { number: 'The platform can’t parse this pattern and would skip it' }],
  [{ number: '^a b' }, { number: 'A pattern can’t contain spaces' }],
  [{ number: '1508*' }, { is_pattern: 'Confirm that you want a pattern' }],
  [{ number: '1508*', is_pattern: true }, {}],
  [{ number: '+39 (0)6 5550 1234' }, {}],
  [
    { number: '+1 508-555-1242 x12' },
    { number: 'A called number has no extension. Remove “x12” and write +1 508-555-1242' },
  ],
])('NUMBERS-09 NUMBERS-10 NUMBERS-11 %j of a new number: %j', (values, wrong) => {
  expect(faults(values)).toEqual(wrong)
})

test('validates only the account of an existing number', () => {
  expect(faults({ number: '(1[', voip_carrier_sid: '' }, false)).toEqual({})
  expect(faults({ account_sid: '' }, false)).toEqual({ account_sid: 'Choose an account' })
  expect(Object.keys(faults(emptyNumber))).toEqual(['account_sid', 'number', 'voip_carrier_sid'])
})

test('produces a valid request body', () => {
  const payload = toPayload(full)
  expect(payload).toEqual({ number: '15083084809', account_sid: 'a', voip_carrier_sid: 'c', application_sid: null })
  expect(newPhoneNumber.safeParse(payload).data).toEqual(payload)
  expect(toRoutingPayload({ ...full, application_sid: 'p' })).toEqual({ account_sid: 'a', application_sid: 'p' })
})

test.each([
  ['', 'Include the country code'],
  ['15083084809', 'exactly this number'],
  ['+1 508 308 4809', 'Stored as 15083084809.'],
  ['1508*', 'A pattern'],
  ['^1508', 'A pattern'],
  ['1508*', 'It matches 15085550123 and'],
  ['1.50831E+10', 'last digits are lost'],
  ['+39 (0)6 5550 1234', 'Stored as 390655501234.'],
])('shows for %j a hint with %j', (typed, hint) => {
  expect(numberHint(typed)).toContain(hint)
})

test.each([
  [
    422,
    'Duplicate entry: number is already in use on this carrier',
    'number',
    { number: 'The phone number you have entered is already in use.' },
  ],
  [
    422,
    "Duplicate entry '1-2' for key 'x'",
    undefined,
    { number: 'The phone number you have entered is already in use.' },
  ],
  [422, 'exceeded limits', undefined, {}],
  [400, 'unknown account_sid', 'account_sid', { account_sid: 'unknown account_sid' }],
  [400, 'why', 'constructor', {}],
])('NUMBERS-12 assigns an error with status %i and message %j of %s to its field', (status, message, field, marked) => {
  expect(numberFieldErrors(new ApiError('rejected', status, message, field === undefined ? {} : { field }))).toEqual(
    marked,
  )
})
