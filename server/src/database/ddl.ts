import { type Kysely, sql } from 'kysely'
import type { Column, Table } from './columns.ts'
import { columnDefault, columnType, type EngineName, quotedName } from './engine.ts'
import type { Tables } from './tables.ts'

/** Creates tables from their definitions. The names are constants, never user input. */

type Definitions = Readonly<Record<string, Table>>

const primaryColumn = ({ columns }: Table): string | undefined =>
  Object.entries(columns).find(([, column]) => column.primary)?.[0]

const columnLine = (engine: EngineName, name: string, column: Column): string =>
  [
    quotedName(engine, name),
    columnType(engine, name, column),
    column.nullable ? '' : 'NOT NULL',
    column.default === undefined ? '' : `DEFAULT ${columnDefault(engine, column.default)}`,
    column.primary ? 'PRIMARY KEY' : column.unique ? 'UNIQUE' : '',
  ]
    .filter(Boolean)
    .join(' ')

const foreignKeys = (engine: EngineName, { columns }: Table, definitions: Definitions): string[] =>
  Object.entries(columns).flatMap(([name, { references }]) => {
    if (references === undefined) return []
    const parent = definitions[references.table]
    const key = parent && primaryColumn(parent)
    if (key === undefined) throw new Error(`${name} refers to ${references.table}, which has no primary key`)
    const target = `${quotedName(engine, references.table)} (${quotedName(engine, key)})`
    return [
      `FOREIGN KEY (${quotedName(engine, name)}) REFERENCES ${target}${references.cascade ? ' ON DELETE CASCADE' : ''}`,
    ]
  })

interface Index {
  unique?: boolean
  on: readonly string[]
}

const formatIndex = (engine: EngineName, index: string, { unique, on }: Index, table?: string): string => {
  const columns = on.map((column) => quotedName(engine, column)).join(', ')
  // MySQL does not support IF NOT EXISTS here.
  const name = `${engine === 'sqlite' ? 'IF NOT EXISTS ' : ''}${quotedName(engine, index)}`
  return `${unique ? 'UNIQUE ' : ''}INDEX ${name}${table ? ` ON ${quotedName(engine, table)}` : ''} (${columns})`
}

/** Returns the statements that create a table and its indexes. MySQL creates the indexes with the table. */
const createTable = (engine: EngineName, name: string, table: Table, definitions: Definitions): string[] => {
  const columns = Object.entries(table.columns).map(([columnName, column]) => columnLine(engine, columnName, column))
  const onMysql = engine === 'mysql'
  const indexes = table.indexes.map((index, position) =>
    formatIndex(engine, `${name}_idx_${position + 1}`, index, onMysql ? undefined : name),
  )
  const lines = [...columns, ...(onMysql ? indexes : []), ...foreignKeys(engine, table, definitions)].join(', ')
  const options = onMysql ? ' ENGINE=InnoDB DEFAULT CHARSET=utf8mb4' : ''
  const statement = `CREATE TABLE IF NOT EXISTS ${quotedName(engine, name)} (${lines})${options}`
  return [statement, ...(onMysql ? [] : indexes.map((index) => `CREATE ${index}`))]
}

/** Adds columns to a table that an earlier version has created without them. */
export const addColumns = async (
  db: Kysely<Tables>,
  engine: EngineName,
  tableName: keyof Tables,
  columns: Readonly<Record<string, Column>>,
): Promise<void> => {
  const tables = await db.introspection.getTables()
  const existing = new Set(tables.find(({ name }) => name === tableName)?.columns.map(({ name }) => name))
  for (const [name, column] of Object.entries(columns)) {
    if (existing.has(name)) continue
    await sql
      .raw(`ALTER TABLE ${quotedName(engine, tableName)} ADD COLUMN ${columnLine(engine, name, column)}`)
      .execute(db)
  }
}

/** Creates the tables that do not exist, so that a start completes what an interrupted one has left. */
export const createTables = async (db: Kysely<Tables>, engine: EngineName, definitions: Definitions): Promise<void> => {
  const statements = Object.entries(definitions).flatMap(([name, table]) =>
    createTable(engine, name, table, definitions),
  )
  const run = async (connection: Kysely<Tables>, lines: readonly string[]) => {
    for (const line of lines) await sql.raw(line).execute(connection)
  }
  if (engine === 'sqlite') return run(db, statements)
  // Foreign keys are circular. SQLite checks the parent table only when rows are inserted, but MySQL checks it
  // immediately unless told otherwise.
  const uncheckedStatements = ['SET foreign_key_checks = 0', ...statements, 'SET foreign_key_checks = 1']
  return db.connection().execute((connection) => run(connection, uncheckedStatements))
}
