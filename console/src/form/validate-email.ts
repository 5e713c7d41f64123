import { isEmail } from '@patchbay/contract/identity/emails'

/** What is wrong with an address; undefined: nothing. */
export const validateEmail = (email: string): string | undefined => {
  if (email === '') return 'Enter an email address'
  return isEmail(email) ? undefined : 'Enter an email address such as name@example.com'
}
