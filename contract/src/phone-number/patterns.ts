import { numberDigits } from './format.ts'

/**
 * Matches texts that are stored as typed. A dot matches any character in a pattern, and an extension is not part of the
 * called number.
 */
const possiblePattern = /[.#a-z]/i

/**
 * Returns the number to store for a typed text: only the digits if the text is formatted like a phone number, otherwise
 * the text without one leading + (docs/reference/platform-api/numbers-and-clients.md#create-a-number).
 */
export const toStoredNumber = (typed: string): string => {
  const text = typed.trim()
  const hasBalancedParentheses = text.split('(').length === text.split(')').length
  return (
    (hasBalancedParentheses && !possiblePattern.test(text) ? numberDigits(text) : undefined) ?? text.replace(/^\+/, '')
  )
}

/**
 * Returns the regular expression that the platform searches for in the called number. A * at the end matches any
 * digits.
 */
const toRegExp = (pattern: string): RegExp =>
  // unchecked-regexp: only compiled, never run
  new RegExp(pattern.replace(/\*$/, String.raw`\d*`))

/** Returns the error of a stored number or pattern, or undefined if the platform can use it. */
export const validateNumber = (number: string, maxLength: number): string | undefined => {
  if (number === '') return 'Enter a phone number'
  if (/\s/.test(number)) return 'A phone number can’t contain spaces'
  if (number.length > maxLength) return `Use at most ${maxLength} characters`
  try {
    toRegExp(number)
  } catch {
    return 'The platform can’t parse this pattern and would skip it'
  }
  return undefined
}
