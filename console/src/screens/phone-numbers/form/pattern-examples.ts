import { calledNumber, toPatternRegExp } from '@patchbay/rules/phone-number/patterns'

/**
 * Creates numbers that a pattern matches, so that a user sees what a pattern does. The patterns of other libraries'
 * generators contain any character; a called number contains digits. Each example is tested with the pattern itself, so
 * that a construct that this generator does not know results in no example instead of a wrong one.
 */

/** Digits of the examples: numbers with 555 01 are reserved for fiction in North America. */
const digits = '5550123467'
/** Characters of a called number, in the order in which a class prefers them. */
const alphabet = Array.from(`${digits}89+*#abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-@`)
/** Repetitions of a part without an upper limit, so that an example has about the length of a number. */
const openRepetitions = 7
const maxRepetitions = 20

/** Writes one text that a regular expression matches. Different seeds choose different alternatives. */
class ExampleWriter {
  readonly #pattern: string
  readonly #seed: number
  #at = 0
  #written = 0

  constructor(pattern: string, seed: number) {
    this.#pattern = pattern
    this.#seed = seed
  }

  /** Throws if the pattern contains a construct that is not supported. */
  write(): string {
    const text = this.#alternatives()
    if (this.#at < this.#pattern.length) throw new Error('unsupported')
    return text
  }

  #alternatives(): string {
    const options = [this.#sequence()]
    while (this.#pattern[this.#at] === '|') {
      this.#at += 1
      options.push(this.#sequence())
    }
    return options[this.#seed % options.length] ?? ''
  }

  #sequence(): string {
    let text = ''
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#pattern[this.#at] ?? '')) text += this.#repeated()
    return text
  }

  #repeated(): string {
    const start = this.#at
    const first = this.#atom()
    const end = this.#at
    const count = this.#repetitions()
    const after = this.#at
    let text = count === 0 ? '' : first
    for (let nth = 1; nth < count; nth += 1) {
      this.#at = start
      text += this.#atom()
    }
    this.#at = Math.max(end, after)
    return text
  }

  #repetitions(): number {
    const [written = '', sign = '', min = '', comma = '', max = ''] =
      /^(?:([*+?])|\{(\d{1,3})(,?)(\d{0,3})\})\??/.exec(this.#pattern.slice(this.#at)) ?? []
    this.#at += written.length
    if (written === '') return 1
    if (sign === '?') return this.#seed % 2
    if (sign !== '' || (comma !== '' && max === ''))
      return Math.min(Math.max(Number(min), openRepetitions), maxRepetitions)
    return Math.min(Number(min), maxRepetitions)
  }

  #next(): string {
    const sign = this.#pattern[this.#at] ?? ''
    this.#at += 1
    return sign
  }

  #digit(): string {
    this.#written += 1
    return digits[(this.#written - 1 + (this.#written > 3 ? this.#seed : 0)) % digits.length] ?? '0'
  }

  #atom(): string {
    const sign = this.#next()
    if (sign === '^' || sign === '$') return ''
    if (sign === '.') return this.#digit()
    if (sign === '(') return this.#group()
    if (sign === '[') return this.#class()
    if (sign === '\\') return this.#escape(this.#next())
    return sign
  }

  #group(): string {
    if (this.#pattern.startsWith('?', this.#at)) {
      if (!this.#pattern.startsWith('?:', this.#at)) throw new Error('unsupported')
      this.#at += 2
    }
    const text = this.#alternatives()
    if (this.#next() !== ')') throw new Error('unsupported')
    return text
  }

  #escape(sign: string): string {
    if (sign === 'd' || sign === 'w') return this.#digit()
    if (sign === 'b') return ''
    if (/[a-z0-9]/i.test(sign)) throw new Error('unsupported')
    return sign
  }

