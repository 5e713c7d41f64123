import metadata from 'libphonenumber-js/min/metadata'
import { expect, test } from 'vitest'
import { formatPhoneNumber, isPattern, maybeOtherCountry, numberDigits } from './format.ts'
import { validateNumber } from './patterns.ts'

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

test.each(['4533123456', '4722334455', '6562234567', '3544104000', '4989636480'])(
  'does not format %s as North American, because it can be a number of another country',
  (number) => {
    expect(formatPhoneNumber(number)).toBe(number)
  },
)

test('the calling codes of numbers of ten digits are those of the numbering plans', () => {
  const beginnings = Array.from({ length: 10_000 }, (_, nth) => String(nth).padStart(4, '0'))
  const hasNumber = (code: string, [, , pattern = '', lengths = []]: readonly unknown[]): boolean => {
    const length = 10 - code.length
    const plan = new RegExp(`^(?:${String(pattern)})$`)
    const fits = (start: string): boolean =>
      /^[2-9]\d\d[2-9]/.test(code + start) && ['0', '1', '5', '9'].some((fill) => plan.test(start.padEnd(length, fill)))
    return (lengths as number[]).includes(length) && beginnings.some(fits)
  }
  const codes = [
    ...Object.entries(metadata.country_calling_codes).filter(([code, countries]) =>
      countries.some((country) => hasNumber(code, metadata.countries[country] ?? [])),
    ),
    ...Object.entries(metadata.nonGeographic).filter(([code, plan]) => hasNumber(code, plan)),
  ].map(([code]) => code)
  const expected = new Set(codes.filter((code) => code !== '1').map((code) => code.slice(0, 2)))
  const beginningsOfTwo = Array.from({ length: 90 }, (_, nth) => String(nth + 10))
  expect(beginningsOfTwo.filter((two) => maybeOtherCountry(two.padEnd(10, '1')))).toEqual(
    beginningsOfTwo.filter((two) => expected.has(two)),
  )
})
