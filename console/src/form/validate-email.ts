import { isEmail } from '@patchbay/rules/identity/emails'

/** Returns the error message for an email address, or undefined if it is valid. */
export const validateEmail = (email: string): string | undefined => {
  if (email === '') return 'Enter an email address'
  return isEmail(email) ? undefined : 'Enter an email address such as name@example.com'
}
