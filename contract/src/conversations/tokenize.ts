/**
 * Splits spoken text into words that can be compared. Server and console split in the same way, so that the console marks
 * what the server has found.
 */

export interface TextToken {
  /** Without case and diacritics: `cafe` for `Café`. */
  term: string
  /** Position of the first UTF-16 code unit in the text. */
  start: number
  /** Position after the last one. */
  end: number
}

/** Characters of scripts that are written without spaces are words of their own, so that any part of a text is found. */
const spaceless =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'

const termPattern = new RegExp(`[${spaceless}]\\p{M}*|(?:(?![${spaceless}])[\\p{L}\\p{N}\\p{M}])+`, 'gu')

/** Accents of Latin, Greek, and Cyrillic. Marks of other scripts distinguish words. */
const diacritics = /[\u0300-\u036f]/g
const otherCharacters = /[^\p{L}\p{N}\p{M}]/gu

const foldTerm = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(diacritics, '')
    .toLowerCase()
    .replace(otherCharacters, '')
    .replaceAll('ς', 'σ')
    .normalize('NFC')

/** Returns the words of a text in their order. */
export const tokenize = (text: string): TextToken[] =>
  Array.from(text.matchAll(termPattern), (match) => ({
    term: foldTerm(match[0]),
    start: match.index,
    end: match.index + match[0].length,
  })).filter(({ term }) => term !== '')
