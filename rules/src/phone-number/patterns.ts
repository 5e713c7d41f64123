/**
 * Returns the number to compare, without one leading +
 * (docs/reference/platform-api/runtime-routing.md#number-patterns).
 */
export const calledNumber = (number: string): string => number.replace(/^\+/, '')

/**
 * Returns the regular expression that the platform searches for in the called number. A * at the end matches any
 * digits.
 */
export const toPatternRegExp = (pattern: string): RegExp =>
  // unchecked-regexp: compiled here, and run only in the browser of the user who typed it
  new RegExp(pattern.replace(/\*$/, String.raw`\d*`))

/** Returns the error of a stored number or pattern, or undefined if the platform can use it. */
export const validateNumber = (number: string, maxLength: number): string | undefined => {
  if (number === '') return 'Enter a phone number'
  if (/\s/.test(number)) return 'A phone number can’t contain spaces'
  if (number.length > maxLength) return `Use at most ${maxLength} characters`
  try {
    toPatternRegExp(number)
  } catch {
    return 'The platform can’t parse this pattern and would skip it'
  }
  return undefined
}
