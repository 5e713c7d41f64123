import { isDecimalDigit, toAsciiDigit } from '@patchbay/rules/lib/digits'

/**
 * Reads a text as a listener hears it: with figures of all scripts as 0 to 9, without invisible characters, and without
 * markup for synthesis. Positions refer to the original. Pure.
 */

export interface PlainText {
  text: string
  /** Returns the position in the original of a character of the plain text, or the end of the original. */
  toStart(at: number): number
  /** Returns the position in the original of the end of the characters before a position of the plain text. */
  toEnd(at: number): number
}

/** Tags of SSML and of other markup for synthesis, and character references between figures. */
const markup = /<\/?[a-z][^<>]{0,200}>|&(?:nbsp|shy|ensp|emsp|thinsp|zwj|zwnj|#x?[\da-f]{1,6});/giy

/** Soft hyphens, zero-width characters, variation selectors, and the frame of emoji with figures. */
const invisible = /[\p{Default_Ignorable_Code_Point}\u20e3]/u
const mark = /\p{M}/u
/** Figures in circles, and above or below the line. */
const otherNumber = /\p{No}/u

/** Scripts that put no space between words and figures. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u
/** Ends a run of figures, and is no part of a word. */
const wordBreak = '¦'

const toFigure = (character: string): string | undefined => {
  const compatible = character.normalize('NFKC')
  return /^\d$/.test(compatible) ? compatible : undefined
}

/** Returns the character that a character other than ASCII stands for. Empty if it cannot be seen. */
const translate = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  if (invisible.test(character)) return ''
  if (isDecimalDigit(character)) return toAsciiDigit(character)
  if (otherNumber.test(character)) return toFigure(character) ?? character
  // Full-width forms of ASCII.
  if (code >= 0xff_01 && code <= 0xff_5e) return String.fromCodePoint(code - 0xfe_e0)
  return unspaced.test(character) ? wordBreak : character
}

/** Translations by character: there are 143,000 characters at most, and a text has few different ones. */
const translations = new Map<string, string>()
const maxTranslations = 5000

const getTranslation = (character: string): string => {
  const cached = translations.get(character)
  if (cached !== undefined) return cached
  if (translations.size >= maxTranslations) translations.clear()
  const translation = translate(character)
  translations.set(character, translation)
  return translation
}

const needsTranslation = /\P{ASCII}/u

/**
 * Returns the plain text.
 * @param readsMarkup whether tags are read as spaces. Their attributes are texts, too, so a text with tags is read twice.
 */
export const toPlainText = (text: string, readsMarkup: boolean): PlainText => {
  if (!readsMarkup && !needsTranslation.test(text)) return { text, toStart: (at) => at, toEnd: (at) => at }
  let plain = ''
  const starts: number[] = []
  const ends: number[] = []
  const add = (translation: string, start: number, end: number) => {
    plain += translation
    for (let unit = 0; unit < translation.length; unit += 1) {
      starts.push(start)
      ends.push(end)
    }
  }
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0
    if (readsMarkup && (code === 0x3c || code === 0x26)) {
      markup.lastIndex = at
      const tag = markup.exec(text)?.[0]
      if (tag !== undefined) {
        // Tags in a row are one space.
        if (!plain.endsWith(' ')) add(' ', at, at + tag.length)
        at += tag.length
        continue
      }
    }
    const character = String.fromCodePoint(code)
    const isMarkOfDigit = code > 127 && mark.test(character) && /\d$/.test(plain.slice(-1))
    const translation = code < 128 ? character : isMarkOfDigit ? '' : getTranslation(character)
    add(translation, at, at + character.length)
    at += character.length
  }
  return {
    text: plain,
    toStart: (at) => starts[at] ?? text.length,
    toEnd: (at) => (at === 0 ? 0 : (ends[at - 1] ?? text.length)),
  }
}

/** Returns whether a text contains tags or character references. */
export const hasMarkup = (text: string): boolean => text.includes('<') || text.includes('&')
