import { cardNumberLabel } from '@patchbay/contract/shared/masking-limits'
import { isCardNumber, maxCardDigits, minCardDigits } from './card-brands.ts'
import { canContainDigits, type DigitGroup, findDigitRuns } from './spoken-digits.ts'

/** Finds numbers of payment cards in texts. Pure. */

/** E.164 numbers have at most this many digits. */
const maxPhoneDigits = 15

/** Returns whether the number at a position is a decimal fraction, a phone number, or the user part of an address. */
const isOtherNumber = (text: string, start: number, end: number, digits: string, minStart: number): boolean => {
  if (text[end] === '@') return true
  const before = start > minStart ? text[start - 1] : undefined
  if (before === '+') return digits.length <= maxPhoneDigits
  if (before === '.') return start - 1 > minStart && /\d/.test(text[start - 2] ?? '')
  return before === ':' && /(?:sips?|tel)$/i.test(text.slice(Math.max(minStart, start - 5), start - 1))
}

/** Returns the index of the last group of the longest card number that begins with a group, or undefined. */
const findEnd = (text: string, run: readonly DigitGroup[], from: number, minStart: number): number | undefined => {
  const start = run[from]?.start ?? 0
  let found: number | undefined
  let digits = ''
  for (let at = from; at < run.length; at += 1) {
    const group = run[at]
    if (group === undefined || digits.length + group.digits.length > maxCardDigits) break
    if (group.digits === '') continue
    digits += group.digits
    if (digits.length < minCardDigits || !isCardNumber(digits)) continue
    if (!isOtherNumber(text, start, group.end, digits, minStart)) found = at
  }
  return found
}

/**
 * Replaces numbers of payment cards, in figures or in English words, with `[card number]`. A number has 13 to 19 digits,
 * the beginning of a card scheme, and the right check digit.
 */
export const maskCardNumbers = (text: string): string => {
  if (!canContainDigits(text, minCardDigits)) return text
  let masked = ''
  let end = 0
  for (const run of findDigitRuns(text))
    for (let at = 0; at < run.length; at += 1) {
      const group = run[at]
      const last = group === undefined || group.digits === '' ? undefined : findEnd(text, run, at, end)
      if (group === undefined || last === undefined) continue
      masked += text.slice(end, group.start) + cardNumberLabel
      end = run[last]?.end ?? end
      at = last
    }
  return end === 0 ? text : masked + text.slice(end)
}
