import { normalizeTyped, numberDigits } from './format.ts'

/** Reads numbers that users search for. A module of its own, because only lists search for numbers. */

/** Schemes of URIs that name a phone number or a SIP user. */
export const uriScheme = /^(?:tel|sips?|callto|sms(?:to)?|mms|fax|whatsapp|facetime|telprompt):(?:\/\/)?/i

/** Returns the part of a URI or address that can be a number. Returns other texts unchanged. */
const toUser = (text: string): string =>
  (/<([^<>]*)>/.exec(text)?.[1] ?? text).replace(uriScheme, '').split(/[@;]/, 1).join('').replace(/%2b/i, '+')

/**
 * Removes what a program writes around a number: ="1508" and '1508 of spreadsheets, which stay texts so, quotation marks,
 * and commas and semicolons after the number.
 */
export const removeTextMarks = (text: string): string =>
  text.replace(/^=?["'`\u2018-\u201f«»]*(?=[+\d(])|(?<=\d)["'`\u2018-\u201f«»\s,;]*$/g, '')

const toNumberText = (typed: string): string => toUser(removeTextMarks(normalizeTyped(typed))).replace(/^\+\s+/, '+')

/** Returns the digits of a number or of a URI as they are written, or undefined for other texts. */
export const writtenDigits = (typed: string): string | undefined => numberDigits(toNumberText(typed))

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
  const text = toNumberText(typed)
  const digits = numberDigits(text)
  if (digits === undefined || digits === '') return undefined
  // With at least five digits, 00 is the prefix of an international call, with seven, 0 that of a national one, and with
  // 13, 011 is that of an international call from North America, and 0011 that of one from Australia. Written apart, 8 is
  // that of a national call in Russia: 8 (495) 123-45-67.
  const prefixes = /^8[\s(-]/.test(text)
    ? /^8(?=\d{10}$)/
    : /^0(?:011(?=[1-9]\d{8})|0(?=[1-9]\d\d)|11(?=[1-9]\d{9})|(?=[1-9]\d{5}))/
  const [prefix = ''] = prefixes.exec(digits) ?? []
  const hasPlus = /^\(?\+/.test(text)
  return { digits: hasPlus ? digits : digits.slice(prefix.length), isInternational: hasPlus || prefix.length > 1 }
}
