import { type Kysely, sql } from 'kysely'
import type { Column, Table } from './columns.ts'
import type { Tables } from './tables.ts'
import { columnDefault, columnType, type EngineName, quotedName } from './engine.ts'

/** Makes the tables that definitions describe. The names come from our own definitions, never from input. */

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

const foreignKeys = (engine: EngineName, { columns }: Table, all: Definitions): string[] =>
  Object.entries(columns).flatMap(([name, { references }]) => {
    if (references === undefined) return []
    const parent = all[references.table]
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

const indexWords = (engine: EngineName, index: string, { unique, on }: Index, table?: string): string => {
  const columns = on.map((column) => quotedName(engine, column)).join(', ')
  // MySQL has no such words.
  const name = `${engine === 'sqlite' ? 'IF NOT EXISTS ' : ''}${quotedName(engine, index)}`
  return `${unique ? 'UNIQUE ' : ''}INDEX ${name}${table ? ` ON ${quotedName(engine, table)}` : ''} (${columns})`
}

/** The statement, and on SQLite those of the indexes, which MySQL makes with the table. */
const createTable = (engine: EngineName, name: string, table: Table, all: Definitions): string[] => {
  const columns = Object.entries(table.columns).map(([columnName, column]) => columnLine(engine, columnName, column))
  const onMysql = engine === 'mysql'
  const indexes = table.indexes.map((index, position) =>
    indexWords(engine, `${name}_idx_${position + 1}`, index, onMysql ? undefined : name),
  )
  const lines = [...columns, ...(onMysql ? indexes : []), ...foreignKeys(engine, table, all)].join(', ')
  const options = onMysql ? ' ENGINE=InnoDB DEFAULT CHARSET=utf8mb4' : ''
  const statement = `CREATE TABLE IF NOT EXISTS ${quotedName(engine, name)} (${lines})${options}`
  return [statement, ...(onMysql ? [] : indexes.map((index) => `CREATE ${index}`))]
}

const alreadyThere = 1061
const alreadyGone = 1091

/** MySQL commits each statement on its own: a start that was killed may have come as far. */
const unlessDone = async (done: number, statement: Promise<unknown>): Promise<void> => {
  try {
    await statement
  } catch (error) {
    if (!(error instanceof Error && Reflect.get(error, 'errno') === done)) throw error
  }
}

/** An index that a later migration adds to a table. */
export const createIndex = async (
  db: Kysely<Tables>,
  engine: EngineName,
  table: keyof Tables,
  index: string,
  on: readonly string[],
): Promise<void> => {
  await unlessDone(alreadyThere, sql.raw(`CREATE ${indexWords(engine, index, { on }, table)}`).execute(db))
}

/** An index that a later one has made superfluous. */
export const dropIndex = async (
  db: Kysely<Tables>,
  engine: EngineName,
  table: keyof Tables,
  index: string,
): Promise<void> => {
  const name = quotedName(engine, index)
  const words = engine === 'mysql' ? `${name} ON ${quotedName(engine, table)}` : `IF EXISTS ${name}`
  await unlessDone(alreadyGone, sql.raw(`DROP INDEX ${words}`).execute(db))
}

/** Tables that are there are left as they are, so that a start which was killed is made up for by the next. */
export const createTables = async (db: Kysely<Tables>, engine: EngineName, all: Definitions): Promise<void> => {
  const statements = Object.entries(all).flatMap(([name, table]) => createTable(engine, name, table, all))
  const run = async (connection: Kysely<Tables>, lines: readonly string[]) => {
    for (const line of lines) await sql.raw(line).execute(connection)
  }
  if (engine === 'sqlite') return run(db, statements)
  // Tables refer to each other in circles. SQLite looks at the parent later; MySQL must be told to.
  const unchecked = ['SET foreign_key_checks = 0', ...statements, 'SET foreign_key_checks = 1']
  return db.connection().execute((connection) => run(connection, unchecked))
}
