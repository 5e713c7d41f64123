/** Maps JSON values to their positions in the text (RFC 8259). Offsets are UTF-16 units, starting at 0. */

type Path = readonly (string | number)[]

export interface JsonPositions {
  /** Offset of the first invalid character, or the end of a truncated text. Undefined for valid JSON. */
  faultAt: number | undefined
  /**
   * Returns the offset of an array item or of a property name. Returns undefined if there is no such value, or if it is
   * deeper than `maxDepth`.
   */
  at(path: Path): number | undefined
}

const blanks = /[ \t\n\r]*/y
const scalars =
  /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

const matchAt = (pattern: RegExp, text: string, offset: number): string => {
  pattern.lastIndex = offset
  return pattern.exec(text)?.[0] ?? ''
}

/** Parses a text iteratively in a single pass. If a property occurs twice, the last one counts. */
export const parseJsonPositions = (text: string, maxDepth = 16): JsonPositions => {
  const offsets = new Map<string, number>()
  /** Path of the current value: property names and array indexes. */
  const path: (string | number)[] = []
  const note = (at: number) => {
    if (path.length <= maxDepth) offsets.set(JSON.stringify(path), at)
  }
  let offset = 0
  const skip = () => {
    offset += matchAt(blanks, text, offset).length
  }
  const take = (character: string): boolean => {
    skip()
    if (text[offset] !== character) return false
    offset += 1
    return true
  }
  /** Reads a property name and its colon, and records the offset. Returns false if there is none. */
  const readProperty = (): boolean => {
    skip()
    const name = text[offset] === '"' ? matchAt(scalars, text, offset) : ''
    if (name === '') return false
    path[path.length - 1] = String(JSON.parse(name))
    note(offset)
    offset += name.length
    return take(':')
  }
  let isComplete = false
  /**
   * Moves to the next value and leaves closed objects and arrays. Returns false at the end and at an invalid character.
   */
  const moveToNext = (): boolean => {
    for (;;) {
      const last = path.at(-1)
      if (last === undefined) {
        isComplete = true
        return false
      }
      if (take(',')) {
        if (typeof last === 'string') return readProperty()
        path[path.length - 1] = last + 1
        return true
      }
      if (!take(typeof last === 'string' ? '}' : ']')) return false
      path.pop()
    }
  }
  /** Enters an object or array, or skips an empty one. */
  const enter = (): boolean => {
    const isArray = text[offset] === '['
    offset += 1
    if (take(isArray ? ']' : '}')) return moveToNext()
    path.push(isArray ? 0 : '')
    return isArray || readProperty()
  }
  /** Skips a scalar value. */
  const skipScalar = (): boolean => {
    const { length } = matchAt(scalars, text, offset)
    offset += length
    return length > 0 && moveToNext()
  }
  for (let hasMore = true; hasMore; ) {
    skip()
    if (typeof path.at(-1) !== 'string') note(offset)
    hasMore = text[offset] === '[' || text[offset] === '{' ? enter() : skipScalar()
  }
  skip()
  return {
    faultAt: isComplete && offset === text.length ? undefined : offset,
    at: (requestedPath) => offsets.get(JSON.stringify(requestedPath)),
  }
}

/** Returns the reason why a text is not JSON and the offset of the error, or undefined for valid JSON. */
export const findJsonError = (text: string): { message: string; at: number } | undefined => {
  const at = parseJsonPositions(text).faultAt
  if (at === undefined) return undefined
  const [character] = text.slice(at)
  if (character === undefined) return { message: 'Not JSON: it ends too early', at }
  if (character === '"') return { message: 'Not JSON: a quotation mark is not closed, or cannot stand here', at }
  return { message: `Not JSON: ${JSON.stringify(character)} cannot stand here`, at }
}

/** Returns the line and column of an offset, both starting at 1. */
export const lineAndColumn = (text: string, offset: number): { line: number; column: number } => {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}
