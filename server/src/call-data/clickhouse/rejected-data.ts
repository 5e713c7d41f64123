import { StatementError } from './run-statement.ts'

/**
 * Codes of exceptions about the content of a row, which no repetition changes: CANNOT_PARSE_ TEXT, ESCAPE_SEQUENCE,
 * QUOTED_STRING, INPUT_ASSERTION_FAILED, DATE, DATETIME, NUMBER, UUID, and BOOL, TYPE_MISMATCH, ARGUMENT_OUT_OF_BOUND,
 * INCORRECT_DATA, CANNOT_READ_ARRAY_FROM_TEXT, TOO_LARGE_STRING_SIZE, VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE, and
 * CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN.
 */
const dataCodes = new Set('6 25 26 27 38 41 72 376 467 53 69 117 130 131 321 349'.split(' '))

/** Returns whether ClickHouse has rejected the content of a row. */
export const isRejectedData = (error: unknown): boolean =>
  error instanceof StatementError && error.code !== undefined && dataCodes.has(error.code)
