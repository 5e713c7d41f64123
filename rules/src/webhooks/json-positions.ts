import { type JSONVisitor, type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser'

/** Maps JSON values to their positions in the text (RFC 8259). Offsets are UTF-16 units, starting at 0. */

type Path = readonly (string | number)[]

/** Visits as many nested values as the call stack allows, which is several thousand levels. */
const visitJson = (text: string, visitor: JSONVisitor): void => {
  try {
    visit(text, visitor, { disallowComments: true })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
}

/**
 * Returns a function that returns the offset of an array item or of a property name. It returns undefined if there is
 * no such value, or if the value is deeper than `maxDepth`. If a property occurs twice, the last one counts.
 */
export const parseJsonPositions = (text: string, maxDepth = 16): ((path: Path) => number | undefined) => {
  const offsets = new Map<string, number>()
  /** Number of open objects and arrays, which is the length of the current path. */
  let depth = 0
  const record = (path: Path, offset: number) => offsets.set(JSON.stringify(path), offset)
  const recordItem = (offset: number, getPath: () => Path): void => {
    if (depth > maxDepth) return
    const path = getPath()
    if (typeof path.at(-1) !== 'string') record(path, offset)
  }
  const enter = (offset: number, _length: number, _line: number, _column: number, getPath: () => Path): void => {
    recordItem(offset, getPath)
    depth += 1
  }
  const leave = (): void => {
    depth -= 1
  }
  visitJson(text, {
    onObjectBegin: enter,
    onObjectEnd: leave,
    onArrayBegin: enter,
    onArrayEnd: leave,
    onObjectProperty: (name, offset, _length, _line, _column, getPath) => {
      if (depth <= maxDepth) record([...getPath(), name], offset)
    },
    onLiteralValue: (_value, offset, _length, _line, _column, getPath) => recordItem(offset, getPath),
  })
  return (path) => offsets.get(JSON.stringify(path))
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Returns the reason why a text is not JSON and the offset of the error, or undefined for valid JSON. */
export const findJsonError = (text: string): { message: string; at: number } | undefined => {
  if (isJson(text)) return undefined
  let first: { code: ParseErrorCode; at: number } | undefined
  visitJson(text, {
    onError: (code, at) => {
      first ??= { code, at }
    },
  })
  const at = first?.at ?? text.length
  const character = text[at]
  if (character === undefined) return { message: 'Not JSON: unexpected end', at }
  if (character === '"' && first && printParseErrorCode(first.code) === 'CommaExpected')
    return { message: 'Not JSON: a comma is missing before this quotation mark, or it is misplaced', at }
  if (character === '"') return { message: 'Not JSON: a quotation mark is unclosed or misplaced', at }
  if (first && printParseErrorCode(first.code) === 'UnexpectedEndOfNumber')
    return { message: 'Not JSON: a number is incomplete', at }
  return { message: `Not JSON: unexpected ${JSON.stringify(character)}`, at }
}

/** Returns the line and column of an offset, both starting at 1. */
export const lineAndColumn = (text: string, offset: number): { line: number; column: number } => {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}
