import { type Kysely, sql } from 'kysely'
import { setTimeout as pause } from 'node:timers/promises'
import type { Column, Table } from './columns.ts'
import type { Tables } from './tables.ts'
import { classifyDbError, columnDefault, columnType, type EngineName, quotedName } from './engine.ts'

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

const duplicateColumn = 1060
const duplicateKeyName = 1061
const cannotDropKey = 1091

/** MySQL commits each DDL statement separately, so an interrupted start may have executed this one. */
const ignoreDone = async (errno: number, statement: Promise<unknown>): Promise<void> => {
  try {
    await statement
  } catch (error) {
    if (!(error instanceof Error && Reflect.get(error, 'errno') === errno)) throw error
  }
}

/** Sets the time limits of MySQL for the lock of a table and for those of InnoDB, in seconds. */
const setLockWait = (value: number | 'DEFAULT') =>
  sql.raw(`SET SESSION lock_wait_timeout = ${value}, innodb_lock_wait_timeout = ${value}`)

/**
 * Seconds that each attempt waits for the lock of a table. All other queries of the table wait behind it, so the first waits
 * are short, and most end before a request reaches its default time limit of 30 seconds. The last waits exceed the time limit
 * of a search, the longest statement on these tables.
 */
const lockWaits = [1, 2, 4, 8, ...Array<number>(8).fill(16), ...Array<number>(4).fill(32)]
const retryDelayMs = 500

/**
 * Runs a statement on a table in use. All queries of the table wait behind a statement that waits for its locks, and the
 * statement can wait for a transaction that waits for the table. So it gives up after a short time, and is repeated. An
 * index needs the lock again after it has been built, and an attempt that gives up then has to build it again.
 */
const runBesideQueries = async (db: Kysely<Tables>, engine: EngineName, statement: string): Promise<void> => {
  const run = () => sql.raw(statement).execute(db)
  if (engine === 'sqlite') {
    await run()
    return
  }
  try {
    for (const [failures, lockWait] of lockWaits.entries())
      try {
        await setLockWait(lockWait).execute(db)
        await run()
        return
      } catch (error) {
        if (classifyDbError(error)?.fault !== 'conflict' || failures === lockWaits.length - 1) throw error
        await pause(retryDelayMs)
      }
  } finally {
    await setLockWait('DEFAULT').execute(db)
  }
}

/** Creates an index that a migration adds to an existing table. */
export const createIndex = async (
  db: Kysely<Tables>,
  engine: EngineName,
  table: keyof Tables,
  index: string,
  on: readonly string[],
): Promise<void> => {
  const statement = `CREATE ${formatIndex(engine, index, { on }, table)}`
  await ignoreDone(duplicateKeyName, runBesideQueries(db, engine, statement))
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
    const statement = `ALTER TABLE ${quotedName(engine, tableName)} ADD COLUMN ${columnLine(engine, name, column)}`
    await ignoreDone(duplicateColumn, runBesideQueries(db, engine, statement))
  }
}

/** Drops an index that a newer one has replaced. */
export const dropIndex = async (
  db: Kysely<Tables>,
  engine: EngineName,
  table: keyof Tables,
  index: string,
): Promise<void> => {
  const name = quotedName(engine, index)
  const target = engine === 'mysql' ? `${name} ON ${quotedName(engine, table)}` : `IF EXISTS ${name}`
  await ignoreDone(cannotDropKey, runBesideQueries(db, engine, `DROP INDEX ${target}`))
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
