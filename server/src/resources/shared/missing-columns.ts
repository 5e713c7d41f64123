import { throwInvalid } from '@patchbay/contract/api/errors'
import type { ExpressionBuilder } from 'kysely'
import type { Column } from '../../database/columns.ts'
import { platformTables } from '../../database/platform-schema.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/** Optional columns of jambonz, which older databases lack. */

type PlatformTable = keyof typeof platformTables & keyof Tables

const getDefault = (table: PlatformTable, column: string): string | number | null =>
  (platformTables[table].columns as Readonly<Record<string, Column>>)[column]?.default ?? null

/** Selects columns under their own names. A column that the database lacks has its default. */
export const selectExisting =
  <T extends PlatformTable, C extends keyof Tables[T] & string>(
    missingSchema: ReadonlySet<string>,
    table: T,
    columns: readonly C[],
  ) =>
  (select: ExpressionBuilder<Tables, T>) =>
    columns.map((column) =>
      missingSchema.has(`${table}.${column}`)
        ? select.val(getDefault(table, column)).as(column)
        : select.ref(`${table}.${column}` as never).as(column),
    )

/**
 * Returns the values without columns that the database lacks.
 * @throws ApiError `invalid` with the field if the value of such a column is neither empty nor its default
 */
export const omitMissing = <V extends object>(
  { missingSchema }: Pick<WriteTransaction, 'missingSchema'>,
  table: PlatformTable,
  values: V,
): V => {
  const entries = Object.entries(values).filter(([column, value]) => {
    if (!missingSchema.has(`${table}.${column}`)) return true
    if (value && value !== getDefault(table, column))
      throwInvalid(`${column} needs a newer version of the platform's database`, column)
    return false
  })
  return Object.fromEntries(entries) as V
}
