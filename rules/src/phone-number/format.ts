import { toAsciiDigit } from '../lib/digits.ts'

const northAmerican = /^(1?)([2-9]\d{2})([2-9]\d{2})(\d{4})$/

/**
 * Matches the first digits of the calling codes with which a number of ten digits can begin: 4533123456 is a Danish
 * number as well as one with the area code 453. A short copy of the numbering plans, because every screen loads it. A
 * test compares both.
 */
const tenDigitCallingCode = /^(?:2[02-79]|3[125-9]|4[235-9]|5[13579]|50[137]|6|8[24-68]|9[125-7])/

/** Returns whether a number of ten digits can be one with a calling code too. Only the numbering plans can decide. */
export const maybeOtherCountry = (number: string): boolean => number.length === 10 && tenDigitCallingCode.test(number)

/** Formats a number as +1 (508) 308-4809 or (508) 308-4809 if it has the form of a North American one. */
export const formatNorthAmerican = (number: string): string => {
  const parts = northAmerican.exec(number)
  if (parts === null) return number
  const [, country, area, exchange, line] = parts
  return `${country ? '+1 ' : ''}(${area}) ${exchange}-${line}`
}

/** Formats a North American number. Returns other numbers unchanged, and those that can be of another country. */
export const formatPhoneNumber = (number: string): string =>
  maybeOtherCountry(number) ? number : formatNorthAmerican(number)

/** Digits with separators: spaces and dashes of any kind, brackets, dots on and above the line, and slashes. */
const separated = /^(?:\+|\(\+?)?\d[\d\s().·\p{Pd}\u2212/]*$/u
const extension = /(?:;\s*ext=|ext(?:ension|n)?\.?:?|x|#)\s*\d+$/i
const minDigitsWithExtension = 7

/**
 * Matches 10.0.0.1 or the beginning of an IPv4 address: at most four parts that fit a byte, and have no leading zero as
 * the parts of the number 01.23.45.67 have.
 */
export const isAddress = (text: string): boolean => {
  if (!/^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))+\.?$/.test(text)) return false
  const parts = text.split('.').filter(Boolean)
  return parts.length <= 4 && parts.every((part) => Number(part) <= 255)
}

/**
 * Normalizes full-width characters, and the digits of all scripts, and removes invisible characters such as text direction
 * marks.
 */
export const normalizeTyped = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/(?!\d)\p{Nd}/gu, toAsciiDigit)
    .replace(/\p{Cf}/gu, '')
    .trim()

/**
 * A zero at the beginning of brackets after a calling code, except those of countries whose numbers begin with zero, such
 * as Italy. A short copy of `trunkPrefixes`, because every screen loads it.
 */
const bracketedZero = /^((?:\+|00)?\s*(?!39|378|22[59]|24[12])[1-9]\d{0,2}[\s.\p{Pd}]*)\(0(\d{0,4})\)/u
/** The trunk prefixes 8, 06, and 01 in brackets. */
const bracketedOther = /^((?:\+|00)\s*(?:7|375|993|36|52)[\s.\p{Pd}]*)\((?:8|06|01)\)/u

/** Returns the text without its extension, such as `x12`, or undefined if it has none. */
export const withoutExtension = (text: string): string | undefined => {
  const main = text.replace(extension, '').trimEnd()
  return main === text ? undefined : main
}

/**
 * Returns the digits of a text that is formatted like a phone number: `+1 (508) 555-1079`, `tel:+1-508-555-1079`,
 * `555-1079`, `508.555.1079 ext. 12` (without the extension). Returns undefined for other texts: names, SIP URIs, IP
 * addresses.
 */
export const numberDigits = (text: string): string | undefined => {
  const written = normalizeTyped(text).replace(/^tel:/i, '')
  const main = withoutExtension(written) ?? written
  if (!separated.test(main) || isAddress(main)) return undefined
  const digits = main.replace(bracketedOther, '$1').replace(bracketedZero, '$1$2').replace(/\D/g, '')
  return main !== written && digits.length < minDigitsWithExtension ? undefined : digits
}

/**
 * Returns whether a stored number is a pattern. jambonz treats any number with a non-digit character as a pattern
 * (docs/reference/platform-api/runtime-routing.md#number-patterns).
 */
export const isPattern = (number: string): boolean => /\D/.test(number)
