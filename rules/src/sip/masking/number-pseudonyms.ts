/** Pseudonyms of phone numbers, in all of their spellings: with `+`, separators, trunk and country prefixes. Pure. */

/** Numbers of fewer digits are extensions, which are recognized as whole words only. */
const windowLength = 7

/** Digits with what people write between them. */
const digitRun = /\d(?:[ ().\-_/]{0,2}\d){6,}/g
const shortNumber = /(?<![\w.])\d{4,6}(?![\w.])/g

const numberCharacters = /^[+*#\d().\-\s_/]+$/

/** Groups of digits as people write numbers. Versions and dates have smaller groups. */
const phoneGroups = /\d{7}|\d{3}[ ().-]{1,2}\d{3,4}(?!\d)/

const toDigits = (text: string): string => text.replace(/\D/g, '')

/** Trunk prefixes and international prefixes are zeros. */
const significantDigits = (digits: string): string => digits.replace(/^0+(?=\d)/, '')

interface KnownNumber {
  digits: string
  pseudonym: string
}

const isSame = (one: string, other: string): boolean => one.endsWith(other) || other.endsWith(one)

/** @param keepsLastDigits whether a pseudonym ends with the last four digits of its number */
export const createNumberPseudonyms = (keepsLastDigits: boolean) => {
  /** By the last seven digits. */
  const byWindow = new Map<string, KnownNumber[]>()
  const short = new Map<string, string>()
  let count = 0

  const name = (digits: string): string => {
    const last = keepsLastDigits && digits.length >= windowLength ? `-${digits.slice(-4)}` : ''
    return `number-${(count += 1)}${last}`
  }

  const findOrAdd = (all: string): string => {
    const digits = significantDigits(all)
    if (digits.length < windowLength) {
      const pseudonym = short.get(all) ?? name(all)
      short.set(all, pseudonym)
      return pseudonym
    }
    const window = digits.slice(-windowLength)
    const candidates = byWindow.get(window) ?? []
    const same = candidates.find((one) => isSame(one.digits, digits))
    if (same !== undefined) return same.pseudonym
    const added = { digits, pseudonym: name(digits) }
    byWindow.set(window, [...candidates, added])
    return added.pseudonym
  }

  /** Returns the number that digits contain, or undefined. */
  const findIn = (digits: string): string | undefined => {
    for (let at = 0; at + windowLength <= digits.length; at += 1) {
      const [first] = byWindow.get(digits.slice(at, at + windowLength)) ?? []
      if (first !== undefined) return first.pseudonym
    }
    return undefined
  }

  /** Replaces a number. A `+` becomes a word, because programs read what follows it as a country code. Also learns the digits of a text that is no number. Undefined if it is none. */
  const maskNumber = (text: string): string | undefined => {
    const digits = toDigits(text)
    if (numberCharacters.test(text) && digits.length > 0)
      return `${text.startsWith('+') ? 'plus-' : ''}${findOrAdd(digits)}`
    for (const [run] of text.matchAll(digitRun)) findOrAdd(toDigits(run))
    return undefined
  }

  /** Masks the numbers that have a pseudonym, wherever their digits are in a text. */
  const maskSeen = (text: string): string => text.replace(digitRun, (run) => findIn(toDigits(run)) ?? run)

  /** Masks numbers that have a pseudonym, and what is written like a number. */
  const maskAll = (text: string): string =>
    text
      .replace(digitRun, (run) => findIn(toDigits(run)) ?? (phoneGroups.test(run) ? findOrAdd(toDigits(run)) : run))
      .replace(shortNumber, (digits) => short.get(digits) ?? digits)

  return { maskNumber, maskSeen, maskAll }
}
