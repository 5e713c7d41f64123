import { type EngineName, sqlTime } from '../database/engine.ts'
import { DamagedBackupError } from './backup-error.ts'
import { findColumn } from './known-tables.ts'
import type { CellValue } from './row-encoding.ts'

type Convert = (value: CellValue) => CellValue

const keep: Convert = (value) => value

/** MySQL stores times with a precision of one second. */
const toMysqlTime: Convert = (value) => {
  if (value === null) return null
  const date = new Date(String(value))
  if (Number.isNaN(date.getTime())) throw new DamagedBackupError(`${JSON.stringify(String(value))} is not a time`)
  return sqlTime('mysql', date)
}

/** Returns a function that converts a value of a column to what the driver of an engine stores. */
export const createConverter = (engine: EngineName, table: string, column: string): Convert => {
  if (engine === 'sqlite') return keep
  const kind = findColumn(table, column)?.kind.is
  return kind === 'dateTime' || kind === 'timestamp' ? toMysqlTime : keep
}
