import { expect, test } from 'vitest'
import { initials } from './initials.ts'

test.each([
  ['Harbour Voice', 'HV'],
  ['amelia.hart', 'AH'],
  ['operations', 'OP'],
  ['All accounts of Alder Dental', 'AA'],
  ['x', 'X'],
  ['', ''],
])('the initials of "%s" are "%s"', (name, short) => {
  expect(initials(name)).toBe(short)
})
