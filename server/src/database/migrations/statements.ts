import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { classifyDbError } from '../engine.ts'

/** Runs the statements of migrations. On MySQL each of them is committed separately, so each can be repeated. */

export interface MigrationContext {
  db: Kysely<unknown>
  engine: 'sqlite' | 'mysql'
  /** Whether the tables of jambonz existed before Patchbay. They are not changed then. */
  adopted: boolean
}

export type Migration = (context: MigrationContext) => Promise<void>

/** Statements of the same change in the language of each engine. */
export interface Statements {
  sqlite: readonly string[]
  mysql: readonly string[]
}

/** Runs statements that create tables which do not exist. */
export const createTables = async ({ db, engine }: MigrationContext, statements: Statements): Promise<void> => {
  const run = async (connection: Kysely<unknown>, lines: readonly string[]) => {
    for (const line of lines) await sql.raw(line).execute(connection)
  }
  if (engine === 'sqlite') return run(db, statements.sqlite)
  // Foreign keys are circular. SQLite checks the parent table only when rows are inserted, but MySQL checks it
  // immediately unless told otherwise.
  const unchecked = ['SET foreign_key_checks = 0', ...statements.mysql, 'SET foreign_key_checks = 1']
  return db.connection().execute((connection) => run(connection, unchecked))
}

/** Errors of a change that an interrupted start has made: the column or the index exists, or the index does not. */
const doneErrors: readonly unknown[] = [1060, 1061, 1091]

const isDone = (error: unknown): boolean =>
  error instanceof Error &&
  (doneErrors.includes(Reflect.get(error, 'errno')) || error.message.startsWith('duplicate column name'))

/** Sets the time limits of MySQL for the lock of a table and for those of InnoDB, in seconds. */
const setLockWaits = (table: number | 'DEFAULT', innodb: number | 'DEFAULT') =>
  sql.raw(`SET SESSION lock_wait_timeout = ${table}, innodb_lock_wait_timeout = ${innodb}`)

/**
 * Seconds that an attempt waits for the lock of a table. All other queries of the table wait behind it, so the first waits
 * are short, and most end before a request reaches its default time limit of 30 seconds. The last waits exceed the time limit
 * of a search, the longest statement on these tables.
 */
const tableLockWaits = [1, 2, 4, 8, ...Array<number>(8).fill(16), ...Array<number>(4).fill(32)]

/**
 * Seconds that an attempt waits for a lock of InnoDB. It has the lock of its table then, and waits for those of the tables
 * that refer to it (`lock_table_children` of MariaDB). A transaction that has changed one of these either ends soon, or waits
 * for the table, which is a deadlock that neither the server nor InnoDB detects.
 */
const innodbLockWait = 1
const maxInnodbWaits = 60
const retryDelayMs = 500

/**
 * Runs a statement on a table in use. All queries of the table wait behind a statement that waits for its locks, and the
 * statement can wait for a transaction that waits for the table. So it gives up after a short time, and is repeated. An
 * index needs the lock again after it has been built, and an attempt that gives up then has to build it again.
 */
const runBesideQueries = async ({ db, engine }: MigrationContext, statement: string): Promise<void> => {
  const run = () => sql.raw(statement).execute(db)
  if (engine === 'sqlite') {
    await run()
    return
  }
  let innodbWaits = 0
  let tableWaits = 0
  try {
    for (;;) {
      const tableLockWait = tableLockWaits[tableWaits] ?? 0
      await setLockWaits(tableLockWait, innodbLockWait).execute(db)
      const startedAt = performance.now()
      try {
        await run()
        return
      } catch (error) {
        // An attempt that failed earlier got the lock of the table, and then waited for InnoDB.
        if (performance.now() - startedAt < tableLockWait * 1000) innodbWaits += 1
        else tableWaits += 1
        const isLast = innodbWaits === maxInnodbWaits || tableWaits === tableLockWaits.length
        if (classifyDbError(error)?.fault !== 'conflict' || isLast) throw error
        await pause(retryDelayMs)
      }
    }
  } finally {
    await setLockWaits('DEFAULT', 'DEFAULT').execute(db)
  }
}

/** Runs statements that add columns, or add or drop indexes, each of which an interrupted start can have run before. */
export const alterTables = async (context: MigrationContext, statements: Statements): Promise<void> => {
  for (const statement of statements[context.engine])
    try {
      await runBesideQueries(context, statement)
    } catch (error) {
      if (!isDone(error)) throw error
    }
}

/**
 * Runs statements that insert what they select. At the default isolation level of MySQL, they would lock all rows that
 * they read, which block the processes of the previous version during an upgrade, or conflict with them.
 */
export const fillTables = ({ db, engine }: MigrationContext, statements: Statements): Promise<void> => {
  const run = async (connection: Kysely<unknown>) => {
    for (const statement of statements[engine]) await sql.raw(statement).execute(connection)
  }
  return engine === 'mysql' ? db.transaction().setIsolationLevel('read committed').execute(run) : run(db)
}

/** Returns whether a table exists. */
export const hasTable = async ({ db }: MigrationContext, name: string): Promise<boolean> =>
  (await db.introspection.getTables()).some((table) => table.name === name)
