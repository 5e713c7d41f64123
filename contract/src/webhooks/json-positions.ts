/** Where things stand in a text of JSON (RFC 8259): offsets count UTF-16 units from 0. */

type Path = readonly (string | number)[]

export interface JsonPositions {
  /** of the first character that cannot stand where it does, or the end where more is missing; undefined for JSON */
  faultAt: number | undefined
  /** where a property with its name, or an item, begins; undefined where there is none, or deeper than was asked for */
  at(path: Path): number | undefined
}

const blanks = /[ \t\n\r]*/y
const scalars =
  /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

const matchAt = (pattern: RegExp, text: string, offset: number): string => {
  pattern.lastIndex = offset
  return pattern.exec(text)?.[0] ?? ''
}

/** Reads a text through once, without a call for each level. Of a property that is there twice the last counts. */
export const parseJsonPositions = (text: string, deepest = 16): JsonPositions => {
  const places = new Map<string, number>()
  /** the way to what is being read: of an object the name, of an array the index */
  const path: (string | number)[] = []
  const note = (at: number) => {
    if (path.length <= deepest) places.set(JSON.stringify(path), at)
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
  /** Its name, colon and place; false where there is none. */
  const property = (): boolean => {
    skip()
    const name = text[offset] === '"' ? matchAt(scalars, text, offset) : ''
    if (name === '') return false
    path[path.length - 1] = String(JSON.parse(name))
    note(offset)
    offset += name.length
    return take(':')
  }
  let isWhole = false
  /** Up to the next value, out of all that is closed; false at the end, and where something else stands. */
  const next = (): boolean => {
    for (;;) {
      const last = path.at(-1)
      if (last === undefined) {
        isWhole = true
        return false
      }
      if (take(',')) {
        if (typeof last === 'string') return property()
        path[path.length - 1] = last + 1
        return true
      }
      if (!take(typeof last === 'string' ? '}' : ']')) return false
      path.pop()
    }
  }
  /** Into an object or array; past it where it is empty. */
  const enter = (): boolean => {
    const isArray = text[offset] === '['
    offset += 1
    if (take(isArray ? ']' : '}')) return next()
    path.push(isArray ? 0 : '')
    return isArray || property()
  }
  /** Past a value that is neither. */
  const pass = (): boolean => {
    const { length } = matchAt(scalars, text, offset)
    offset += length
    return length > 0 && next()
  }
  for (let goesOn = true; goesOn; ) {
    skip()
    if (typeof path.at(-1) !== 'string') note(offset)
    goesOn = text[offset] === '[' || text[offset] === '{' ? enter() : pass()
  }
  skip()
  return {
    faultAt: isWhole && offset === text.length ? undefined : offset,
    at: (wanted) => places.get(JSON.stringify(wanted)),
  }
}

/** Why a text is no JSON, and from where on; undefined for JSON. */
export const findJsonError = (text: string): { message: string; at: number } | undefined => {
  const at = parseJsonPositions(text).faultAt
  if (at === undefined) return undefined
  const [character] = text.slice(at)
  if (character === undefined) return { message: 'Not JSON: it ends too early', at }
  if (character === '"') return { message: 'Not JSON: a quotation mark is not closed, or cannot stand here', at }
  return { message: `Not JSON: ${JSON.stringify(character)} cannot stand here`, at }
}

/** Line and column of an offset, both from 1. */
export const lineAndColumn = (text: string, offset: number): { line: number; column: number } => {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}
