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

/**
 * Parses a line without its line break.
 * @throws DamagedBackupError if it is not a row with this number of values
 */
export const decodeRow = (line: string, count: number): CellValue[] => {
  try {
    const values: unknown = JSON.parse(line)
    if (Array.isArray(values) && values.length === count)
      return values.map((value: unknown) => (isPlain(value) ? value : special.parse(value)))
  } catch (error) {
    throw new DamagedBackupError('a row is invalid', { cause: error })
  }
  throw new DamagedBackupError(`a row does not have ${count} values`)
}
