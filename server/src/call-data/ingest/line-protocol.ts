/**
 * InfluxDB 1.x line protocol: measurement[,tag=value…] field=value[,field=value…] [timestamp]. Escapes are a backslash
 * before comma, equals or space; text fields stand in double quotes, in which \" and \\ are escapes and a line end is
 * text. Takes time in proportion to the body, whatever it holds; nothing throws.
 */

export type FieldValue = string | number | boolean

export interface Point {
  measurement: string
  tags: Readonly<Record<string, string>>
  /** integers beyond 2^53 are the nearest number */
  fields: Readonly<Record<string, FieldValue>>
  /** nanoseconds since the epoch */
  time: bigint
  /** 1-based, of the body it came in */
  line: number
}

export interface RejectedLine {
  /** 1-based, of the body it came in */
  line: number
  /** its first 120 characters */
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

export const isPrecision = (text: string): text is Precision => Object.hasOwn(nanosecondsPer, text)

/** Returned, not thrown: a body may hold millions of such lines. */
class Malformed {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** Names and values in reasons go into answers and logs: no more of them than a reader needs. */
const cut = (text: string): string => text.slice(0, 40)

const isEscape = (body: string, at: number, escapable: string): boolean => {
  const next = body[at + 1]
  return body[at] === '\\' && next !== undefined && escapable.includes(next)
}

/** Characters of a line, and tags and fields of a point. The platform's own points have about 30 of them. */
const maxLineLength = 65_536
const maxTags = 64
const maxFields = 256

/** Characters that are read without a point before the reader pauses, so that others can run. */
const maxUnpaused = 65_536

const inNames = ', ='
const inTexts = '"\\'

/** Cuts a body into lines. */
class Lines {
  readonly #body: string
  /** A text open at a line end before this place is known never to be closed. */
  #unclosedBefore = 0

  constructor(body: string) {
    this.#body = body
  }

  /** Yields the lines that are neither blank nor comments, with their 1-based numbers; now and then a pause. */
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
   * A line end inside a quoted text belongs to the text. A text that is never closed, or that runs over a line end
   * only to close in the midst of something, is a quote left open: it must not take the good lines after it along.
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
      // A line that is too long is rejected, so that where its texts end does not matter.
      if (at > max) return this.#firstLineEnd(at)
      const character = body[at]
      if (character === '\n') return at
      if (isEscape(body, at, inNames)) at += 1
      else if (character === ' ') part = part === 'value' ? 'time' : part === 'series' ? 'name' : part
      else if (character === ',' && part === 'value') part = 'name'
      else if (character === '=' && part === 'name') {
        part = 'value'
        if (body[at + 1] !== '"') continue
        const closed = this.#endOfText(at + 2)
        if (closed === undefined) return first
        at = closed
      }
    }
    return body.length
  }

  /** Where a text is closed, nothing if it is not. */
  #endOfText(start: number): number | undefined {
    const body = this.#body
    let spans = false
    const max = Math.min(body.length, start + maxLineLength + 1)
    for (let at = start; at < max; at += 1) {
      if (isEscape(body, at, inTexts)) at += 1
      else if (body[at] === '"') {
        const next = body[at + 1]
        if (!spans || next === undefined || ', \r\n'.includes(next)) return at
        this.#unclosedBefore = at
        return undefined
      } else if (body[at] === '\n') {
        // An earlier line came by here inside a text too, so this one fares no better: no second look at the rest.
        if (at < this.#unclosedBefore) return undefined
        spans = true
      }
    }
    this.#unclosedBefore = max
    return undefined
  }
}

