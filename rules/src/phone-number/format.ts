import { toAsciiDigit } from '../lib/digits.ts'

const northAmerican = /^(1?)([2-9]\d{2})([2-9]\d{2})(\d{4})$/

/**
 * Matches calling codes with which a number of ten digits can begin: 4533123456 is a Danish number as well as one with
 * the area code 453. A small copy of the numbering plans, because every screen loads it. A test compares both.
 */
const tenDigitCallingCode =
  /^(?:2(?:[07]|20|3[0189]|4[13568]|5[24]|6[379]|9[17])|3(?:[1269]|5[234589]|7[25]|8[156])|4(?:[35-9]|2[13])|5(?:[1357]|0[137]|9[25789])|6(?:[0-6]|7[03-9]|8[0358]|9[0-2])|8(?:[246]|52|8[026])|9(?:[125]|6[0178]|7[145]))/

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

/** Digits with separators: spaces and dashes of any kind, brackets, dots, and slashes. */
const separated = /^(?:\+|\(\+?)?\d[\d\s().\p{Pd}\u2212/]*$/u
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
const bracketedZero = /^((?:\+|00)?\s*(?!39|378|225|229|241|242)[1-9]\d{0,2}[\s.\p{Pd}]*)\(0(\d{0,4})\)/u
/** The trunk prefixes 8, 06, and 01 in brackets. */
const bracketedOther =
  /^((?:\+|00)\s*(?:(?:7|375|993)[\s.\p{Pd}]*(?=\(8)|36[\s.\p{Pd}]*(?=\(06)|52[\s.\p{Pd}]*(?=\(01\))))\(\d+\)/u

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

/** Schemes of URIs that name a phone number or a SIP user. */
export const uriScheme = /^(?:tel|sips?|callto|sms(?:to)?|mms|fax|whatsapp|facetime|telprompt):(?:\/\/)?/i

/** Returns the part of a URI or address that can be a number. Returns other texts unchanged. */
const toUser = (text: string): string =>
  (/<([^<>]*)>/.exec(text)?.[1] ?? text).replace(uriScheme, '').split(/[@;]/, 1).join('').replace(/%2b/i, '+')

/** A number to search for. */
export interface SearchedNumber {
  digits: string
  /** True if the digits begin with a calling code. */
  isInternational: boolean
}

/**
 * Returns the digits to search for, however the number is typed: with separators, as a URI, with the prefix 00 of
 * international calls, or with a trunk prefix 0, which no international number contains. Returns undefined for other
 * texts.
 */
export const searchedNumber = (typed: string): SearchedNumber | undefined => {
  const text = toUser(normalizeTyped(typed))
  const digits = numberDigits(text)
  if (digits === undefined || digits === '') return undefined
  // With at least five digits, 00 is the prefix of an international call, with seven, 0 that of a national one, and with
  // 13, 011 is that of an international call from North America, and 0011 that of one from Australia.
  const [prefix = ''] = /^0011(?=[1-9]\d{8})|^00(?=[1-9]\d\d)|^011(?=[1-9]\d{9})|^0(?=[1-9]\d{5})/.exec(digits) ?? []
  const hasPlus = /^\(?\+/.test(text)
  return { digits: hasPlus ? digits : digits.slice(prefix.length), isInternational: hasPlus || prefix.length > 1 }
}

/**
 * Returns whether a stored number is a pattern. jambonz treats any number with a non-digit character as a pattern
 * (docs/reference/platform-api/runtime-routing.md#number-patterns).
 */
export const isPattern = (number: string): boolean => /\D/.test(number)
