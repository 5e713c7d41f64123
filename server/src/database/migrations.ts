import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Kysely } from 'kysely'
import { type MigrationProvider, Migrator } from 'kysely/migration'
import { makeDataFolder } from '../config/data-directory.ts'
import type { DatabaseAddress } from '../config/option-types.ts'
import { FatalError } from '../lib/cli.ts'
import { getErrorCode } from '../lib/error-code.ts'
import type { Table } from './columns.ts'
import { createTables } from './ddl.ts'
import type { ExistingTables } from './encrypted-values.ts'
import { classifyDbError, type Database, type EngineName, openDatabase, openReadOnly } from './engine.ts'
import { findMissingListIndexes } from './list-indexes.ts'
import { migrations, toContext, toCurrentName } from './migrations/index.ts'
import { ownTables } from './patchbay-schema.ts'
import { platformTables } from './platform-schema.ts'
import {
  explainNewerSchema,
  migrationTable,
  readAppliedMigrations,
  renameMigrations,
  storeSchemaVersion,
} from './schema-version.ts'
import { getPrimaryResultCode } from './sqlite-file.ts'
import { sqliteReader } from './sqlite-reader.ts'
import type { Tables } from './tables.ts'

/** Thrown if a database cannot be used. The message is for the operator. */
export class UnusableDatabase extends FatalError {}

const readTables = async (db: Kysely<Tables>): Promise<ExistingTables> => {
  const tables = await db.introspection.getTables()
  return new Map(tables.map(({ name, columns }) => [name, new Set(columns.map((column) => column.name))]))
}

/** Returns the names of missing tables and columns of jambonz, except optional ones. */
const findMissing = (present: ExistingTables): string[] =>
  Object.entries<Table>(platformTables).flatMap(([name, { columns, optional }]) => {
    const existingColumns = present.get(name)
    if (existingColumns === undefined) return optional ? [] : [`table ${name}`]
    const missingColumns = Object.entries(columns).filter(
      ([column, definition]) => !definition.optional && !existingColumns.has(column),
    )
    return missingColumns.map(([column]) => `column ${name}.${column}`)
  })

/** Returns the missing optional tables, and the missing columns of existing tables. */
const findMissingOptional = (present: ExistingTables): Set<string> => {
  const missingSchema = new Set<string>()
  for (const [name, { columns }] of Object.entries<Table>(platformTables)) {
    const existingColumns = present.get(name)
    if (existingColumns === undefined) missingSchema.add(name)
    else
      for (const column of Object.keys(columns))
        if (!existingColumns.has(column)) missingSchema.add(`${name}.${column}`)
  }
  return missingSchema
}

const provider = (engine: EngineName, adopted: boolean): MigrationProvider => ({
  getMigrations: () =>
    Promise.resolve(
      Object.fromEntries(
        migrations.map(({ name, up }) => [
          name,
          { up: (db: Kysely<Tables>) => up(toContext({ db, engine }, adopted)) },
        ]),
      ),
    ),
})

/** Returns the names of the schema changes that this version knows, oldest first. They are the same on all engines. */
export const listMigrations = (): string[] => migrations.map(({ name }) => name)

/** Returns the name of the latest schema change that this version knows. */
export const readSchemaName = (): string => migrations.at(-1)?.name ?? ''

export interface MigrationResult {
  /** True if the database contained the tables of jambonz before Patchbay first used it. */
  adopted: boolean
  /** Optional tables of jambonz, columns as table.column, and indexes of lists, that this database lacks. */
  missingSchema: ReadonlySet<string>
  /** The schema changes that were made, in their order. */
  applied: readonly string[]
}

/**
 * Returns whether the tables of jambonz existed before Patchbay. This is determined at the first start, before any
 * table is created, and stored.
 */
