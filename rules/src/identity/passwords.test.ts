import { describe, expect, test } from 'vitest'
import { missingPasswordRequirements, passwordErrorMessage, passwordRequirementLabel } from './passwords.ts'

describe('passwords', () => {
  const strict = { min_password_length: 6, require_digit: 1, require_special_character: 1 }

  test.each([
    ['abcdef1!', []],
    ['abcdef', ['digit', 'special']],
    ['abcdef1', ['special']],
    ['abcdef1~', ['special']],
    ['abcdef1`', ['special']],
    ['abcdef1 ', ['special']],
    ['a1!', ['length']],
    ['', ['length', 'digit', 'special']],
  ])(
    'AUTH-22 reports for %j the unmet requirements %j of length 6, digit, and special character',
    (password, faults) => {
      expect(missingPasswordRequirements(password, strict)).toEqual(faults)
    },
  )

  test('AUTH-22 requires nothing for rules that are off', () => {
    expect(
      missingPasswordRequirements('abcdef', { ...strict, require_digit: 0, require_special_character: 0 }),
    ).toEqual([])
  })

  test('accepts each special character', () => {
    for (const special of '!@#$%^&*()_+-=[]{};\':"\\|,.<>/?')
      expect(missingPasswordRequirements(`abcde1${special}`, strict)).toEqual([])
  })

  test('includes the configured length in the messages', () => {
    expect(passwordRequirementLabel('length', { ...strict, min_password_length: 9 })).toBe(
      'Be at least 9 characters long',
    )
    expect(passwordErrorMessage('length', { ...strict, min_password_length: 9 })).toBe(
      'password must be at least 9 characters long',
    )
  })
})
