import { numberDigits } from '@patchbay/contract/phone-number/format'

/**
 * Returns the value of the `filter` parameter. A number with spaces, dashes, or brackets is reduced to its digits.
 * Patchbay's server matches the text literally. The jambonz API server inserts it into a regular expression between
 * slashes, so the text is escaped for it.
 */
export const toFilterParam = (filter: string, isPlain: boolean): string => {
  const text = /^\+?\d+$/.test(filter) ? filter : (numberDigits(filter) ?? filter)
  return isPlain ? text : text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
