import { getDeletionOrder } from '@patchbay/contract/api/record-tables'
import type { DependentTable } from '@patchbay/contract/shared/record-table'
import { sql } from 'kysely'
import { lockForUpdate } from '../../database/engine.ts'
import type { AnyTable } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { chunk } from '../../lib/chunk.ts'

/** Deletes records with all rows that are deleted with them, by the declared references (contract/src/api/record-tables.ts). */

/** Maximum number of keys in a statement. */
const chunkSize = 500

/** A table whose rows others refer to. */
export type ParentTable = DependentTable & { key: string }

/** Keys of the rows to delete, by table. */
type Keys = ReadonlyMap<string, readonly string[]>

const isParent = (table: DependentTable): table is ParentTable => table.key !== undefined

const readKeys = async (
  { trx, engine }: WriteTransaction,
  { table, key }: ParentTable,
  column: string,
  values: readonly string[],
): Promise<string[]> => {
  const keys: string[] = []
  for (const some of chunk(values, chunkSize)) {
    const selection = trx.selectFrom(table as AnyTable).select(sql.ref<string>(key).as('sid'))
    // The lock makes MySQL read the current rows instead of those at the start of the transaction.
    const rows = await lockForUpdate(engine, selection.where(sql.ref(column), 'in', some)).execute()
    keys.push(...rows.map(({ sid }) => sid))
  }
  return keys
}

/** Returns the columns with which rows of a table are deleted, and the keys to which they refer. */
const cascadingColumns = ({ references }: DependentTable, keys: Keys) =>
  Object.entries(references).flatMap(([column, { to, onDelete }]) => {
    const parents = keys.get(to) ?? []
    return onDelete === 'cascade' && parents.length > 0 ? [{ column, parents }] : []
  })

/** Clears the columns that would otherwise refer to deleted rows. */
const clearReferences = async (
  { trx }: WriteTransaction,
  { table, key }: ParentTable,
  columns: readonly string[],
  keys: readonly string[],
): Promise<void> => {
  if (columns.length === 0) return
  const cleared = Object.fromEntries(columns.map((column) => [column, null]))
  for (const some of chunk(keys, chunkSize))
    await trx
      .updateTable(table as AnyTable)
      .set(cleared)
      .where(sql.ref(key), 'in', some)
      .execute()
}

/** Deletes the rows that are deleted with records, but not the records themselves. */
export const deleteDependents = async (
  write: WriteTransaction,
  parent: ParentTable,
  sids: readonly string[],
): Promise<void> => {
  const { trx, missingSchema } = write
  const order = getDeletionOrder(parent.table).filter(({ table }) => !missingSchema.has(table))
  const names = new Set(order.map(({ table }) => table))
  const keys = new Map([[parent.table, sids]])
  const isReferenced = ({ table }: DependentTable) => getDeletionOrder(table).length > 0
  for (const table of order.toReversed().filter(isParent).filter(isReferenced)) {
    const dependents = new Set<string>()
    for (const { column, parents } of cascadingColumns(table, keys))
      for (const sid of await readKeys(write, table, column, parents)) dependents.add(sid)
    keys.set(table.table, [...dependents])
  }
  for (const table of [parent, ...order.filter(isParent)]) {
    const columns = Object.entries(table.references).flatMap(([column, { to, onDelete }]) =>
      names.has(to) && (onDelete === 'clear' || table === parent) ? [column] : [],
    )
    await clearReferences(write, table, columns, keys.get(table.table) ?? [])
  }
  for (const table of order)
    for (const { column, parents } of cascadingColumns(table, keys))
      for (const some of chunk(parents, chunkSize))
        await trx
          .deleteFrom(table.table as AnyTable)
          .where(sql.ref(column), 'in', some)
          .execute()
}

/** Deletes a record with all rows that are deleted with it. */
export const deleteRecord = async (write: WriteTransaction, parent: ParentTable, sid: string): Promise<void> => {
  // Patchbay's own tables compare SIDs with case, so their rows are found by the key as it is stored.
  const sids = await readKeys(write, parent, parent.key, [sid])
  await deleteDependents(write, parent, sids)
  await write.trx
    .deleteFrom(parent.table as AnyTable)
    .where(sql.ref(parent.key), '=', sid)
    .execute()
}
