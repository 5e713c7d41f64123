import { phoneNumberLengths } from '../phone-numbers/record.ts'
import { isAddress, normalizeTyped, uriScheme, withoutExtension } from './format.ts'
import type { ValidateLength } from './number-lengths.ts'
import { validateNumber } from './patterns.ts'
import { hasTrunkPrefix, removeTrunkPrefix } from './trunk-prefixes.ts'

/**
 * Reads phone numbers as people and programs write them. A text that is neither a number nor a deliberate pattern is
 * rejected: the platform would store it as a pattern that matches no call.
 */

export type TypedNumber =
  /** `stored` contains only digits. */
  | { is: 'number'; stored: string }
  /** `stored` is a pattern of the platform. */
  | { is: 'pattern'; stored: string }
  /** `isLost` is true if the text does not contain the number at all, because a spreadsheet changed it. */
  | { is: 'wrong'; why: string; isLost?: true }

const wrong = (why: string): TypedNumber => ({ is: 'wrong', why })
const lost = (why: string): TypedNumber => ({ is: 'wrong', why, isLost: true })

/** 1.50831E+10, 4,42E+12 and 1.5×10^10, with the decimal separators of all locales. */
// unchecked-regexp: runs on at most 255 characters
const scientific = /^[+-]?\d+(?:[.,٫]\d+)?\s*(?:e\s*[+\p{Pd}\u2212]?|[x×*·]\s*10\s*\^)\s*\d+$/iu
/** #####, #N/A, #REF!, #VALUE!, #WERT!. */
const spreadsheetError = /^#(?:#+|\p{L}[\p{L}\d/ ]*[!?]?)$/u
const decimal = /^[+-]?\d{5,}[.,٫]\d{1,2}$/
const dayFirst = /^(\d{1,2})([./-])(\d{1,2})\2(?:\d{4}|\d{2})(?:[ ,T]+\d{1,2}:.*)?$/
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

/** Returns the problem of a text that a spreadsheet has made of a number. */
const readSpreadsheetValue = (text: string): TypedNumber | undefined => {
  if (scientific.test(text))
    return lost(`A spreadsheet has shortened this number, so that its last digits are lost. ${asText}`)
  if (spreadsheetError.test(text)) return lost(`An error value of a spreadsheet, not a number. ${asText}`)
  if (decimal.test(text)) return lost(`A decimal number, not a phone number. ${asText}`)
  if (isDate(text)) return lost(`A date, not a phone number. ${asText}`)
  return undefined
}

