/** What the form finds of itself: the texts and the six are the contract of texts, the policy is the server's (design/product.md). */

export interface Faults {
  password?: string
  confirmation?: string
}

const minLength = 6

export const validatePasswords = (password: string, confirmation: string): Faults => ({
  ...(password.length < minLength ? { password: 'The password must be at least 7 characters long.' } : {}),
  ...(password === confirmation
    ? {}
    : {
        confirmation:
          'The confirmation password does not match the new password. Please ensure both passwords are identical.',
      }),
})

/** What is said of a password while it is typed, also by the policy once that is there; nothing of it blocks. */
export const passwordHint = (
  password: string,
  ofPolicy: ((password: string) => string | undefined) | undefined,
): string | undefined =>
  password !== '' && !/\p{L}/u.test(password) ? 'Password must contain a letter.' : ofPolicy?.(password)
