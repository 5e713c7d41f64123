/**
 * The password policy, shared by the server and the forms (docs/reference/platform-api/identity.md#password-policy).
 */

export interface PasswordPolicy {
  min_password_length: number
  require_digit: number
  require_special_character: number
}

/**
 * The minimum length is the one that the console's forms require (RESET-10), although the platform's column defaults to
 * 8.
 */
export const defaultPasswordPolicy: PasswordPolicy = {
  min_password_length: 6,
  require_digit: 0,
  require_special_character: 0,
}

export const passwordLengthChoices = Array.from({ length: 15 }, (_, index) => 6 + index)

const specialCharacters = new Set('!@#$%^&*()_+-=[]{};\':"\\|,.<>/?')

export type PasswordRequirement = 'length' | 'digit' | 'special'

/**
 * Returns the form in which passwords are compared (OpaqueString, RFC 8265 section 4.2): spaces of all kinds are equal,
 * and a letter with an accent is one character, however the keyboard composes it (NFC).
 */
export const normalizePassword = (password: string): string => password.replace(/\p{Zs}/gu, ' ').normalize('NFC')

/** Returns the requirements of the policy that the password does not meet, in the order of the messages. */
export const missingPasswordRequirements = (typed: string, policy: PasswordPolicy): PasswordRequirement[] => {
  const password = normalizePassword(typed)
  const faults: PasswordRequirement[] = []
  if (password.length < policy.min_password_length) faults.push('length')
  if (policy.require_digit && !/[0-9]/.test(password)) faults.push('digit')
  if (policy.require_special_character && !Array.from(password).some((c) => specialCharacters.has(c)))
    faults.push('special')
  return faults
}

/** Returns the text of a requirement in the list 'Password must:' of the create-password page. */
export const passwordRequirementLabel = (fault: PasswordRequirement, policy: PasswordPolicy): string => {
  switch (fault) {
    case 'length':
      return `Be at least ${policy.min_password_length} characters long`
    case 'digit':
      return 'Contain at least one number'
    case 'special':
      return 'Contain at least one special character'
  }
}

/** Returns the server's error message for an unmet requirement. */
export const passwordErrorMessage = (fault: PasswordRequirement, policy: PasswordPolicy): string => {
  switch (fault) {
    case 'length':
      return `password must be at least ${policy.min_password_length} characters long`
    case 'digit':
      return 'password must contain at least one digit'
    case 'special':
      return 'password must contain at least one special character'
  }
}
