import type { ValidateLength } from './number-lengths.ts'

/**
 * Recognizes ranges and several numbers in a text of digits, dashes, and slashes: 508-308-4800/4899, 5083084800 - 4899,
 * +442079460950-59. Read as one number, they would match no call.
 */

/** The last group of digits after a dash or slash. */
// unchecked-regexp: a typed text has at most 255 characters
const lastGroup = /^(?<before>.*\d)\s*(?<sign>[\p{Pd}\u2212/])\s*(?<after>[\d\s]*\d)\s*$/u

/** The digits of a complete national number. */
const nationalDigits = 10
/** More digits than a calling code and an area code have, which a slash can separate from the number. */
const minDigitsBeforeSlash = 9
const minDigitsBeforeShortGroup = 7

const hasTooManyBeforeSlash = (before: number, after: number): boolean =>
  before >= minDigitsBeforeSlash || (before >= minDigitsBeforeShortGroup && after <= 2)

/**
 * Returns whether the text certainly is not a single number.
 * @param digits the digits of the text without the prefix of international calls
 */
export const hasSeveralNumbers = (
  text: string,
  digits: string,
  isInternational: boolean,
  validateLength: ValidateLength,
): boolean => {
  const { sign, after = '' } = lastGroup.exec(text)?.groups ?? {}
  if (sign === undefined) return false
  const afterCount = after.replace(/\D/g, '').length
  const head = digits.slice(0, digits.length - afterCount)
  if (sign === '/' && hasTooManyBeforeSlash(head.length, afterCount)) return true
  const isTooLong = ['too_long', 'invalid_length', 'unknown_country'].includes(validateLength(digits) ?? '')
  if (!isTooLong) return false
  return isInternational
    ? validateLength(head) === undefined
    : head.length >= nationalDigits && !head.startsWith('0') && afterCount > 1
}
