import { type Kysely, type Selectable, sql } from 'kysely'
import type { EngineName } from './engine.ts'
import type { Tables } from './tables.ts'

/** Selects from a table by an index, or by the one that the engine chooses. Fails if the index does not exist. */
export const selectByIndex = <T extends keyof Tables>(
  reader: Kysely<Tables>,
  engine: EngineName,
  table: T,
  index: string | undefined,
) => {
  const keyword = engine === 'mysql' ? sql` FORCE INDEX ` : sql` INDEXED BY `
  const name = index && (engine === 'mysql' ? sql`(${sql.ref(index)})` : sql.ref(index))
  const alias = name ? sql`${sql.table(table)}${keyword}${name}` : sql.table(table)
  return reader.selectFrom(sql<Selectable<Tables[T]>>`${sql.table(table)}`.as<T>(alias))
}

/** Indexes with the order and the filters of a list. An adopted database has them if its operator has added them. */
export const listIndexes = {
  phone_numbers: 'patchbay_phone_numbers_listed',
  applications: 'patchbay_applications_listed',
} as const

/** Indexes that also contain all columns of the rows. */
export const completeListIndexes = {
  phone_numbers: 'patchbay_phone_numbers_complete',
} as const

const getMysqlIndex = (engine: EngineName, missingSchema: ReadonlySet<string>, index: string): string | undefined =>
  engine === 'mysql' && !missingSchema.has(index) ? index : undefined

/**
 * Selects the rows of a list in its order. In the middle of a list, MySQL would sometimes read and sort the whole table,
 * which takes six times as long as skipping the rows before the page in the index.
 * @param missingSchema see `findMissingListIndexes`
 */
export const selectInListOrder = <T extends keyof typeof listIndexes>(
  reader: Kysely<Tables>,
  engine: EngineName,
  missingSchema: ReadonlySet<string>,
  table: T,
) => selectByIndex(reader, engine, table, getMysqlIndex(engine, missingSchema, listIndexes[table]))

/**
 * Selects the rows of a whole list in its order. MySQL would sometimes sort the table and read each row again, which takes
 * five times as long as reading the index.
 * @param missingSchema see `findMissingListIndexes`
 */
export const selectWholeList = <T extends keyof typeof completeListIndexes>(
  reader: Kysely<Tables>,
  engine: EngineName,
  missingSchema: ReadonlySet<string>,
  table: T,
) => selectByIndex(reader, engine, table, getMysqlIndex(engine, missingSchema, completeListIndexes[table]))

/** Returns the names of the list indexes that a database lacks. */
export const findMissingListIndexes = async (db: Kysely<Tables>, engine: EngineName): Promise<string[]> => {
  if (engine !== 'mysql') return []
  const names = [...Object.values(listIndexes), ...Object.values(completeListIndexes)]
  const { rows } = await sql<{ name: string }>`SELECT DISTINCT index_name AS name FROM information_schema.statistics
    WHERE table_schema = DATABASE() AND index_name IN (${sql.join(names)})`.execute(db)
  const existing = new Set(rows.map(({ name }) => name))
  return names.filter((name) => !existing.has(name))
}
