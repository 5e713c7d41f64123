import { expect, test } from 'vitest'
import { validateEmail } from './validate-email.ts'

test.each([
  ['RESET-02', '', 'Enter an email address'],
  ['RESET-03', 'ann', 'Enter an email address such as name@example.com'],
  ['RESET-03', 'ann@', 'Enter an email address such as name@example.com'],
  ['RESET-03', 'a b@example.org', 'Enter an email address such as name@example.com'],
  ['RESET-03', 'ann@example.org', undefined],
])('%s the address %j', (_, email, fault) => {
  expect(validateEmail(email)).toBe(fault)
})
