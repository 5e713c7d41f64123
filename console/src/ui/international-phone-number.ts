import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { formatPhoneNumber } from '@patchbay/rules/phone-number/format'

/**
 * Groups the digits of an E.164 number, with or without the plus sign, by the numbering plan of its country:
 * `442079460958` becomes `+44 20 7946 0958`. Returns numbers unchanged that are not valid in any country.
 */
export const formatInternational = (number: string): string => {
  const digits = number.replace(/^\+/, '')
  const parsed = parsePhoneNumberFromString(`+${digits}`)
  if (!parsed?.isValid()) return number
  return parsed.countryCallingCode === '1' ? formatPhoneNumber(digits) : parsed.formatInternational()
}
