/**
 * Parser for the InfluxDB 1.x line protocol: measurement[,tag=value…] field=value[,field=value…] [timestamp]. A
 * backslash escapes a comma, equals sign, or space. String fields are enclosed in double quotes, may contain line
 * breaks, and have the escapes \" and \\. The parser takes linear time for any input and never throws.
 */

export type FieldValue = string | number | boolean

export interface Point {
  measurement: string
  tags: ReadonlyMap<string, string>
  /** Integers beyond 2^53 are rounded to the nearest number. */
  fields: ReadonlyMap<string, FieldValue>
  /** Nanoseconds since the Unix epoch. */
  time: bigint
  /** Line number in the body, starting at 1. */
  line: number
}

export interface RejectedLine {
  /** Line number in the body, starting at 1. */
  line: number
  /** The first 120 characters of the line. */
  text: string
  reason: string
}

const nanosecondsPer = {
  n: 1n,
  ns: 1n,
  u: 1_000n,
  µ: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
} as const
export type Precision = keyof typeof nanosecondsPer

/** Returns whether a text is a time precision of InfluxDB, such as `ms`. */
export const isPrecision = (text: string): text is Precision => Object.hasOwn(nanosecondsPer, text)

/** Returned instead of thrown because a body can contain millions of malformed lines. */
class Malformed {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** Shortens names and values for reasons, which are included in responses and logs. */
const abbreviate = (text: string): string => text.slice(0, 40)

/**
 * Character codes, because comparing numbers takes a fraction of the time of comparing texts of one character. The
 * parser looks at each character twice.
 */
const code = {
  lineFeed: 0x0a,
  space: 0x20,
  quote: 0x22,
  comma: 0x2c,
  equals: 0x3d,
  backslash: 0x5c,
} as const

type IsMember = (characterCode: number) => boolean

/** The characters that a backslash escapes in names and tags. They also end them. */
const isNameSyntax: IsMember = (one) => one === code.space || one === code.comma || one === code.equals
/** The characters that a backslash escapes in quoted strings. */
const isStringSyntax: IsMember = (one) => one === code.quote || one === code.backslash
const endsBareText: IsMember = (one) => one === code.space || one === code.comma
const endsString: IsMember = (one) => one === code.quote
const isNothing: IsMember = () => false

/** Returns whether an escape begins at an offset. Beyond the end of a text, the code is NaN. */
const isEscape = (body: string, at: number, isEscapable: IsMember): boolean =>
  body.charCodeAt(at) === code.backslash && isEscapable(body.charCodeAt(at + 1))

/** Limits for the characters of a line, and for the tags and fields of a point. The points of jambonz have about 30. */
const maxLineLength = 65_536
const maxTags = 64
const maxFields = 256

/** Number of characters to skip without a point before the reader pauses, so that other tasks can run. */
const maxUnpaused = 65_536

/** Splits a body into lines. */
class Lines {
  readonly #body: string
  /** A quoted string that is still open at a line break before this offset is known to be never closed. */
  #unclosedBefore = 0

  constructor(body: string) {
    this.#body = body
  }

  /**
   * Yields the lines that are neither blank nor comments, with their line numbers. Yields undefined as a pause while it
   * skips many other lines.
   */
  *[Symbol.iterator](): Generator<{ text: string; line: number } | undefined> {
    let line = 1
    let pausedAt = 0
    for (let start = 0; start < this.#body.length; ) {
      const end = this.#endOf(start)
      const text = this.#body.slice(start, end).replace(/\r$/, '').trimStart()
      if (text !== '' && !text.startsWith('#')) {
        pausedAt = end
        yield { text, line }
      } else if (end - pausedAt > maxUnpaused) {
        pausedAt = end
        yield undefined
      }
      for (let at = this.#body.indexOf('\n', start); at >= 0 && at <= end; at = this.#body.indexOf('\n', at + 1))
        line += 1
      start = end + 1
    }
  }

  #firstLineEnd(start: number): number {
    const end = this.#body.indexOf('\n', start)
    return end < 0 ? this.#body.length : end
  }