/** Walks one line. */
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

  /** Text up to one of these characters, its escapes still in it. */
  #until(ends: string, escapable: string): string {
    const start = this.#at
    for (; this.#at < this.#text.length; this.#at += 1) {
      if (isEscape(this.#text, this.#at, escapable)) this.#at += 1
      else if (ends.includes(this.#text.charAt(this.#at))) break
    }
    return this.#text.slice(start, this.#at)
  }

  /** In a measurement an equals sign is no special character, so a backslash before it is one. */
  measurement(): string {
    return this.#until(', ', inNames).replace(/\\([, ])/g, '$1')
  }

  /** Name of a tag or field, or value of a tag. */
  name(): string {
    return this.#until(inNames, inNames).replace(/\\([, =])/g, '$1')
  }

  /** A value without quotes, in which nothing can be escaped. */
  bare(): string {
    return this.#until(', ', '')
  }

  /** The text after an opening quote. */
  quoted(): string | Malformed {
    const text = this.#until('"', inTexts).replace(/\\(["\\])/g, '$1')
    return this.take('"') ? text : new Malformed('a text is not closed')
  }
}

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const signed = /^[+-]?\d{1,19}i$/
const unsigned = /^\d{1,20}u$/
const yes = new Set(['t', 'T', 'true', 'True', 'TRUE'])
const no = new Set(['f', 'F', 'false', 'False', 'FALSE'])

/** Nothing where the text is no number, or one that 64 bits cannot hold. */
const numberOf = (text: string): number | undefined => {
  if (signed.test(text) || unsigned.test(text)) {
    const value = BigInt(text.slice(0, -1))
    const held = text.endsWith('i') ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value)
    return held === value ? Number(value) : undefined
  }
  const value = decimal.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : undefined
}

const bareValue = (text: string, field: string): FieldValue | Malformed => {
  if (yes.has(text)) return true
  if (no.has(text)) return false
  if (text === '') return new Malformed(`field ${cut(field)} has no value`)
  return numberOf(text) ?? new Malformed(`field ${cut(field)} has the invalid value ${cut(text)}`)
}

const readTags = (reader: Reader): Map<string, string> | Malformed => {
  const tags = new Map<string, string>()
  while (reader.take(',')) {
    const key = reader.name()
    if (!reader.take('=')) return new Malformed('a tag has no value')
    if (key === '') return new Malformed('a tag has no name')
    const value = reader.name()
    if (reader.peek() === '=') return new Malformed(`tag ${cut(key)} holds an equals sign without a backslash`)
    if (value === '') return new Malformed(`tag ${cut(key)} has no value`)
    if (tags.size >= maxTags) return new Malformed(`the point has more than ${maxTags} tags`)
    if (tags.has(key)) return new Malformed(`tag ${cut(key)} stands twice`)
    tags.set(key, value)
  }
  return tags
}

/** Of fields that stand twice the last counts. */
const readFields = (reader: Reader): Map<string, FieldValue> | Malformed => {
  const fields = new Map<string, FieldValue>()
  do {
    const key = reader.name()
    if (key === '') return new Malformed('a field has no name')
    if (!reader.take('=')) return new Malformed(`field ${cut(key)} has no value`)
    const value = reader.take('"') ? reader.quoted() : bareValue(reader.bare(), key)
    if (value instanceof Malformed) return value
    fields.set(key, value)
    if (fields.size > maxFields) return new Malformed(`the point has more than ${maxFields} fields`)
  } while (reader.take(','))
  return fields
}

const readTime = (text: string, precision: Precision, now: bigint): bigint | Malformed => {
  if (text === '') return now
  if (!/^-?\d{1,19}$/.test(text)) return new Malformed(`the timestamp ${cut(text)} is invalid`)
  const time = BigInt(text) * nanosecondsPer[precision]
  return BigInt.asIntN(64, time) === time ? time : new Malformed('the timestamp is out of range')
}

/** A record without a prototype, so that no name in the input can mean anything but itself. */
const record = <T>(entries: Map<string, T>): Record<string, T> => {
  const made: Record<string, T> = Object.create(null)
  for (const [key, value] of entries) made[key] = value
  return made
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
  return { measurement, tags: record(tags), fields: record(fields), time, line }
}

/**
 * Yields the points of a body and the lines that are none, each with its reason, in their order. Yields undefined where
 * much was read without a point, so that the caller can pause.
 *
 * @param now the time of points that bring none, nanoseconds since the epoch
 * @param precision the unit of the others' timestamps
 */
export function* parseLineProtocol(
  body: string,
  { precision, now }: { precision: Precision; now: bigint },
): Generator<Point | RejectedLine | undefined> {
  for (const found of new Lines(body)) {
    if (found === undefined) {
      yield undefined
      continue
    }
    const { text, line } = found
    const point = readPoint(text, line, precision, now)
    yield point instanceof Malformed ? { line, text: text.slice(0, 120), reason: point.reason } : point
  }
}

export const isRejected = (read: Point | RejectedLine): read is RejectedLine => 'reason' in read
