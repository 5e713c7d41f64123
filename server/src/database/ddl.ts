import { type Kysely, sql } from 'kysely'
import type { Column, Table } from './columns.ts'
import type { Tables } from './tables.ts'
import { columnDefault, columnType, type EngineName } from './engine.ts'

/** Makes the tables that definitions describe. The names come from our own definitions, never from input. */

type Definitions = Readonly<Record<string, Table>>

const primaryColumn = ({ columns }: Table): string | undefined =>
  Object.entries(columns).find(([, column]) => column.primary)?.[0]

const quoted = (engine: EngineName, name: string) => (engine === 'mysql' ? `\`${name}\`` : `"${name}"`)

const columnLine = (engine: EngineName, name: string, column: Column): string =>
  [
    quoted(engine, name),
    columnType(engine, name, column),
    column.nullable ? '' : 'NOT NULL',
    column.default === undefined ? '' : `DEFAULT ${columnDefault(engine, column.default)}`,
    column.primary ? 'PRIMARY KEY' : column.unique ? 'UNIQUE' : '',
  ]
    .filter(Boolean)
    .join(' ')

const foreignKeys = (engine: EngineName, { columns }: Table, all: Definitions): string[] =>
  Object.entries(columns).flatMap(([name, { references }]) => {
    if (references === undefined) return []
    const parent = all[references.table]
    const key = parent && primaryColumn(parent)
    if (key === undefined) throw new Error(`${name} refers to ${references.table}, which has no primary key`)
    const target = `${quoted(engine, references.table)} (${quoted(engine, key)})`
    return [
      `FOREIGN KEY (${quoted(engine, name)}) REFERENCES ${target}${references.cascade ? ' ON DELETE CASCADE' : ''}`,
    ]
  })

const createTable = (engine: EngineName, name: string, table: Table, all: Definitions): string => {
  const lines = Object.entries(table.columns).map(([columnName, column]) => columnLine(engine, columnName, column))
  // SQLite cannot add a foreign key later and does not look at the parent when the table is made; MySQL is the reverse.
  const inPlace = engine === 'sqlite' ? foreignKeys(engine, table, all) : []
  const options = engine === 'mysql' ? ' ENGINE=InnoDB DEFAULT CHARSET=utf8mb4' : ''
  return `CREATE TABLE ${quoted(engine, name)} (${[...lines, ...inPlace].join(', ')})${options}`
}

interface Index {
  unique?: boolean
  on: readonly string[]
}

const indexStatement = (engine: EngineName, table: string, index: string, { unique, on }: Index): string => {
  const columns = on.map((column) => quoted(engine, column)).join(', ')
  return `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${quoted(engine, index)} ON ${quoted(engine, table)} (${columns})`
}

const createIndexes = (engine: EngineName, name: string, { indexes }: Table): string[] =>
  indexes.map((index, position) => indexStatement(engine, name, `${name}_idx_${position + 1}`, index))

/** An index that a later migration adds to a table. */
export const createIndex = async (
  db: Kysely<Tables>,
  engine: EngineName,
  table: keyof Tables,
  index: string,
  on: readonly string[],
): Promise<void> => {
  await sql.raw(indexStatement(engine, table, index, { on })).execute(db)
}

export const createTables = async (db: Kysely<Tables>, engine: EngineName, all: Definitions): Promise<void> => {
  const run = (statement: string) => sql.raw(statement).execute(db)
  for (const [name, table] of Object.entries(all)) {
    await run(createTable(engine, name, table, all))
    for (const index of createIndexes(engine, name, table)) await run(index)
  }
  if (engine === 'sqlite') return
  for (const [name, table] of Object.entries(all))
    for (const key of foreignKeys(engine, table, all)) await run(`ALTER TABLE ${quoted(engine, name)} ADD ${key}`)
}