const isAdopted = async (db: Kysely<Tables>, engine: EngineName, present: ExistingTables): Promise<boolean> => {
  const read = () =>
    db.selectFrom('patchbay_settings').select('value').where('setting', '=', 'adopted').executeTakeFirst()
  if (!present.has('patchbay_settings')) {
    const { patchbay_settings } = ownTables
    await createTables(db, engine, { patchbay_settings })
  }
  const mark = await read()
  if (mark) return mark.value === 'yes'
  const adopted = present.has('accounts')
  await db
    .insertInto('patchbay_settings')
    .values({ setting: 'adopted', value: adopted ? 'yes' : 'no' })
    .$if(engine === 'mysql', (insert) => insert.ignore())
    .execute()
  // Another process may have stored it at the same time.
  return (await read())?.value === 'yes'
}

const assertComplete = (present: ExistingTables): void => {
  const missingColumns = findMissing(present)
  if (missingColumns.length > 0)
    throw new UnusableDatabase(`The database holds the platform's tables, but it lacks: ${missingColumns.join(', ')}.`)
}

const createMigrator = (db: Kysely<Tables>, engine: EngineName, adopted: boolean): Migrator =>
  new Migrator({
    db,
    provider: provider(engine, adopted),
    migrationTableName: migrationTable,
    migrationLockTableName: 'patchbay_migrations_lock',
  })

/** Creates the tables of an empty database as they were after a migration, so that an older backup can be restored. */
export const createSchema = async ({ db, engine }: Database, lastMigration: string): Promise<void> => {
  await isAdopted(db, engine, await readTables(db))
  const { error } = await createMigrator(db, engine, false).migrateTo(toCurrentName(lastMigration))
  if (error !== undefined) throw error
}

/**
 * Returns the schema changes that the database contains.
 * @throws UnusableDatabase if a newer version of Patchbay has changed the schema, or platform tables are incomplete
 */
const readSchema = async (db: Kysely<Tables>, present: ExistingTables): Promise<readonly string[]> => {
  if (present.has('accounts') && !present.has('patchbay_settings')) assertComplete(present)
  const applied = present.has(migrationTable) ? await readAppliedMigrations(db) : []
  const newerSchema = await explainNewerSchema(db, applied, listMigrations())
  if (newerSchema !== undefined) throw new UnusableDatabase(newerSchema)
  return applied
}

/** Runs before anything in a database is changed. If it throws, nothing is changed. */
type BeforeChanges = (db: Kysely<Tables>, tables: ExistingTables) => Promise<void>

/**
 * Migrates the database to the current schema.
 * @throws UnusableDatabase with the names of missing tables and columns, or if its schema is newer than this program
 */
export const migrate = async ({ db, engine }: Database, beforeChanges?: BeforeChanges): Promise<MigrationResult> => {
  const tablesBefore = await readTables(db)
  await readSchema(db, tablesBefore)
  await beforeChanges?.(db, tablesBefore)
  const adopted = await isAdopted(db, engine, tablesBefore)
  if (tablesBefore.has(migrationTable)) await renameMigrations(db)
  const { error, results = [] } = await createMigrator(db, engine, adopted).migrateToLatest()
  if (error !== undefined) throw error
  if (results.length > 0) await storeSchemaVersion(db, engine)
  const present = await readTables(db)
  assertComplete(present)
  const applied = results.map(({ migrationName }) => migrationName)
  const missingIndexes = await findMissingListIndexes(db, engine)
  return { adopted, missingSchema: new Set([...findMissingOptional(present), ...missingIndexes]), applied }
}

/** Explains primary result codes of SQLite (https://www.sqlite.org/rescode.html) that the operator can fix. */
const sqliteExplanations: Readonly<Record<number, (file: string, reason: string) => string>> = {
  5: (file) => `${file} is locked by another program. Stop that program, and try again.`,
  8: (file, reason) =>
    `${file} cannot be opened: ${reason}. Make the file and its folder writable for the user of Patchbay.`,
  10: (file, reason) =>
    `${file} cannot be read or written: ${reason}. Check the disk, its free space, and limits of the file size.`,
  11: (file) => `${file} is damaged or not a database. Restore it from a backup.`,
  13: (file) => `The disk of ${dirname(file)} is full. Free space, and try again.`,
  14: (file, reason) =>
    `${file} cannot be opened: ${reason}. Check that it is a file that the user of Patchbay can read and write.`,
  26: (file) => `${file} is damaged or not a database. Restore it from a backup.`,
}

