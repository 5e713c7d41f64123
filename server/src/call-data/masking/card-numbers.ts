import { cardNumberLabel } from '@patchbay/contract/shared/masking-limits'
import { isCardNumber, maxCardDigits, minCardDigits } from './card-brands.ts'
import { hasMarkup, type PlainText, toPlainText } from './plain-text.ts'
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

/**
 * Cards with 13 digits are printed in these groups. In others, 13 digits are more often a phone number with the start of
 * the next number.
 */
const shortGroups: ReadonlySet<string> = new Set(['13', '4333', '4441', '1444', '1'.repeat(minCardDigits)])

/** American Express, and Diners Club. */
const unequalGroups: ReadonlySet<string> = new Set(['465', '464'])

/** Returns whether all groups have the same size, of which the last can have less. */
const areEqual = (sizes: readonly number[]): boolean => {
  const [first = 0] = sizes
  return sizes.every((size, at) => size === first || (at === sizes.length - 1 && size < first))
}

const listSeparator = /[,;\n]/

/** Returns whether the groups begin or end within a number of a list, and contain a part of another. */
const areOfList = (text: string, run: readonly DigitGroup[], from: number, to: number): boolean => {
  const endsNumber = (at: number): boolean => {
    const [group, next] = [run[at], run[at + 1]]
    return group === undefined || next === undefined || listSeparator.test(text.slice(group.end, next.start))
  }
  if (endsNumber(from - 1) && endsNumber(to)) return false
  return run.slice(from, to).some((_group, offset) => endsNumber(from + offset))
}

/** Returns whether card numbers are written in these groups. Words can have any. */
const areCardGroups = (text: string, run: readonly DigitGroup[], from: number, to: number): boolean => {
  const groups = run.slice(from, to + 1)
  if (groups.some(({ start }) => !/\d/.test(text[start] ?? ''))) return true
  const sizes = groups.map(({ digits }) => digits.length)
  const digits = sizes.reduce((sum, size) => sum + size, 0)
  if (digits === minCardDigits) return shortGroups.has(sizes.join(''))
  return areEqual(sizes) || unequalGroups.has(sizes.join('')) || !areOfList(text, run, from, to)
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
    if (digits.length < minCardDigits || !isCardNumber(digits) || !areCardGroups(text, run, from, at)) continue
    if (!isOtherNumber(text, start, group.end, digits, minStart)) found = at
  }
  return found
}

interface Range {
  start: number
  end: number
}

/** Returns the positions in the original of the card numbers of a plain text. */
const findRanges = ({ text, toStart, toEnd }: PlainText): Range[] => {
  const ranges: Range[] = []
  let minStart = 0
  for (const run of findDigitRuns(text))
    for (let at = 0; at < run.length; at += 1) {
      const group = run[at]
      const last = group === undefined || group.digits === '' ? undefined : findEnd(text, run, at, minStart)
      if (group === undefined || last === undefined) continue
      minStart = run[last]?.end ?? minStart
      ranges.push({ start: toStart(group.start), end: toEnd(minStart) })
      at = last
    }
  return ranges
}

const replaceRanges = (text: string, ranges: readonly Range[]): string => {
  let masked = ''
  let end = 0
  for (const range of ranges) {
    masked += text.slice(end, range.start) + cardNumberLabel
    end = range.end
  }
  return end === 0 ? text : masked + text.slice(end)
}

/**
 * Replaces numbers of payment cards, in figures of any script or in English words, with `[card number]`. A number has 13
 * to 19 digits, the beginning of a card scheme, and the right check digit.
 */
export const maskCardNumbers = (text: string): string => {
  if (!canContainDigits(text, minCardDigits)) return text
  const masked = replaceRanges(text, findRanges(toPlainText(text, false)))
  return hasMarkup(masked) ? replaceRanges(masked, findRanges(toPlainText(masked, true))) : masked
}

/**
 * Replaces the parts of card numbers that are spread over several texts, such as the turns of a speaker.
 * @returns the texts in the same order
 */
export const maskCardSequence = (parts: readonly string[]): string[] => {
  const joined = parts.join('\n')
  if (!canContainDigits(joined, minCardDigits)) return [...parts]
  const ranges = findRanges(toPlainText(joined, hasMarkup(joined)))
  let offset = 0
  let first = 0
  return parts.map((text) => {
    const [from, until] = [offset, offset + text.length]
    offset = until + 1
    while ((ranges[first]?.end ?? Infinity) <= from) first += 1
    if (text === '') return text
    const own: Range[] = []
    for (let at = first; (ranges[at]?.start ?? Infinity) < until; at += 1) {
      const { start, end } = ranges[at] ?? { start: 0, end: 0 }
      own.push({ start: Math.max(start, from) - from, end: Math.min(end, until) - from })
    }
    return replaceRanges(text, own)
  })
}
