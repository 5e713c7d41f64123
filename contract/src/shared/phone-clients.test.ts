import { expect, test } from 'vitest'
import { createPhoneClientName, readPhoneClientExpiry } from './phone-clients.ts'

const random = '0123456789abcdef'

test('the name of a phone client contains when it expires, in seconds', () => {
  for (const seconds of [1_796_000_000, 4_102_444_800])
    expect(readPhoneClientExpiry(createPhoneClientName(seconds * 1000 + 999, random))).toBe(seconds * 1000)
})

test('other names have no expiry', () => {
  const phone = createPhoneClientName(1_796_000_000_000, random)
  for (const name of [
    null,
    '',
    'patchbay-phone-',
    'alice',
    `x${phone}`,
    `${phone}0`,
    phone.toUpperCase(),
    `${phone}\n`,
  ])
    expect(readPhoneClientExpiry(name)).toBe(undefined)
})

test('a name fits into the column, and its number is not negative', () => {
  expect(createPhoneClientName(Date.parse('2099-01-01'), random)).toMatch(/^[\w-]{36,40}$/)
})