const explainSqliteError = (file: string, error: Error): string | undefined => {
  const code = getErrorCode(error)
  // A full disk has no space for the index of the write-ahead log.
  const resultCode = getPrimaryResultCode(code === 'SQLITE_IOERR_SHMSIZE' ? 'SQLITE_FULL' : code)
  return resultCode === undefined ? undefined : sqliteExplanations[resultCode]?.(file, error.message)
}

const explainMysqlError = (error: Error): string | undefined => {
  const code = getErrorCode(error)
  const reason = error.message || code
  const fault = classifyDbError(error)?.fault
  if (fault === 'unreachable') return `The database of DATABASE_URL cannot be reached: ${reason}.`
  if (fault === 'unwritable')
    return `The database of DATABASE_URL cannot be written: ${reason}. Check its free space, and whether it is read-only.`
  // The statement is of no help to the operator.
  const [denied] = reason.split(', in: ')
  return /^ER_\w*ACCESS_DENIED/.test(code)
    ? `The user of DATABASE_URL lacks a privilege: ${denied}. Grant it, and try again.`
    : undefined
}

/** Explains an error that the operator can fix. Returns undefined for other errors. */
const explainError = (address: DatabaseAddress, error: Error): string | undefined =>
  address.engine === 'mysql' ? explainMysqlError(error) : explainSqliteError(address.file, error)

/** Returns an UnusableDatabase for an error that the operator can fix, and other errors unchanged. */
export const explainDatabaseError = (address: DatabaseAddress, error: unknown): unknown => {
  const reason = error instanceof Error ? explainError(address, error) : undefined
  return reason === undefined ? error : new UnusableDatabase(reason, { cause: error })
}

/** Runs work with a database. Throws an UnusableDatabase for errors that the operator can fix. */
export const withExplainedErrors = async <T>(address: DatabaseAddress, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw explainDatabaseError(address, error)
  }
}

interface OpenOptions {
  /** See `MysqlAddress`. Applies after the migration, which can take hours. */
  responseTimeoutSeconds?: number | undefined
  beforeChanges?: BeforeChanges
}

/** Opens the database and migrates it to the current schema. */
export const openMigrated = (
  address: DatabaseAddress,
  { responseTimeoutSeconds, beforeChanges }: OpenOptions = {},
): Promise<{ database: Database; migrated: MigrationResult }> =>
  withExplainedErrors(address, async () => {
    if (address.engine === 'sqlite') makeDataFolder(dirname(address.file))
    const database = openDatabase(address, sqliteReader)
    try {
      const migrated = await migrate(database, beforeChanges)
      if (address.engine === 'sqlite' || responseTimeoutSeconds === undefined) return { database, migrated }
      await database.close()
      return { database: openDatabase({ ...address, responseTimeoutSeconds }, sqliteReader), migrated }
    } catch (error) {
      await database.close()
      throw error
    }
  })

/**
 * Runs work that only reads an existing database.
 * @throws UnusableDatabase if the database cannot be reached or used
 */
export const withExistingDatabase = <T>(
  address: DatabaseAddress,
  work: (db: Kysely<Tables>, tables: ExistingTables) => Promise<T>,
): Promise<T> =>
  withExplainedErrors(address, async () => {
    const db = openReadOnly(address)
    try {
      return await work(db, await readTables(db))
    } finally {
      await db.destroy()
    }
  })

/**
 * Returns the schema changes that the next start makes, in their order. Changes nothing, and creates no file.
 * @param read also reads the existing database, if there is one
 * @throws UnusableDatabase if the database cannot be reached or used
 */
export const planMigrations = async (address: DatabaseAddress, read?: BeforeChanges): Promise<string[]> => {
  const all = listMigrations()
  if (address.engine === 'sqlite' && !existsSync(address.file)) return all
  return withExistingDatabase(address, async (db, tables) => {
    const applied = await readSchema(db, tables)
    await read?.(db, tables)
    return all.filter((name) => !applied.includes(name))
  })
}
