import { parsePhoneNumberFromString, validatePhoneNumberLength } from 'libphonenumber-js/min'
import { hasLeadingZeros } from './trunk-prefixes.ts'

/**
 * The lengths and beginnings of international numbers by country. A module of its own, because the numbering plans have
 * 29 kB, which the console loads after the form.
 */
export type LengthError =
  | 'unknown_country'
  | 'too_short'
  | 'too_long'
  | 'invalid_length'
  | 'trunk_prefix'
  | 'leading_zero'

export type ValidateLength = (digits: string) => LengthError | undefined

/** Mexico, where the 1 of earlier mobile numbers is still in use after the calling code. */
const mexico = '52'

/** Returns what is wrong with the digits after the calling code. */
const findWrongBeginning = (digits: string): LengthError | undefined => {
  const { countryCallingCode = '', nationalNumber = '' } = parsePhoneNumberFromString(`+${digits}`) ?? {}
  const national = digits.slice(countryCallingCode.length)
  if (national.startsWith('0') && hasLeadingZeros(countryCallingCode)) return undefined
  // The library removes the trunk prefix, and replaces the 15 of mobile numbers in Argentina, which follows the area code.
  const hasPrefix = national.length > nationalNumber.length
  if (hasPrefix && countryCallingCode !== mexico) return 'trunk_prefix'
  return national.startsWith('0') ? 'leading_zero' : undefined
}

/** Returns what is wrong with an international number, which is given without its plus sign. */
export const validateInternationalLength: ValidateLength = (digits) => {
  const error = validatePhoneNumberLength(`+${digits}`)
  if (error === 'INVALID_COUNTRY') return 'unknown_country'
  if (error === 'TOO_SHORT' || error === 'NOT_A_NUMBER') return 'too_short'
  if (error === 'TOO_LONG') return 'too_long'
  const beginning = findWrongBeginning(digits)
  // The length is between those of the country. Some plans lack lengths, so that another error says more.
  return beginning ?? (error === 'INVALID_LENGTH' ? 'invalid_length' : undefined)
}
