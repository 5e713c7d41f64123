const northAmerican = /^(1?)([2-9]\d{2})([2-9]\d{2})(\d{4})$/

/** Formats a North American number as +1 (508) 308-4809 or (508) 308-4809. Returns other numbers unchanged. */
export const formatPhoneNumber = (number: string): string => {
  const parts = northAmerican.exec(number)
  if (parts === null) return number
  const [, country, area, exchange, line] = parts
  return `${country ? '+1 ' : ''}(${area}) ${exchange}-${line}`
}

/** Digits with separators: spaces and dashes of any kind, brackets, dots, and slashes. */
const separated = /^(?:\+|\(\+?)?\d[\d\s().\p{Pd}\u2212/]*$/u
const extension = /(?:;\s*ext=|ext(?:ension|n)?\.?:?|x|#)\s*\d+$/i
const minDigitsWithExtension = 7

/** Matches 10.0.0.1 or the beginning of an IPv4 address: at most four parts that fit a byte. */
const isAddress = (text: string): boolean => {
  if (!/^\d+(?:\.\d+)+\.?$/.test(text)) return false
  const parts = text.split('.').filter(Boolean)
  return parts.length <= 4 && parts.every((part) => Number(part) <= 255)
}

/**
 * Returns the digits of a text that is formatted like a phone number: `+1 (508) 555-1079`, `tel:+1-508-555-1079`,
 * `555-1079`, `508.555.1079 ext. 12` (without the extension). Returns undefined for other texts: names, SIP URIs, IP
 * addresses.
 */
export const numberDigits = (text: string): string | undefined => {
  const written = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .trim()
    .replace(/^tel:/i, '')
  const main = written.replace(extension, '').trimEnd()
  if (!separated.test(main) || isAddress(main)) return undefined
  // The trunk prefix in +44 (0)20 is dialed only for national calls.
  const digits = main.replace(/^(\+\d{1,3}\s*)\(0\)/, '$1').replace(/\D/g, '')
  return main !== written && digits.length < minDigitsWithExtension ? undefined : digits
}

const international = (digits: string): string => (northAmerican.test(digits) ? digits.replace(/^1?/, '1') : digits)

/** Returns whether two texts denote the same phone number, ignoring the formatting. Other texts must be identical. */
export const sameNumber = (one: string, other: string): boolean => {
  const [left, right] = [numberDigits(one), numberDigits(other)]
  if (left === undefined || right === undefined) return one === other
  return international(left) === international(right)
}

/**
 * Returns whether a stored number is a pattern. jambonz treats any number with a non-digit character as a pattern
 * (docs/reference/platform-api/runtime-routing.md#number-patterns).
 */
export const isPattern = (number: string): boolean => /\D/.test(number)
