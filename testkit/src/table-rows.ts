import { randomUUID } from 'node:crypto'
import type { Column, Table } from '@patchbay/server/database/columns'
import { type Database, quotedName } from '@patchbay/server/database/engine'
import { toCurrentName } from '@patchbay/server/database/migrations/index'
import { ownTables } from '@patchbay/server/database/patchbay-schema'
import { platformTables } from '@patchbay/server/database/platform-schema'
import { migrationTable } from '@patchbay/server/database/schema-version'
import { CompiledQuery } from 'kysely'

/** Fills and reads all tables of a database of any version, to test upgrades. */

export type TableRows = ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>

const definitions: Readonly<Record<string, Table>> = { ...platformTables, ...ownTables }

const readTables = async ({ db }: Database): Promise<{ name: string; columns: string[] }[]> =>
  (await db.introspection.getTables())
    .filter(({ isView }) => !isView)
    .map(({ name, columns }) => ({ name, columns: columns.map((column) => column.name) }))

const run = async ({ db }: Database, statement: string, values: readonly unknown[] = []) =>
  (await db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(statement, [...values]))).rows

const readTable = (database: Database, table: string) =>
  run(database, `SELECT * FROM ${quotedName(database.engine, table)}`)

/** Returns all rows of all tables, except those that are skipped. */
export const readAllRows = async (
  database: Database,
  isSkipped: (table: string) => boolean = () => false,
): Promise<TableRows> => {
  const rows = new Map<string, Record<string, unknown>[]>()
  for (const { name } of await readTables(database))
    if (!isSkipped(name)) rows.set(name, await readTable(database, name))
  return rows
}

const isoTime = '2026-11-20 08:30:00'

/** Returns a value that a column without a reference accepts. */
const toValue = ({ kind }: Column): unknown => {
  switch (kind.is) {
    case 'sid':
      return randomUUID()
    case 'text':
      return randomUUID().slice(0, Math.min(36, kind.max))
    case 'longText':
      return '{}'
    case 'bytes':
      return Buffer.from('{}')
    case 'oneOf':
      return kind.values[0]
    case 'dateTime':
    case 'timestamp':
      return isoTime
    default:
      return 1
  }
}

/** Returns the value of a column of that name in any table that has rows, so that references are valid. */
const findExisting = (rows: TableRows, column: string): unknown => {
  for (const ofTable of rows.values())
    for (const row of ofTable) {
      const value = row[column]
      if (value !== undefined && value !== null) return value
    }
  return undefined
}

/** Returns the primary key of the first row of the parent table. */
const findParent = (rows: TableRows, parent: string): unknown => {
  const [key = ''] = Object.entries(definitions[parent]?.columns ?? {}).find(([, { primary }]) => primary) ?? []
  return rows.get(parent)?.[0]?.[key]
}

/** Returns a row for a table. Undefined if a table that it refers to is still empty. */
const createRow = (table: string, columns: readonly string[], rows: TableRows): unknown[] | undefined => {
  const values: unknown[] = []
  for (const column of columns) {
    const definition = definitions[table]?.columns[column]
    if (definition === undefined) throw new Error(`the schema does not define ${table}.${column}`)
    const { references, primary } = definition
    const parent = references ? findParent(rows, references.table) : undefined
    if (references && parent === undefined && references.table !== table) return undefined
    const related = column.endsWith('_sid') && !primary ? findExisting(rows, column) : undefined
    values.push(references ? (parent ?? null) : (related ?? toValue(definition)))
  }
  return values
}

/** Inserts a row into every empty table of the schema. Returns the names of the tables that are still empty. */
export const fillEmptyTables = async (database: Database): Promise<string[]> => {
  const tables = (await readTables(database)).filter(({ name }) => name in definitions)
  for (;;) {
    const rows = await readAllRows(database)
    const empty = tables.filter(({ name }) => rows.get(name)?.length === 0)
    const [next] = empty.flatMap(({ name, columns }) => {
      const values = createRow(name, columns, rows)
      return values ? [{ name, columns, values }] : []
    })
    if (next === undefined) return empty.map(({ name }) => name)
    const names = next.columns.map((column) => quotedName(database.engine, column)).join()
    const places = next.columns.map(() => '?').join()
    const statement = `INSERT INTO ${quotedName(database.engine, next.name)} (${names}) VALUES (${places})`
    await run(database, statement, next.values)
  }
}

/** Returns rows of a release with the names that this version gives to the changes of the schema. */
const withCurrentNames = (rows: TableRows): TableRows =>
  new Map(
    [...rows].map(([table, ofTable]) => [
      table,
      table === migrationTable ? ofTable.map((row) => ({ ...row, name: toCurrentName(String(row['name'])) })) : ofTable,
    ]),
  )

/**
 * Returns the rows that another state of the database lacks, as `table: row`. Columns that were added are ignored,
 * and changes of the schema have the names of this version.
 *
 * @param ignored tables that are not compared
 */
export const findLostRows = (before: TableRows, after: TableRows, ignored: readonly string[]): string[] =>
  [...withCurrentNames(before)].flatMap(([table, rows]) => {
    const [first] = rows
    if (first === undefined || ignored.includes(table)) return []
    const toKey = (row: Readonly<Record<string, unknown>>) =>
      JSON.stringify(Object.keys(first).map((column) => row[column]))
    const existing = new Set(after.get(table)?.map(toKey))
    return rows.map(toKey).flatMap((key) => (existing.has(key) ? [] : [`${table}: ${key}`]))
  })
