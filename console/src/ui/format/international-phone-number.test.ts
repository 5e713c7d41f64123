import { numberDigits } from '@patchbay/rules/phone-number/format'
import { expect, test } from 'vitest'
import { formatInternational } from './international-phone-number.ts'

test.each([
  ['442079460958', '+44 20 7946 0958'],
  ['+442079460958', '+44 20 7946 0958'],
  ['33123456789', '+33 1 23 45 67 89'],
  ['4930901820', '+49 30 901820'],
  ['81312345678', '+81 3 1234 5678'],
  ['5511961234567', '+55 11 96123 4567'],
  ['80012345678', '+800 1234 5678'],
  ['+15083084809', '+1 (508) 308-4809'],
  // The caller sent its number without the country code, and no country's numbers look like this one.
  ['0312345678', '0312345678'],
  ['1000001', '1000001'],
  ['442071', '442071'],
  // Numbers of ten digits that are valid in one country only.
  ['4533123456', '+45 33 12 34 56'],
  ['4522334455', '+45 22 33 44 55'],
  ['4989636480', '+49 89 636480'],
  ['2074151234', '(207) 415-1234'],
  // Numbers of ten digits that are valid in North America too.
  ['6562234567', '6562234567'],
  ['4722334455', '4722334455'],
  ['3544104000', '3544104000'],
  ['+6562234567', '+65 6223 4567'],
])('formats %s as %s', (number, formatted) => {
  expect(formatInternational(number)).toBe(formatted)
})

test.each(['442079460958', '+33123456789', '5511961234567'])('%s is found by its formatted number', (number) => {
  expect(numberDigits(formatInternational(number))).toBe(numberDigits(number))
})
