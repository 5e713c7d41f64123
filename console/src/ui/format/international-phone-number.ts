import { formatNorthAmerican, maybeOtherCountry } from '@patchbay/rules/phone-number/format'
import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

/**
 * Groups the digits of an E.164 number, with or without the plus sign, by the numbering plan of its country:
 * `442079460958` becomes `+44 20 7946 0958`. Returns numbers unchanged that are not valid in any country, and those that
 * are valid both in North America without its calling code and in another country with it.
 */
export const formatInternational = (number: string): string => {
  const digits = number.replace(/^\+/, '')
  const parsed = parsePhoneNumberFromString(`+${digits}`)
  const isInternational = parsed?.isValid() === true
  if (maybeOtherCountry(number) && parsePhoneNumberFromString(`+1${number}`)?.isValid() === true)
    return isInternational ? number : formatNorthAmerican(number)
  if (!isInternational) return number
  return parsed.countryCallingCode === '1' ? formatNorthAmerican(digits) : parsed.formatInternational()
}
