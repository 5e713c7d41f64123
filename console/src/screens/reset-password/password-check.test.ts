import { expect, test } from 'vitest'
import { passwordHint, validatePasswords } from './password-check.ts'
import { policyHint } from './policy-hint.ts'

const short = 'The password must be at least 7 characters long.'
const different =
  'The confirmation password does not match the new password. Please ensure both passwords are identical.'

test.each([
  ['RESET-10', 'abcde', 'abcde', { password: short }],
  ['RESET-10', 'abcdef', 'abcdef', {}],
  ['AUTH-24 RESET-09', 'abcdef', 'abcdeg', { confirmation: different }],
  ['AUTH-24 RESET-09', 'abcdef', 'Abcdef', { confirmation: different }],
  ['AUTH-24 RESET-09', 'abcdef', 'abcdef ', { confirmation: different }],
  ['', 'Caf\u00e9-quartz', 'Cafe\u0301-quartz', {}],
  ['AUTH-24', 'abcde', '', { password: short, confirmation: different }],
  ['RESET-11', '123456', '123456', {}],
])('%s the new password %j, confirmed as %j', (_, password, confirmation, faults) => {
  expect(validatePasswords(password, confirmation)).toEqual(faults)
})

const policy = { min_password_length: 8, require_digit: 1, require_special_character: 0 }

test.each([
  ['', undefined, undefined],
  ['123456', policy, 'Password must contain a letter.'],
  ['12345é', undefined, undefined],
  ['', policy, 'Password must: be at least 8 characters long, contain at least one number.'],
  ['abcdefgh', policy, 'Password must: contain at least one number.'],
  ['abcdefg1', policy, undefined],
])('returns the hint for %j', (password, rules, hint) => {
  expect(passwordHint(password, rules && policyHint(rules))).toBe(hint)
})
