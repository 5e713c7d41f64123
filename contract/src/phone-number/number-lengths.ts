import { validatePhoneNumberLength } from 'libphonenumber-js/min'

/**
 * The lengths of international numbers by country. A module of its own, because the numbering plans have 29 kB, which
 * the console loads after the form.
 */
export type LengthError = 'unknown_country' | 'too_short' | 'too_long'

export type ValidateLength = (digits: string) => LengthError | undefined

/** Returns what is wrong with the length of an international number, which is given without its plus sign. */
export const validateInternationalLength: ValidateLength = (digits) => {
  const error = validatePhoneNumberLength(`+${digits}`)
  if (error === 'INVALID_COUNTRY') return 'unknown_country'
  if (error === 'TOO_SHORT' || error === 'NOT_A_NUMBER') return 'too_short'
  return error === 'TOO_LONG' ? 'too_long' : undefined
}