  /**
   * Finds the end of a line. A line break inside a quoted string belongs to the string. A string that is never closed,
   * or that spans lines and closes in the middle of another value, is treated as unclosed, so that the valid lines
   * after it are not lost.
   */
  #endOf(start: number): number {
    const body = this.#body
    const first = this.#firstLineEnd(start)
    let at = start
    while (body[at] === ' ' || body[at] === '\t') at += 1
    if (body[at] === '#') return first
    let part: 'series' | 'name' | 'value' | 'time' = 'series'
    const max = start + maxLineLength
    for (; at < body.length; at += 1) {
      // The line is too long and will be rejected, so the ends of its strings do not matter.
      if (at > max) return this.#firstLineEnd(at)
      const character = body.charCodeAt(at)
      if (character === code.lineFeed) return at
      if (isEscape(body, at, isNameSyntax)) at += 1
      else if (character === code.space) part = part === 'value' ? 'time' : part === 'series' ? 'name' : part
      else if (character === code.comma && part === 'value') part = 'name'
      else if (character === code.equals && part === 'name') {
        part = 'value'
        if (body.charCodeAt(at + 1) !== code.quote) continue
        const closed = this.#endOfText(at + 2)
        if (closed === undefined) return first
        at = closed
      }
    }
    return body.length
  }

  /** Returns the offset of the closing quote, or undefined if the string is not closed. */
  #endOfText(start: number): number | undefined {
    const body = this.#body
    let spans = false
    const max = Math.min(body.length, start + maxLineLength + 1)
    for (let at = start; at < max; at += 1) {
      const character = body.charCodeAt(at)
      if (isEscape(body, at, isStringSyntax)) at += 1
      else if (character === code.quote) {
        const next = body[at + 1]
        if (!spans || next === undefined || ', \r\n'.includes(next)) return at
        this.#unclosedBefore = at
        return undefined
      } else if (character === code.lineFeed) {
        // An earlier string was also open at this line break and was never closed, so the rest is not scanned again.
        if (at < this.#unclosedBefore) return undefined
        spans = true
      }
    }
    this.#unclosedBefore = max
    return undefined
  }
}

/** Reads the parts of one line. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get rest(): string {
    return this.#text.slice(this.#at)
  }

  peek(): string | undefined {
    return this.#text[this.#at]
  }

  take(character: string): boolean {
    if (this.peek() !== character) return false
    this.#at += 1
    return true
  }

  skipSpaces(): void {
    while (this.peek() === ' ') this.#at += 1
  }

  /** Returns the text up to one of these characters. `unescape` is applied to it if it contains an escape. */
  #until(isEnd: IsMember, isEscapable: IsMember, unescape: (text: string) => string): string {
    const text = this.#text
    const start = this.#at
    let at = start
    let hasEscapes = false
    for (; at < text.length; at += 1) {
      if (isEscape(text, at, isEscapable)) {
        hasEscapes = true
        at += 1
      } else if (isEnd(text.charCodeAt(at))) break
    }
    this.#at = at
    const part = text.slice(start, at)
    return hasEscapes ? unescape(part) : part
  }

  /** An equals sign has no special meaning in a measurement, so a backslash before it is literal. */
  measurement(): string {
    return this.#until(endsBareText, isNameSyntax, (text) => text.replace(/\\([, ])/g, '$1'))
  }

  /** Reads the name of a tag or field, or the value of a tag. */
  name(): string {
    return this.#until(isNameSyntax, isNameSyntax, (text) => text.replace(/\\([, =])/g, '$1'))
  }

  /** Reads a value without quotes, which has no escapes. */
  bare(): string {
    return this.#until(endsBareText, isNothing, (text) => text)
  }

  /** Reads the string after an opening quote. */
  quoted(): string | Malformed {
    const text = this.#until(endsString, isStringSyntax, (escaped) => escaped.replace(/\\(["\\])/g, '$1'))
    return this.take('"') ? text : new Malformed('a text is not closed')
  }
}

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const signed = /^[+-]?\d{1,19}i$/
const unsigned = /^\d{1,20}u$/
const yes = new Set(['t', 'T', 'true', 'True', 'TRUE'])
const no = new Set(['f', 'F', 'false', 'False', 'FALSE'])

