const northAmerican = /^(1?)([2-9]\d{2})([2-9]\d{2})(\d{4})$/

/** A North American number as people read it: +1 (508) 308-4809 or (508) 308-4809; anything else unchanged. */
export const formatPhoneNumber = (number: string): string => {
  const parts = northAmerican.exec(number)
  if (parts === null) return number
  const [, country, area, exchange, line] = parts
  return `${country ? '+1 ' : ''}(${area}) ${exchange}-${line}`
}

/** What people write between the digits: spaces and dashes of any kind, brackets, dots, slashes. */
const separated = /^(?:\+|\(\+?)?\d[\d\s().\p{Pd}\u2212/]*$/u
const extension = /(?:;\s*ext=|ext(?:ension|n)?\.?:?|x|#)\s*\d+$/i
const minDigitsWithExtension = 7

/** 10.0.0.1 or a beginning of it: at most four parts, each of which fits a byte. */
const isAddress = (text: string): boolean => {
  if (!/^\d+(?:\.\d+)+\.?$/.test(text)) return false
  const parts = text.split('.').filter(Boolean)
  return parts.length <= 4 && parts.every((part) => Number(part) <= 255)
}

/**
 * The digits of a text that is written as phone numbers are: `+1 (508) 555-1079`, `tel:+1-508-555-1079`, `555-1079`,
 * `508.555.1079 ext. 12` (the extension goes). Undefined for anything else: names, SIP URIs, IP addresses.
 */
export const numberDigits = (text: string): string | undefined => {
  const written = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .trim()
    .replace(/^tel:/i, '')
  const main = written.replace(extension, '').trimEnd()
  if (!separated.test(main) || isAddress(main)) return undefined
  // The zero of +44 (0)20 is dialled only inside the country.
  const digits = main.replace(/^(\+\d{1,3}\s*)\(0\)/, '$1').replace(/\D/g, '')
  return main !== written && digits.length < minDigitsWithExtension ? undefined : digits
}

const international = (digits: string): string => (northAmerican.test(digits) ? digits.replace(/^1?/, '1') : digits)

/** Whether two texts are one number, however they are written; texts that are no numbers must be the same. */
export const sameNumber = (one: string, other: string): boolean => {
  const [left, right] = [numberDigits(one), numberDigits(other)]
  if (left === undefined || right === undefined) return one === other
  return international(left) === international(right)
}

/** The platform takes whatever holds anything but digits for a pattern (api/5-runtime-routing.md). */
export const isPattern = (number: string): boolean => /\D/.test(number)
