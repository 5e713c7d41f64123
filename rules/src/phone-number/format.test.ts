import { expect, test } from 'vitest'
import { validateNumber } from './patterns.ts'
import { formatPhoneNumber, isPattern, numberDigits, sameNumber } from './format.ts'

test.each([
  ['+1 (508) 555-1079', '15085551079'],
  ['(508) 555-1079', '5085551079'],
  ['555-1079', '5551079'],
  ['5551079', '5551079'],
  ['+15085551079', '15085551079'],
  ['(+1) 508 555 1079', '15085551079'],
  ['508.555.1079', '5085551079'],
  ['212.200.1079', '2122001079'],
  ['01.23.45.67.89', '0123456789'],
  ['030/12345-67', '0301234567'],
  ['  +44 20 7946 0958 ', '442079460958'],
  ['+44 (0)20 7946 0958', '442079460958'],
  ['+39 (0)6 5550 1234', '390655501234'],
  ['(020) 7946 0958', '02079460958'],
  ['tel:+1-508-555-1079', '15085551079'],
  ['+4477', '4477'],
  ['(508', '508'],
  ['508-555-1079 ext. 12', '5085551079'],
  ['508-555-1079 extension 12', '5085551079'],
  ['508-555-1079x12', '5085551079'],
  ['508-555-1079 #12', '5085551079'],
  ['tel:+1-508-555-1079;ext=12', '15085551079'],
  // Pasted from a web directory: text direction marks, non-breaking spaces and hyphens, a minus sign, and full-width
  // digits.
  ['\u202a+1\u00a0(508)\u00a0555\u20111079\u202c', '15085551079'],
  ['508\u2013555\u22121079', '5085551079'],
  ['\uff0b\uff11\uff15\uff10\uff18', '1508'],
])('parses %j as the number %s', (typed, digits) => {
  expect(numberDigits(typed)).toBe(digits)
})

test.each([
  '',
  ' ',
  '+',
  '-',
  '()',
  'bob',
  'bob2',
  '2bob',
  'Extension 12',
  'ext. 12',
  'x12',
  '12 x 4',
  '5x5',
  '#31#',
  '*67',
  '555*1079',
  'sip:15085551079@sip.example.com',
  'sips:+15085551079@10.0.0.1:5061;user=phone',
  '15085551079@sip.example.com',
  '192.168.1.10',
  '10.0',
  '10.0.0.',
  '1508+5551079',
  '9351f46a-678c-43f5-b8a6-d4eb58d131af',
  '5085551079, 5085551080',
  '-555-1079',
])('does not parse %j as a number', (typed) => {
  expect(numberDigits(typed)).toBeUndefined()
})

test.each(['15083084809', '5083084809', '+15083084809', '442079460000'])(
  '%s is found by its formatted number',
  (number) => {
    expect(numberDigits(formatPhoneNumber(number))).toBe(numberDigits(number))
  },
)

test.each([
  ['+1 (508) 308-4809', '15083084809', true],
  ['(508) 308-4809', '+15083084809', true],
  ['(508) 308-4809', '+25083084809', false],
  ['+44 20 7946 0958', '442079460958', true],
  ['442079460958', '2079460958', false],
  ['15083084809', '15083084808', false],
  ['sip:bob@x', 'sip:bob@x', true],
  ['sip:1@x', '1', false],
  ['', '', true],
  ['', '1', false],
])('%j and %j are the same number: %s', (one, other, same) => {
  expect(sameNumber(one, other)).toBe(same)
  expect(sameNumber(other, one)).toBe(same)
})

test.each([
  ['15083084809', '+1 (508) 308-4809'],
  ['5083084809', '(508) 308-4809'],
  ['+15083084809', '+15083084809'],
  ['442079460000', '442079460000'],
  ['15081084809', '15081084809'],
  ['25083084809', '25083084809'],
  ['sip:bob@x', 'sip:bob@x'],
])('COMMON-37 formats %s as %s', (number, formatted) => {
  expect(formatPhoneNumber(number)).toBe(formatted)
})

test.each([
  ['15083084809', false, undefined],
  ['1508*', true, undefined],
  [String.raw`^1(508|617)\d+$`, true, undefined],
  ['abc*#', true, undefined],
  ['', false, 'Enter a phone number'],
  ['1 2', true, 'A phone number can’t contain spaces'],
  ['+1', true, 'The platform can’t parse this pattern and would skip it'],
  ['(508', true, 'The platform can’t parse this pattern and would skip it'],
  ['12345678901', false, 'Use at most 10 characters'],
])('%j is a pattern: %s, with the error %j', (number, pattern, fault) => {
  expect(isPattern(number)).toBe(pattern)
  expect(validateNumber(number, number === '12345678901' ? 10 : 132)).toBe(fault)
})

test.each([
  ['15083084809', '+1 (508) 308-4809'],
  ['5083084809', '(508) 308-4809'],
  ['+15083084809', '+15083084809'],
  ['442079460000', '442079460000'],
  ['15081084809', '15081084809'],
  ['25083084809', '25083084809'],
  ['sip:bob@x', 'sip:bob@x'],
])('formats the number %s as %s', (number, formatted) => {
  expect(formatPhoneNumber(number)).toBe(formatted)
})