/** Returns undefined if the text is not a number or does not fit into 64 bits. */
const parseNumber = (text: string): number | undefined => {
  if (signed.test(text) || unsigned.test(text)) {
    const value = BigInt(text.slice(0, -1))
    const wrapped = text.endsWith('i') ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value)
    return wrapped === value ? Number(value) : undefined
  }
  const value = decimal.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : undefined
}

const bareValue = (text: string, field: string): FieldValue | Malformed => {
  if (yes.has(text)) return true
  if (no.has(text)) return false
  if (text === '') return new Malformed(`field ${abbreviate(field)} has no value`)
  return parseNumber(text) ?? new Malformed(`field ${abbreviate(field)} has the invalid value ${abbreviate(text)}`)
}

const readTags = (reader: Reader): Map<string, string> | Malformed => {
  const tags = new Map<string, string>()
  while (reader.take(',')) {
    const key = reader.name()
    if (!reader.take('=')) return new Malformed('a tag has no value')
    if (key === '') return new Malformed('a tag has no name')
    const value = reader.name()
    if (reader.peek() === '=') return new Malformed(`tag ${abbreviate(key)} holds an equals sign without a backslash`)
    if (value === '') return new Malformed(`tag ${abbreviate(key)} has no value`)
    if (tags.size >= maxTags) return new Malformed(`the point has more than ${maxTags} tags`)
    if (tags.has(key)) return new Malformed(`tag ${abbreviate(key)} is duplicated`)
    tags.set(key, value)
  }
  return tags
}

/** If a field occurs twice, the last value counts. */
const readFields = (reader: Reader): Map<string, FieldValue> | Malformed => {
  const fields = new Map<string, FieldValue>()
  do {
    const key = reader.name()
    if (key === '') return new Malformed('a field has no name')
    if (!reader.take('=')) return new Malformed(`field ${abbreviate(key)} has no value`)
    const value = reader.take('"') ? reader.quoted() : bareValue(reader.bare(), key)
    if (value instanceof Malformed) return value
    fields.set(key, value)
    if (fields.size > maxFields) return new Malformed(`the point has more than ${maxFields} fields`)
  } while (reader.take(','))
  return fields
}

const readTime = (text: string, precision: Precision, now: bigint): bigint | Malformed => {
  if (text === '') return now
  if (!/^-?\d{1,19}$/.test(text)) return new Malformed(`the timestamp ${abbreviate(text)} is invalid`)
  const time = BigInt(text) * nanosecondsPer[precision]
  return BigInt.asIntN(64, time) === time ? time : new Malformed('the timestamp is out of range')
}

const readPoint = (text: string, line: number, precision: Precision, now: bigint): Point | Malformed => {
  if (text.length > maxLineLength) return new Malformed(`the line has more than ${maxLineLength} characters`)
  const reader = new Reader(text)
  const measurement = reader.measurement()
  if (measurement === '') return new Malformed('there is no measurement')
  const tags = readTags(reader)
  if (tags instanceof Malformed) return tags
  if (!reader.take(' ')) return new Malformed('there are no fields')
  reader.skipSpaces()
  if (reader.peek() === undefined) return new Malformed('there are no fields')
  const fields = readFields(reader)
  if (fields instanceof Malformed) return fields
  if (reader.peek() !== undefined && !reader.take(' '))
    return new Malformed('something follows the fields that is no timestamp')
  const time = readTime(reader.rest.trim(), precision, now)
  if (time instanceof Malformed) return time
  return { measurement, tags, fields, time, line }
}

/**
 * Yields the points of a body in order, and the malformed lines with their reasons. Yields undefined if much text
 * contained no point, so that the caller can pause.
 *
 * @param now the time for points without a timestamp, in nanoseconds since the Unix epoch
 * @param precision the unit of timestamps
 */
export function* parseLineProtocol(
  body: string,
  { precision, now }: { precision: Precision; now: bigint },
): Generator<Point | RejectedLine | undefined> {
  for (const entry of new Lines(body)) {
    if (entry === undefined) {
      yield undefined
      continue
    }
    const { text, line } = entry
    const point = readPoint(text, line, precision, now)
    yield point instanceof Malformed ? { line, text: text.slice(0, 120), reason: point.reason } : point
  }
}

/** Returns whether a line was rejected. */
export const isRejected = (read: Point | RejectedLine): read is RejectedLine => 'reason' in read