/** Characters and positions that are only written in a regular expression, and never in a number. */
// unchecked-regexp: runs on at most 255 characters
const patternSigns = /^\^|\$$|[\d)\].]\*$|\\[dDwW]|\[[^\]]+\]|\||\.\.|[.)\]][*+?]|\{\d/
/** Anchors in the middle of a pattern: nothing can match it. */
const misplacedAnchor = /[^(|:]\^|\$[^)|]/

const readPattern = (text: string): TypedNumber => {
  const stored = text.replace(/^\+/, '')
  const fault = validateNumber(stored, phoneNumberLengths.number)
  if (fault !== undefined) return wrong(fault)
  // unchecked-regexp: runs on at most 132 characters
  const outsideClasses = stored.replace(/\\.|\[[^\]]*\]|\(\?[:=!<]+/g, '')
  if (misplacedAnchor.test(outsideClasses))
    return wrong('This pattern matches no number: ^ is only for its beginning, and $ for its end')
  if (!stored.startsWith('^') && /\p{L}/u.test(outsideClasses))
    return wrong(String.raw`A pattern with letters matches no number. Write \d for any digit`)
  return { is: 'pattern', stored }
}

const maxDigits = 15
const minDigitsAfter00 = 9
/** National numbers that begin with 011 are shorter. */
const minDigitsAfter011 = 13
/** 15,083,084,801 and 15'083'084'801. */
const withThousandsSeparators = /^\+?\d{1,3}(?:([,'’])\d{3})(?:\1\d{3})+$/
const numberSigns = /^(?:\+\s*\(|\+|\(\+?)?\s*\d[\d\s().·\p{Pd}\u2212/]*$/u

const hasBalancedBrackets = (text: string): boolean => {
  let depth = 0
  for (const sign of text) {
    depth += sign === '(' ? 1 : sign === ')' ? -1 : 0
    if (depth < 0) return false
  }
  return depth === 0
}

/** Returns why the text is no number, or undefined if only digits and separators are in it. */
const findProblem = (text: string): string | undefined => {
  if (!/\d/.test(text)) return 'This is not a phone number: it contains no digits'
  const character = /\p{L}/u.exec(text)?.[0]
  if (character !== undefined)
    return `This is not a phone number: it contains the letter “${character}”. To match exactly this text, write the pattern ^…$`
  if (/^\s*[\p{Pd}\u2212]/u.test(text)) return 'A phone number can’t begin with a minus sign'
  if (/.\+/.test(text.replace(/^\(/, ''))) return 'A + can only be the first character of a phone number'
  const sign = /[^\d\s()+.·\p{Pd}\u2212/]/u.exec(text)?.[0]
  if (sign !== undefined)
    return `A phone number can’t contain “${sign}”. To match exactly this text, write the pattern ^…$`
  if (!hasBalancedBrackets(text)) return 'A bracket is missing'
  if (isAddress(text)) return 'This is an IP address, not a phone number'
  return numberSigns.test(text) ? undefined : 'This is not a phone number'
}

const readInternational = (digits: string, validateLength: ValidateLength): TypedNumber => {
  if (digits.startsWith('0')) return wrong('No country code begins with 0. Remove the + or the 0')
  const error = validateLength(digits)
  if (error === 'unknown_country') return wrong(`+${digits.slice(0, 3)} is no country code`)
  if (hasTrunkPrefix(digits))
    return wrong(`Numbers of this country have no 0 after the country code: remove the 0 from +${digits}`)
  if (error === 'too_long' && digits.startsWith('1'))
    return wrong(`+${digits} is too long: numbers of +1 have 11 digits`)
  if (error === 'too_short') return wrong(`+${digits} is too short for a number of its country: digits are missing`)
  return { is: 'number', stored: digits }
}

/** Matches the zero in brackets that remains where the country has no trunk prefix. */
const keptZero = /^(?:\+|00)\s*\d{1,3}[\s.\p{Pd}]*\(0\)/u

const readDigits = (written: string, validateLength: ValidateLength): TypedNumber => {
  const text = withThousandsSeparators.test(written) ? written.replace(/[,'’]/g, '') : written
  const fault = findProblem(text)
  if (fault !== undefined) return wrong(fault)
  const main = removeTrunkPrefix(text)
  const all = main.replace(/\D/g, '')
  const has00 = /^00[1-9]/.test(all) && all.length >= minDigitsAfter00
  // The prefix of international calls in North America.
  const has011 = /^011[1-9]/.test(all) && all.length >= minDigitsAfter011 && validateLength(all.slice(3)) === undefined
  const digits = has00 ? all.slice(2) : has011 ? all.slice(3) : all
  if (digits.length > maxDigits)
    return wrong(`A phone number has at most ${maxDigits} digits (E.164), and this text has ${digits.length}`)
  if (keptZero.test(main) && validateLength(digits) === 'too_long')
    return wrong('Numbers of this country have no leading zero: remove the (0)')
  return has00 || has011 || /^\(?\+/.test(main)
    ? readInternational(digits, validateLength)
    : { is: 'number', stored: digits }
}

/** Matches dialed pauses before an extension. */
const pausedExtension = /^(.*\d)\s*(?:,+|;|[pw])\s*\d{1,6}#?$/i

const removeExtension = (number: string, ext: string): TypedNumber =>
  wrong(`A called number has no extension. Remove “${ext.trim()}” and import ${number.trim()}`)

const readNumber = (text: string, validateLength: ValidateLength): TypedNumber => {
  const main =
    withoutExtension(text) ?? (withThousandsSeparators.test(text) ? undefined : pausedExtension.exec(text)?.[1])
  if (main !== undefined && /\d{2}/.test(main) && !/\p{L}/u.test(main))
    return removeExtension(main, text.slice(main.length))
  return readDigits(text, validateLength)
}

/**
 * Returns the part of a URI or address that can be a number, and the parameters after it:
 * `"Bob" <sip:+15085551079@sip.example.com;user=phone>` has the part `+15085551079`. Returns undefined for other texts.
 */
const splitUri = (text: string): { user: string; parameters: string[] } | undefined => {
  const inBrackets = /<([^<>]*)>/.exec(text)?.[1] ?? text
  const rest = inBrackets.replace(uriScheme, '')
  const [beforeHost = '', ...host] = rest.split('@')
  const [user = '', ...parameters] = beforeHost.split(';')
  if (rest === text && host.length === 0 && parameters.length === 0) return undefined
  return { user: user.replace(/%2b/i, '+').trim(), parameters: parameters.map((one) => one.trim()) }
}

const readUri = (
  { user, parameters }: { user: string; parameters: string[] },
  validateLength: ValidateLength,
): TypedNumber => {
  const ext = parameters.find((one) => /^(?:ext|isub)=/i.test(one))
  if (ext !== undefined) return removeExtension(user, ext)
  const stray = parameters.find((one) => !/^[a-z][\w-]*(?:=|$)/i.test(one))
  if (stray !== undefined) return wrong('A phone number can’t contain “;”. Write one number in each row')
  const context = parameters.find((one) => /^phone-context=/i.test(one))
  if (context !== undefined && !user.startsWith('+'))
    return wrong(`A local number, which is complete only together with “${context}”. Write it with its country code`)
  const reading = readNumber(user, validateLength)
  return reading.is === 'wrong' ? wrong(`${reading.why} (of the URI)`) : reading
}

/** Removes what a spreadsheet writes around a value so that it stays a text: ="1508" and '1508. */
const removeTextMarks = (text: string): string =>
  text
    .replace(/^="?(.*?)"?$/, '$1')
    .replace(/^['’`](?=[+\d(])/, '')
    .trim()

/** The text of a cell in an import is cut at this length. */
const maxTyped = 255

/**
 * Reads the text of a number as a user typed it or a program exported it
 * (docs/reference/platform-api/numbers-and-clients.md#create-a-number). Known writings are reduced to the digits that
 * the platform compares: separators, brackets, `tel:` and `sip:` URIs, the prefixes + and 00.
 * @param validateLength checks the length of an international number. Without it, any length is accepted
 */
export const readTypedNumber = (typed: string, validateLength: ValidateLength = () => undefined): TypedNumber => {
  if (typed.length > maxTyped) return wrong(`Use at most ${phoneNumberLengths.number} characters`)
  const text = removeTextMarks(normalizeTyped(typed))
  if (text === '') return wrong('Enter a phone number')
  const spreadsheetValue = readSpreadsheetValue(text)
  if (spreadsheetValue) return spreadsheetValue
  if (/^\d+$/.test(text) && text.length > phoneNumberLengths.number)
    return wrong(`Use at most ${phoneNumberLengths.number} characters`)
  if (patternSigns.test(text)) return readPattern(text)
  const uri = splitUri(text)
  return uri ? readUri(uri, validateLength) : readNumber(text, validateLength)
}

/** Returns the text that the platform's API stores for a typed text. Existing numbers can have any form. */
export const toUncheckedNumber = (typed: string): string => typed.trim().replace(/^\+/, '')
