import { phoneNumberLengths } from '@patchbay/contract/phone-numbers/record'
import { isAddress, normalizeTyped, withoutExtension } from './format.ts'
import type { ValidateLength } from './number-lengths.ts'
import { validateNumber } from './patterns.ts'
import { removeTextMarks, uriScheme } from './searched-number.ts'
import { hasSeveralNumbers } from './several-numbers.ts'
import { describeSpreadsheetValue } from './spreadsheet-values.ts'
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

/** Characters and positions that are only written in a regular expression, and never in a number. */
// unchecked-regexp: runs on at most 255 characters
const patternSigns = /^\^|\$$|[\d)\].]\*$|\\[dDwW]|\[[^\]]+\]|\||\.\.|[.)\]][*+?]|\{\d/
/** Anchors in the middle of a pattern: nothing can match it. */
const misplacedAnchor = /[^(|:]\^|\$[^)|]/
const oneNumberPerRow = 'Write one number in each row'

/** A part of a count whose other brace is missing, such as \d{7. No called number contains a brace. */
const strayBrace = /[{}]/
const quantifier = /\{\d+(?:,\d*)?\}/g
/** A + at the beginning, which the platform removes from called numbers. */
const requiredPlus = /^\^?(?:\\\+|\[\+\])(?![*?{])/

/** A whole number, and the end of a range after dots. A pattern with wildcards there would match no usual number. */
const dottedRange = /^\d{10,}\.{2,3}\d+$/

const readPattern = (text: string): TypedNumber => {
  const stored = text.replace(/^\+/, '')
  if (dottedRange.test(stored)) return wrong(`This can be a range. ${oneNumberPerRow}`)
  if (/\s/.test(stored)) return wrong('A pattern can’t contain spaces')
  if (/^\[[^\]]+\]$/.test(stored))
    return wrong('Only one character in brackets. It would match each number that contains one of these characters')
  const fault = validateNumber(stored, phoneNumberLengths.number)
  if (fault !== undefined) return wrong(fault)
  // unchecked-regexp: runs on at most 132 characters
  const outsideClasses = stored.replace(/\\.|\[[^\]]*\]|\(\?[:=!<]+/g, '')
  if (misplacedAnchor.test(outsideClasses))
    return wrong('This pattern matches no number: ^ is only for its beginning, and $ for its end')
  if (strayBrace.test(outsideClasses.replace(quantifier, '')))
    return wrong(String.raw`This pattern matches no number: a count has braces on both sides, as in \d{7}`)
  if (/^\^?\$$/.test(stored)) return wrong('This pattern matches no number: it contains no digits')
  if (requiredPlus.test(stored))
    return wrong('This pattern matches no number: the platform removes the + of called numbers. Remove it here too')
  // unchecked-regexp: runs on at most 132 characters
  if (!stored.startsWith('^') && /\p{L}/u.test(stored.replace(/\\.|\(\?[:=!<]+/g, '')))
    return wrong(String.raw`A pattern with letters matches no number. Write \d for any digit`)
  return { is: 'pattern', stored }
}

const maxDigits = 15
const minDigitsAfter00 = 9
/** National numbers that begin with 011 are shorter. */
const minDigitsAfter011 = 13
const minDigitsAfter0011 = 13
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

/** Returns a sentence with the pattern that matches exactly a text, or an empty text if it can't be one. */
const adviseExactPattern = (text: string): string => {
  const pattern = `^${text.replace(/^\+/, '').replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}$`
  return readPattern(pattern).is === 'pattern' ? ` To match exactly this text, write the pattern ${pattern}` : ''
}

/** Returns why the text is no number, or undefined if only digits and separators are in it. */
const findProblem = (text: string): string | undefined => {
  if (!/\d/.test(text)) return 'This is not a phone number: it contains no digits'
  const character = /\p{L}/u.exec(text)?.[0]
  if (character !== undefined)
    return `This is not a phone number: it contains the letter “${character}”.${adviseExactPattern(text)}`
  if (/^\s*[\p{Pd}\u2212]/u.test(text)) return 'A phone number can’t begin with a minus sign'
  if (/.\+/.test(text.replace(/^\(/, ''))) return 'A + can only be the first character of a phone number'
  const sign = /[^\d\s()+.·\p{Pd}\u2212/]/u.exec(text)?.[0]
  if (sign === ',' || sign === ';') return `A phone number can’t contain “${sign}”. ${oneNumberPerRow}`
  if (sign !== undefined) return `A phone number can’t contain “${sign}”.${adviseExactPattern(text)}`
  if (!hasBalancedBrackets(text)) return 'A bracket is missing'
  if (isAddress(text.replace(/\/\d{1,2}$/, '')))
    return 'This looks like an IP address. Write a phone number without dots'
  return numberSigns.test(text) ? undefined : 'This is not a phone number'
}

const readInternational = (text: string, digits: string, validateLength: ValidateLength): TypedNumber => {
  if (digits.startsWith('0')) return wrong('No country code begins with 0. Remove the + or the 0')
  const error = validateLength(digits)
  if (error === 'unknown_country') return wrong(`+${digits.slice(0, 3)} is no country code`)
  if (/^\(?\+\s*8[\s(]/.test(text))
    return wrong('+8 is no country code. Numbers of Russia and Kazakhstan begin with +7')
  if (hasTrunkPrefix(digits))
    return wrong(`Numbers of this country have no 0 after the country code: remove the 0 from +${digits}`)
  if (error === 'leading_zero') return wrong(`No number of this country begins with 0: check the digits of +${digits}`)
  if (error === 'trunk_prefix')
    return wrong(`The prefix of national calls can’t follow a country code: check the digits of +${digits}`)
  if (error === 'too_long' && digits.startsWith('1'))
    return wrong(`+${digits} is too long: numbers of +1 have 11 digits`)
  if (error === 'too_short') return wrong(`+${digits} is too short for a number of its country: digits are missing`)
  return { is: 'number', stored: digits }
}

/** Matches a prefix in brackets that remains where it is none of the country. */
const keptPrefix = /^(?:\+|00|0011)?\s*([1-9]\d{0,2})[\s.\p{Pd}]*\((0\d?|8)\)/u

/** The trunk prefix of Mexico until 2019. In other countries, the digit after the 0 belongs to the number. */
const isWholePrefix = (callingCode: string, prefix: string): boolean =>
  prefix.length === 1 || (callingCode === '52' && prefix === '01')

/** Returns what is wrong with a prefix in brackets, such as (0) or (02), or undefined if it may be right. */
const findPrefixProblem = (text: string, digits: string, validateLength: ValidateLength): string | undefined => {
  const [, callingCode = '', prefix] = keptPrefix.exec(text) ?? []
  if (prefix === undefined || !['too_long', 'trunk_prefix', 'leading_zero'].includes(validateLength(digits) ?? ''))
    return undefined
  if (isWholePrefix(callingCode, prefix))
    return `Numbers of this country have no leading ${prefix === '0' ? 'zero' : prefix}: remove the (${prefix})`
  const withoutZero = callingCode + digits.slice(callingCode.length + 1)
  return validateLength(withoutZero) === undefined
    ? `Numbers of this country have no 0 after the country code: remove the 0 from (${prefix})`
    : `No number of this country begins with ${prefix}: check the digits of +${digits}`
}

const readDigits = (written: string, validateLength: ValidateLength): TypedNumber => {
  const text = withThousandsSeparators.test(written) ? written.replace(/[,'’]/g, '') : written
  const fault = findProblem(text)
  if (fault !== undefined) return wrong(fault)
  const main = removeTrunkPrefix(text)
  const all = main.replace(/\D/g, '')
  const has00 = /^00[1-9]/.test(all) && all.length >= minDigitsAfter00
  // The prefix of international calls in North America.
  const has011 = /^011[1-9]/.test(all) && all.length >= minDigitsAfter011 && validateLength(all.slice(3)) === undefined
  // That in Australia. No number of +1 begins with 1.
  const has0011 =
    /^0011[1-9]/.test(all) && all.length >= minDigitsAfter0011 && validateLength(all.slice(4)) === undefined
  const digits = has0011 ? all.slice(4) : has00 ? all.slice(2) : has011 ? all.slice(3) : all
  if (digits.length > maxDigits)
    return wrong(`A phone number has at most ${maxDigits} digits (E.164), and this text has ${digits.length}`)
  const prefixProblem = findPrefixProblem(main, digits, validateLength)
  if (prefixProblem !== undefined) return wrong(prefixProblem)
  const isInternational = has00 || has011 || has0011 || /^\(?\+/.test(main)
  if (hasSeveralNumbers(main, digits, isInternational, validateLength))
    return wrong(`This can be several numbers, or a range. ${oneNumberPerRow}, without dashes and slashes`)
  return isInternational ? readInternational(main, digits, validateLength) : { is: 'number', stored: digits }
}

/** Matches dialed pauses before an extension. */
const pausedExtension = /^(.*\d)\s*(?:,+|;|[pw])\s*\d{1,6}#?$/i

const removeExtension = (number: string, ext: string): TypedNumber =>
  wrong(`A called number has no extension. Remove “${ext.trim()}” and write ${number.trim()}`)

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
  const [userInfo = '', ...parameters] = beforeHost.split(';')
  if (rest === text && host.length === 0 && parameters.length === 0) return undefined
  // A SIP URI can contain a password (RFC 3261 section 19.1.1).
  const [user = ''] = host.length > 0 ? userInfo.split(':') : [userInfo]
  return { user: user.replace(/%2b/i, '+').trim(), parameters: parameters.map((one) => one.trim()) }
}

const readUri = (
  { user, parameters }: { user: string; parameters: string[] },
  validateLength: ValidateLength,
): TypedNumber => {
  const ext = parameters.find((one) => /^(?:ext|isub)=/i.test(one))
  if (ext !== undefined) return removeExtension(user, ext)
  const stray = parameters.find((one) => !/^[a-z][\w-]*(?:=|$)/i.test(one))
  if (stray !== undefined) return wrong(`A phone number can’t contain “;”. ${oneNumberPerRow}`)
  const context = parameters.find((one) => /^phone-context=/i.test(one))
  if (context !== undefined && !user.startsWith('+'))
    return wrong(`A local number, which is complete only together with “${context}”. Write it with its country code`)
  const reading = readNumber(user, validateLength)
  return reading.is === 'wrong' ? wrong(`${reading.why} (of the URI)`) : reading
}

const hasScheme = (text: string): boolean => uriScheme.test(text) || /<[^<>]*>/.test(text)

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
  const spreadsheetValue = describeSpreadsheetValue(text)
  if (spreadsheetValue !== undefined) return { is: 'wrong', why: spreadsheetValue, isLost: true }
  if (/^\d+$/.test(text) && text.length > phoneNumberLengths.number)
    return wrong(`Use at most ${phoneNumberLengths.number} characters`)
  const added = /\p{No}/u.exec(typed)?.[0]
  if (added !== undefined) return wrong(`A phone number can’t contain “${added}”`)
  if (text.split(/[\r\n]/).filter((line) => /\d/.test(line)).length > 1)
    return wrong(`The text has several lines. ${oneNumberPerRow}`)
  const uri = splitUri(text)
  if (patternSigns.test(text) && !hasScheme(text)) return readPattern(text)
  return uri ? readUri(uri, validateLength) : readNumber(text, validateLength)
}

/** Returns the text that the platform's API stores for a typed text. Existing numbers can have any form. */
export const toUncheckedNumber = (typed: string): string => typed.trim().replace(/^\+/, '')