  #class(): string {
    const end = /^\^?(?:\\.|[^\]\\])*/.exec(this.#pattern.slice(this.#at))?.[0].length ?? 0
    const content = this.#pattern.slice(this.#at, this.#at + end)
    this.#at += end + 1
    // unchecked-regexp: a single class of characters, which matches in constant time
    const members = new RegExp(`^[${content}]$`)
    const fitting = alphabet.filter((sign) => members.test(sign))
    const chosen = fitting[(this.#seed + this.#written) % Math.max(fitting.length, 1)]
    if (chosen === undefined) throw new Error('unsupported')
    this.#written += 1
    return chosen
  }
}

const maxExampleLength = 32

/** Returns numbers that a stored pattern matches, at most `count`. Empty if it is unknown what the pattern matches. */
export const patternExamples = (pattern: string, count = 2): string[] => {
  const expression = toPatternRegExp(pattern)
  const examples = new Set<string>()
  for (let seed = 0; seed < 8 && examples.size < count; seed += 1)
    try {
      const example = new ExampleWriter(expression.source, seed).write()
      const isMatched = example !== '' && expression.test(calledNumber(example))
      if (isMatched && example.length <= maxExampleLength) examples.add(example)
    } catch {
      return []
    }
  return [...examples]
}

/** Matches the regular expressions that consist of nothing but any characters or any digits. */
const anything = /^(?!\^\.\\d\*\$)(?:\^?(?:\.|\\d)(?:[*+]|\\d\*)\$?|\.|\\d)$/

/** Describes the numbers that such an expression matches. Called numbers can have letters, * and #. */
const describeAnything = (expression: RegExp): string => {
  if (expression.test('ab')) return ''
  if (expression.test('a5a')) return ' that contains a digit'
  if (expression.test('5a')) return ' that begins with a digit'
  return expression.test('a5') ? ' that ends with a digit' : ' that consists of digits'
}

/** Splits a regular expression at its top-level alternatives. */
const splitAlternatives = (source: string): string[] => {
  const parts = ['']
  let depth = 0
  for (const [token] of source.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|[^]/g)) {
    depth += token === '(' ? 1 : token === ')' ? -1 : 0
    if (token === '|' && depth === 0) parts.push('')
    else parts[parts.length - 1] += token
  }
  return parts
}

/** Says how to write an expression so that it matches from the beginning of a number only. */
const adviseAnchor = (source: string): string => {
  const alternatives = splitAlternatives(source)
  if (alternatives.length === 1) return 'Start it with ^ to match from the beginning.'
  return `Write ^(${alternatives.map((one) => one.replace(/^\^/, '')).join('|')}) to match from the beginning.`
}

/** Examples that are tested for a match in the middle of a number, so that those of several alternatives are among them. */
const maxTested = 8

/** Returns a number that has a match after its beginning, or undefined if no example leads to one. */
const findInnerMatch = (expression: RegExp, examples: readonly string[]): string | undefined =>
  examples
    .map((example) => `49${example}`)
    // Without an anchor, a match at the beginning can be anywhere too, such as that of \d{10}.
    .find((inside) => (expression.exec(inside)?.index ?? -1) >= (expression.source.startsWith('^') ? 1 : 0))

/**
 * Describes in one or two sentences what a stored pattern matches, with examples. The caller runs in the browser of the
 * user who typed the pattern.
 */
export const describePattern = (pattern: string): string => {
  const expression = toPatternRegExp(pattern)
  if (anything.test(expression.source))
    return `A pattern that matches every called number${describeAnything(expression)}.`
  const tested = patternExamples(pattern, maxTested)
  const examples = tested.slice(0, 2)
  if (examples.length === 0)
    return 'A pattern. Patchbay could not create a number that it matches. Check it with Test inbound routing.'
  const inside = findInnerMatch(expression, tested)
  return [
    `A pattern, not a number. It matches ${examples.join(' and ')}`,
    ...(inside === undefined
      ? ['.']
      : [`, and also ${inside}, because it matches anywhere in a number. ${adviseAnchor(expression.source)}`]),
  ].join('')
}
