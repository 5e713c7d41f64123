import { getIbanLength, isIban } from './iban.ts'

/** Finds digits in a text: as figures, and as English words, as a caller reads a card number aloud. Pure. */

export interface DigitGroup {
  start: number
  end: number
  /** Empty for a word between digits that means none, such as "and". */
  digits: string
}

const digitsByToken: ReadonlyMap<string, string> = new Map(
  Object.entries({
    zero: '0',
    oh: '0',
    o: '0',
    one: '1',
    two: '2',
    three: '3',
    four: '4',
    five: '5',
    six: '6',
    seven: '7',
    eight: '8',
    nine: '9',
    ten: '10',
    eleven: '11',
    twelve: '12',
    thirteen: '13',
    fourteen: '14',
    fifteen: '15',
    sixteen: '16',
    seventeen: '17',
    eighteen: '18',
    nineteen: '19',
    twenty: '20',
    thirty: '30',
    forty: '40',
    fifty: '50',
    sixty: '60',
    seventy: '70',
    eighty: '80',
    ninety: '90',
  }),
)

const repetitions: ReadonlyMap<string, number> = new Map([
  ['double', 2],
  ['triple', 3],
  ['treble', 3],
  ['quadruple', 4],
])

/** Words that callers say between the groups of a number, and names of punctuation that some recognitions write out. */
const fillers: ReadonlySet<string> = new Set(
  (
    'and then next uh uhm um er erm ah eh hmm hm mm okay ok so ' +
    'dash space hyphen minus slash dot point period comma pause underscore colon'
  ).split(' '),
)

/** Words, figures, and names of both. A name is no group of figures. */
const atoms = /[\p{L}\p{M}\p{N}_]+/gu

/** Longer gaps are no pauses within a number. */
const maxSeparatorLength = 8
const separators = /^[\s\p{Pd}\p{Cc},.…−·・‧∙⋅/_:;|~#*'"“”‘’،٫٬、。]+$/u

/**
 * Returns whether the characters between two groups separate groups of a number. Without a space, full stops, colons, and
 * slashes separate the groups of a card only after four figures or more, unlike in addresses, dates, and times.
 */
const isSeparator = (gap: string, before: DigitGroup, after: DigitGroup): boolean => {
  if (gap.length > maxSeparatorLength || !separators.test(gap)) return false
  if (/\s/.test(gap) || !/[.:/]/.test(gap) || before.digits.length >= 4) return true
  return before.digits.length === 1 && after.digits.length === 1 && !gap.includes('.')
}

interface Token extends DigitGroup {
  word: string
}

const isUnit = ({ digits, word }: Token): boolean => word !== '' && digits.length === 1 && digits !== '0'

/** Joins words that mean one group: "double four", "forty two". */
const joinGroups = (run: readonly Token[]): DigitGroup[] => {
  const groups: DigitGroup[] = []
  for (let at = 0; at < run.length; at += 1) {
    const token = run[at]
    const next = run[at + 1]
    if (token === undefined) break
    const { word, start, digits } = token
    const times = repetitions.get(word)
    if (times !== undefined && next?.digits.length === 1) {
      groups.push({ start, end: next.end, digits: next.digits.repeat(times) })
      at += 1
    } else if (word.endsWith('ty') && next !== undefined && isUnit(next) && next.start - token.end === 1) {
      groups.push({ start, end: next.end, digits: digits.charAt(0) + next.digits })
      at += 1
    } else groups.push(token)
  }
  return groups
}

interface Atom {
  start: number
  end: number
  text: string
}

/** Returns the words of a text. Figures that underscores separate are words of their own. */
const findAtoms = (text: string): Atom[] => {
  const found: Atom[] = []
  for (const { 0: match, index } of text.matchAll(atoms)) {
    if (!match.includes('_') || !/^[\d_]+$/.test(match) || match.startsWith('_') || match.endsWith('_'))
      found.push({ text: match, start: index, end: index + match.length })
    else
      for (const { 0: figures, index: offset } of match.matchAll(/\d+/g))
        found.push({ text: figures, start: index + offset, end: index + offset + figures.length })
  }
  return found
}

const uuidLengths = [8, 4, 4, 4, 12]

/** Returns the number of words that are a UUID. */
const countUuid = (text: string, all: readonly Atom[], from: number): number => {
  const isPart = (length: number, offset: number): boolean => {
    const [before, part] = [all[from + offset - 1], all[from + offset]]
    if (part?.text.length !== length || !/^[\da-f]+$/i.test(part.text)) return false
    return offset === 0 || (before !== undefined && text.slice(before.end, part.start) === '-')
  }
  return uuidLengths.every(isPart) ? uuidLengths.length : 0
}

/** Returns the number of words that are an IBAN, in one piece or in groups. */
const countIban = (text: string, all: readonly Atom[], from: number): number => {
  const length = getIbanLength(all[from]?.text ?? '')
  if (length === undefined) return 0
  let iban = ''
  for (let at = from; iban.length < length; at += 1) {
    const [before, part] = [all[at - 1], all[at]]
    if (part === undefined || (at > from && !/^[ -]$/.test(text.slice(before?.end, part.start)))) return 0
    iban += part.text
    if (iban.length === length) return isIban(iban) ? at - from + 1 : 0
  }
  return 0
}

const toToken = ({ text, start, end }: Atom): Token | undefined => {
  if (/^\d+$/.test(text)) return { start, end, digits: text, word: '' }
  const word = text.toLowerCase()
  const digits = digitsByToken.get(word)
  if (digits !== undefined) return { start, end, digits, word }
  return repetitions.has(word) || fillers.has(word) ? { start, end, digits: '', word } : undefined
}

/** The most digits that a word adds, as in "quadruple four". */
const maxSpokenDigits = 4

const spokenNumber =
  /\b(?:zero|oh?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)\b/gi

/** Returns whether a text can contain this number of digits, without looking where they are. */
export const canContainDigits = (text: string, count: number): boolean => {
  let remaining = count
  let isAscii = true
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code > 127) isAscii = false
    if (code < 48 || code > 57) continue
    remaining -= 1
    if (remaining <= 0) return true
  }
  if (!isAscii) remaining -= text.match(/\p{N}/gu)?.length ?? 0
  const matches = text.match(spokenNumber)?.length ?? 0
  return matches * maxSpokenDigits >= remaining
}

/** Returns the groups of digits of a plain text, in runs that nothing but spaces, punctuation, and fillers interrupts. */
export const findDigitRuns = (text: string): DigitGroup[][] => {
  const runs: Token[][] = []
  let run: Token[] = []
  const all = findAtoms(text)
  const endRun = () => {
    if (run.length > 0) runs.push(run)
    run = []
  }
  for (let at = 0; at < all.length; at += 1) {
    const skipped = countUuid(text, all, at) || countIban(text, all, at)
    const atom = all[at]
    const token = skipped > 0 || atom === undefined ? undefined : toToken(atom)
    const last = run.at(-1)
    const isNext =
      token !== undefined && last !== undefined && isSeparator(text.slice(last.end, token.start), last, token)
    if (!isNext) endRun()
    if (token !== undefined) run.push(token)
    at += Math.max(0, skipped - 1)
  }
  endRun()
  return runs.map(joinGroups)
}
