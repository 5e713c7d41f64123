import { normalizePassword } from '@patchbay/rules/identity/passwords'
/**
 * Client-side checks of a new password. The specification fixes the texts and the limit of 6 characters (RESET-10). The
 * server enforces the password policy.
 */

export interface Faults {
  password?: string
  confirmation?: string
}

const minLength = 6

export const validatePasswords = (password: string, confirmation: string): Faults => ({
  ...(password.length < minLength ? { password: 'The password must be at least 7 characters long.' } : {}),
  ...(normalizePassword(password) === normalizePassword(confirmation)
    ? {}
    : {
        confirmation:
          'The confirmation password does not match the new password. Please ensure both passwords are identical.',
      }),
})

/**
 * Returns a hint about the password while the user types. Hints never block the form. The policy is included after it
 * has loaded.
 */
export const passwordHint = (
  password: string,
  getPolicyHint: ((password: string) => string | undefined) | undefined,
): string | undefined =>
  password !== '' && !/\p{L}/u.test(password) ? 'Password must contain a letter.' : getPolicyHint?.(password)
