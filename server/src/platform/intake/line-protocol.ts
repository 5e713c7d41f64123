/**
 * InfluxDB 1.x line protocol: measurement[,tag=value…] field=value[,field=value…] [timestamp]. Escapes are a backslash
 * before comma, equals or space; text fields stand in double quotes, in which \" and \\ are escapes and a line end is
 * text. One pass over the body, whatever it holds; nothing throws.
 */

export type FieldValue = string | number | boolean

export interface Point {
  measurement: string
  tags: Readonly<Record<string, string>>
  fields: Readonly<Record<string, FieldValue>>
  /** nanoseconds since the epoch */
  time: bigint
  /** 1-based, of the body it came in */
  line: number
}

export interface RejectedLine {
  line: number
  /** its beginning */
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

class Malformed extends Error {}

const malformed = (reason: string): never => {
  throw new Malformed(reason)
}

interface Line {
  text: string
  line: number
}

/**
 * Where the line that begins at `start` ends. A line end inside a quoted text belongs to the text; a quote begins a
 * text only as the first character of a field's value. A text that is never closed ends its line where the line ends.
 */
const endOfLine = (body: string, start: number): number => {
  let inFields = false
  let quoted = false
  let valueStarts = false
  for (let at = start; at < body.length; at += 1) {
    const character = body[at]
    if (character === '\n' && !quoted) return at
    if (character === '\\' && body[at + 1] !== '\n') at += 1
    else if (character === ' ' && at > start) inFields = true
    else if (character === '"' && (quoted || valueStarts)) quoted = !quoted
    valueStarts = inFields && character === '='
  }
  if (!quoted) return body.length
  const first = body.indexOf('\n', start)
  return first < 0 ? body.length : first
}

const countLineEnds = (text: string): number => {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** The lines of a body that say something, with their numbers. */
const linesOf = (body: string): Line[] => {
  const lines: Line[] = []
  let line = 1
  for (let start = 0; start < body.length; ) {
    const end = endOfLine(body, start)
    const text = body.slice(start, end).replace(/\r$/, '')
    if (text.trim() !== '' && !text.trimStart().startsWith('#')) lines.push({ text, line })
    line += countLineEnds(text) + 1
    start = end + 1
  }
  return lines
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

  /** Text up to one of these characters, its escapes undone. */
  until(ends: string): string {
    let read = ''
    for (;;) {
      const character = this.peek()
      if (character === undefined || ends.includes(character)) return read
      const next = this.#text[this.#at + 1]
      if (character === '\\' && next !== undefined && ', ='.includes(next)) {
        read += next
        this.#at += 2
      } else {
        read += character
        this.#at += 1
      }
    }
  }

  /** The text after an opening quote. */
  quoted(): string {
    let read = ''
    for (;;) {
      const character = this.peek()
      if (character === undefined) return malformed('a text is not closed')
      this.#at += 1
      if (character === '"') return read
      const next = this.peek()
      if (character === '\\' && (next === '"' || next === '\\')) {
        read += next
        this.#at += 1
      } else read += character
    }
  }
}

const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const integer = /^[+-]?\d+i$|^\d+u$/
const yes = new Set(['t', 'T', 'true', 'True', 'TRUE'])
const no = new Set(['f', 'F', 'false', 'False', 'FALSE'])

const bareValue = (text: string, field: string): FieldValue => {
  if (integer.test(text)) return Number(text.slice(0, -1))
  if (number.test(text) && Number.isFinite(Number(text))) return Number(text)
  if (yes.has(text)) return true
  if (no.has(text)) return false
  return malformed(text === '' ? `field ${field} has no value` : `field ${field} has the invalid value ${text.slice(0, 40)}`)
}

const readTags = (reader: Reader): Map<string, string> => {
  const tags = new Map<string, string>()
  while (reader.take(',')) {
    const key = reader.until(',= ')
    if (!reader.take('=')) return malformed('a tag has no value')
    const value = reader.until(', ')
    if (key === '' || value === '') return malformed(key === '' ? 'a tag has no name' : `tag ${key} has no value`)
    if (tags.has(key)) return malformed(`tag ${key} stands twice`)
    tags.set(key, value)
  }
  return tags
}

const readFields = (reader: Reader): Map<string, FieldValue> => {
  const fields = new Map<string, FieldValue>()
  do {
    const key = reader.until(',= ')
    if (key === '') return malformed('a field has no name')
    if (!reader.take('=')) return malformed(`field ${key} has no value`)
    fields.set(key, reader.take('"') ? reader.quoted() : bareValue(reader.until(', '), key))
  } while (reader.take(','))
  return fields
}

const readTime = (text: string, precision: Precision, now: bigint): bigint => {
  if (text === '') return now
  if (!/^-?\d{1,19}$/.test(text)) return malformed(`the timestamp ${text.slice(0, 40)} is invalid`)
  const time = BigInt(text) * nanosecondsPer[precision]
  // What a 64-bit count of nanoseconds can hold.
  return time >= -(2n ** 63n) && time < 2n ** 63n ? time : malformed('the timestamp is out of range')
}

/** A record without a prototype, so that no name in the input can mean anything but itself. */
const record = <T>(entries: Map<string, T>): Record<string, T> => {
  const made: Record<string, T> = Object.create(null)
  for (const [key, value] of entries) made[key] = value
  return made
}

const readPoint = (text: string, line: number, precision: Precision, now: bigint): Point => {
  const reader = new Reader(text.trimStart())
  const measurement = reader.until(', ')
  if (measurement === '') return malformed('there is no measurement')
  const tags = readTags(reader)
  if (!reader.take(' ')) return malformed('there are no fields')
  reader.skipSpaces()
  const fields = readFields(reader)
  if (reader.peek() !== undefined && !reader.take(' ')) return malformed('something follows the fields that is no timestamp')
  const time = readTime(reader.rest.trim(), precision, now)
  return { measurement, tags: record(tags), fields: record(fields), time, line }
}

/** The points of a body, and the lines that are none, each with its reason. */
export const parseLineProtocol = (
  body: string,
  { precision, now }: { precision: Precision; now: bigint },
): { points: Point[]; rejected: RejectedLine[] } => {
  const points: Point[] = []
  const rejected: RejectedLine[] = []
  for (const { text, line } of linesOf(body)) {
    try {
      points.push(readPoint(text, line, precision, now))
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      rejected.push({ line, text: text.slice(0, 120), reason: error.message })
    }
  }
  return { points, rejected }
}
