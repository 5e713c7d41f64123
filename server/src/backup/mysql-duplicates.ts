import { CompiledQuery, type Kysely } from 'kysely'
import { classifyDbError, quotedName } from '../database/engine.ts'
import type { Tables } from '../database/tables.ts'
import { BackupError } from './backup-error.ts'
import { findColumn } from './known-tables.ts'
import type { BackupHeader } from './manifest.ts'
import type { CellValue } from './row-encoding.ts'

/**
 * Names can be unique on SQLite, which compares bytes and ignores the case of ASCII letters, and equal on MySQL, whose
 * collations ignore case, accents, and spaces at the end.
 */

interface Duplicate {
  table: BackupHeader['tables'][number]
  /** Values in the order of the columns. */
  row: readonly CellValue[]
  /** The name of the unique index. */
  index: string
}

/** Returns the name of the unique index that an error names, or undefined for other errors. */
const findIndex = (error: unknown): string | undefined => {
  const { fault, column } = classifyDbError(error) ?? {}
  return fault === 'duplicate' ? column : undefined
}

const runQuery = async (db: Kysely<Tables>, text: string, values: readonly unknown[]) =>
  (await db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, [...values]))).rows

const readIndexColumns = async (db: Kysely<Tables>, { table, index }: Duplicate): Promise<string[]> => {
  const text = `SELECT COLUMN_NAME AS name FROM information_schema.STATISTICS
    WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND INDEX_NAME = ? ORDER BY SEQ_IN_INDEX`
  return (await runQuery(db, text, [table.name, index])).map(({ name }) => String(name))
}

/** Returns the SIDs of a row and of the row in the database that equals it, or nothing for other primary keys. */
const readSids = async (db: Kysely<Tables>, { table, row }: Duplicate, equal: readonly string[]): Promise<string> => {
  const key = table.columns.find((column) => findColumn(table.name, column)?.primary)
  if (key === undefined || equal.includes(key) || findColumn(table.name, key)?.kind.is !== 'sid') return ''
  const getValue = (column: string) => row[table.columns.indexOf(column)]
  const condition = equal.map((column) => `${quotedName('mysql', column)} = ?`).join(' AND ')
  const text = `SELECT ${quotedName('mysql', key)} AS sid FROM ${quotedName('mysql', table.name)} WHERE ${condition} LIMIT 1`
  const [stored] = await runQuery(db, text, equal.map(getValue))
  return ` (${key} ${String(stored?.['sid'])} and ${String(getValue(key))})`
}

const explainDuplicate = async (db: Kysely<Tables>, duplicate: Duplicate): Promise<BackupError> => {
  const equal = await readIndexColumns(db, duplicate)
  const sids = await readSids(db, duplicate, equal)
  return new BackupError(
    `The rows of ${duplicate.table.name} cannot be restored: two of them have the same ${equal.join(', ')}${sids} if case, ` +
      'accents, and spaces at the end are ignored, as this database does. Change one of them in the original, and back ' +
      'up again. Nothing was changed.',
  )
}

interface FailedInsert {
  table: BackupHeader['tables'][number]
  /** Values as the driver stores them. */
  rows: readonly CellValue[][]
  insert(rows: readonly CellValue[][]): Promise<unknown>
  error: unknown
}

/**
 * Throws the error of an insert of several rows. If a unique index has rejected one of them, it inserts them one by one
 * to find out which, and throws a BackupError that names both rows.
 */
export const throwDuplicate = async (db: Kysely<Tables>, failed: FailedInsert): Promise<never> => {
  const { table, rows, insert, error } = failed
  if (findIndex(error) === undefined) throw error
  for (const row of rows)
    await insert([row]).catch(async (cause: unknown) => {
      const index = findIndex(cause)
      throw index === undefined ? cause : await explainDuplicate(db, { table, row, index })
    })
  throw error
}
