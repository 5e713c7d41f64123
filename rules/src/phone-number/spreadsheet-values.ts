/** Recognizes texts that a spreadsheet has made of a phone number. */

/** 1.50831E+10, 4,42E+12 and 1.5×10^10, with the decimal separators of all locales. */
const scientific =
  // unchecked-regexp: runs on at most 255 characters
  /^[+-]?\d+(?:[.,٫](?<decimals>\d+))?\s*(?:e\s*[+\p{Pd}\u2212]?|[x×*·]\s*10\s*\^?)\s*(?<exponent>\d+)$/iu
/** #####, #N/A, #REF!, #VALUE!, #WERT!. */
const spreadsheetError = /^#(?:#+|\p{L}[\p{L}\d/ ]*[!?]?)$/u
/** 15083084801.0, 12.50, and 1.234. A part after a single dot can be a number too if it is longer: 030.1234567. */
const decimal = /^[+-]?(?:\d+[.,٫]\d{1,2}|(?:0|[1-9]\d{0,2})[.,٫]\d{1,3})$/
const dayFirst = /^(\d{1,2})([./-])(\d{1,2})\2(?:(?:19|20)\d{2}|\d{2})(?:[ ,T]+\d{1,2}:.*)?$/
const yearFirst = /^(?:19|20)\d\d([./-])(\d{1,2})\1(\d{1,2})(?:[ ,T]+\d{1,2}:.*)?$/

const isDayOfYear = (one: number, other: number): boolean =>
  Math.min(one, other) >= 1 && Math.min(one, other) <= 12 && Math.max(one, other) <= 31

const isDate = (text: string): boolean => {
  const day = dayFirst.exec(text)
  if (day) return isDayOfYear(Number(day[1]), Number(day[3]))
  const year = yearFirst.exec(text)
  return year !== null && isDayOfYear(Number(year[2]), Number(year[3]))
}

const asText = 'Format the column as text in the spreadsheet, and export it again.'

const describeValue = (text: string): string | undefined => {
  const { decimals = '', exponent } = scientific.exec(text)?.groups ?? {}
  if (exponent !== undefined)
    return decimals.length < Number(exponent)
      ? 'A spreadsheet has shortened this number, so that its last digits are lost.'
      : 'A number in scientific notation, not a phone number.'
  if (spreadsheetError.test(text)) return 'An error value of a spreadsheet, not a number.'
  if (decimal.test(text)) return 'A decimal number, not a phone number.'
  return isDate(text) ? 'A date, not a phone number.' : undefined
}

/** Returns why a text that a spreadsheet has made of a number is rejected, or undefined for other texts. */
export const describeSpreadsheetValue = (text: string): string | undefined => {
  const what = describeValue(text)
  return what && `${what} ${asText}`
}
