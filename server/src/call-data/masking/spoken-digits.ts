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
])

/** Words that callers say between the groups of a number. */
const fillers: ReadonlySet<string> = new Set(['and', 'then', 'uh', 'um', 'er', 'hmm', 'dash', 'space'])

/** A UUID is matched first, so that its digits are no group. Letters next to figures make them a part of a name. */
const tokens =
  /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b|(?<![\p{L}\d_])\d+(?![\p{L}\d_])|\b[a-z]{2,9}\b/giu

const maxSeparatorLength = 4
const separators = /^[\s,.…‐-―-]+$/u

/** Full stops without a space separate the figures of a card only in groups of four or more, unlike in an address. */
const isSeparator = (gap: string, before: DigitGroup): boolean =>
  gap.length <= maxSeparatorLength && separators.test(gap) && (gap !== '.' || before.digits.length >= 4)

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

const toToken = ({ 0: match, index }: RegExpExecArray): Token | undefined => {
  const position = { start: index, end: index + match.length }
  if (/^\d+$/.test(match)) return { ...position, digits: match, word: '' }
  const word = match.toLowerCase()
  const digits = digitsByToken.get(word)
  if (digits !== undefined) return { ...position, digits, word }
  return repetitions.has(word) || fillers.has(word) ? { ...position, digits: '', word } : undefined
}

/** The most digits that a word adds, as in "triple four". */
const maxSpokenDigits = 3

const spokenNumber =
  /\b(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)\b/gi

/** Returns whether a text can contain this number of digits, without looking where they are. */
export const canContainDigits = (text: string, count: number): boolean => {
  let remaining = count
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < 48 || code > 57) continue
    remaining -= 1
    if (remaining <= 0) return true
  }
  const matches = text.match(spokenNumber)?.length ?? 0
  return matches * maxSpokenDigits >= remaining
}

/** Returns the groups of digits of a text, in runs that nothing but spaces and punctuation interrupts. */
export const findDigitRuns = (text: string): DigitGroup[][] => {
  const runs: Token[][] = []
  let run: Token[] = []
  for (const match of text.matchAll(tokens)) {
    const token = toToken(match)
    const last = run.at(-1)
    if (last !== undefined && (token === undefined || !isSeparator(text.slice(last.end, token.start), last))) {
      runs.push(run)
      run = []
    }
    if (token !== undefined) run.push(token)
  }
  runs.push(run)
  return runs.map(joinGroups)
}
