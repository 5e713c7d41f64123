import { z } from 'zod'
import { DamagedBackupError } from './backup-error.ts'

/**
 * The encoding of rows, which is independent of the database engine: a JSON array per row. Values that JSON cannot
 * represent exactly are objects: `{"int": "9007199254740993"}`, `{"real": "Infinity"}`, and `{"base64": "AAE="}`.
 */

/** A value of a column. Times are ISO 8601 text in UTC, and flags are 0 or 1. */
export type CellValue = null | string | number | bigint | Uint8Array

const encodeValue = (value: CellValue): unknown => {
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : { int: String(value) }
  }
  if (typeof value === 'number')
    return Number.isFinite(value) && !Object.is(value, -0) ? value : { real: encodeReal(value) }
  return value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value
}

const encodeReal = (value: number): string => (Object.is(value, -0) ? '-0' : String(value))

/** Returns a row as a line, with the line break. */
export const encodeRow = (values: readonly CellValue[]): string => `${JSON.stringify(values.map(encodeValue))}\n`

const special = z.union([
  z.strictObject({ int: z.string().regex(/^-?\d{1,19}$/) }).transform(({ int }) => BigInt(int)),
  z.strictObject({ real: z.enum(['Infinity', '-Infinity', '-0']) }).transform(({ real }) => Number(real)),
  z
    .strictObject({ base64: z.base64() })
    .transform(({ base64 }): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'))),
])

const isPlain = (value: unknown): value is null | string | number =>
  value === null || typeof value === 'string' || typeof value === 'number'

/** Lines of this size are parsed without a check, because they cannot contain values that take much memory. */
const smallLine = 2 ** 16

/** Returns the position of the quotation mark that ends a JSON text, or -1. */
const findEndOfText = (line: string, start: number): number => {
  let end = line.indexOf('"', start)
  while (end >= 0) {
    let backslashes = 0
    while (line[end - 1 - backslashes] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return end
    end = line.indexOf('"', end + 1)
  }
  return end
}

/** Returns whether a line contains more values than a row, which would take a multiple of its size as memory. */
const hasTooManyValues = (line: string, count: number): boolean => {
  if (line.length <= smallLine) return false
  const maxOutside = smallLine + 64 * count
  let outside = 0
  for (let position = 0; position < line.length && outside <= maxOutside; ) {
    const text = line.indexOf('"', position)
    // Two more for the quotation marks, so that empty texts count, too.
    outside += (text < 0 ? line.length : text) - position + 2
    const end = text < 0 ? -1 : findEndOfText(line, text + 1)
    if (end < 0) break
    position = end + 1
  }
  return outside > maxOutside
}

/**
 * Parses a line without its line break.
 * @throws DamagedBackupError if it is not a row with this number of values
 */
export const decodeRow = (line: string, count: number): CellValue[] => {
  if (hasTooManyValues(line, count)) throw new DamagedBackupError(`a row does not have ${count} values`)
  try {
    const values: unknown = JSON.parse(line)
    if (Array.isArray(values) && values.length === count)
      return values.map((value: unknown) => (isPlain(value) ? value : special.parse(value)))
  } catch (error) {
    throw new DamagedBackupError('a row is invalid', { cause: error })
  }
  throw new DamagedBackupError(`a row does not have ${count} values`)
}
