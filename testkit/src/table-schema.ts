import { groupBy } from '@patchbay/rules/lib/groups'
import type { Database } from '@patchbay/server/database/engine'
import { CompiledQuery } from 'kysely'

/** Reads the schema of a database from its catalog, to compare databases that were created in different ways. */

/** Columns, indexes, and references of a table, each in the order of its name. */
export type TableSchema = Readonly<Record<'columns' | 'indexes' | 'references', readonly unknown[]>>

/** Queries that return the name of the table as `table_name`. Names that the engine generates are not read. */
const catalogs = {
  sqlite: {
    columns: `
SELECT t.name AS table_name, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden
FROM sqlite_schema t JOIN pragma_table_xinfo(t.name) c WHERE t.type = 'table' ORDER BY t.name, c.name`,
    indexes: `
SELECT t.name AS table_name, iif(i.origin = 'c', i.name, i.origin) AS name, i."unique", i.partial,
  group_concat(concat(c.name, ' ', c.coll, ' ', c."desc") ORDER BY c.seqno) AS columns
FROM sqlite_schema t JOIN pragma_index_list(t.name) i JOIN pragma_index_xinfo(i.name) c
WHERE t.type = 'table' GROUP BY t.name, i.name ORDER BY t.name, columns, name`,
    references: `
SELECT t.name AS table_name, f."from", f."table", f."to", f.on_update, f.on_delete
FROM sqlite_schema t JOIN pragma_foreign_key_list(t.name) f WHERE t.type = 'table' ORDER BY t.name, f."from"`,
  },
  mysql: {
    columns: `
SELECT table_name AS table_name, column_name, column_type, is_nullable, column_default, extra, generation_expression,
  character_set_name, collation_name
FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY table_name, column_name`,
    indexes: `
SELECT table_name AS table_name, index_name, non_unique, index_type,
  GROUP_CONCAT(CONCAT_WS(' ', column_name, sub_part, collation) ORDER BY seq_in_index) AS columns
FROM information_schema.statistics WHERE table_schema = DATABASE()
GROUP BY table_name, index_name, non_unique, index_type ORDER BY table_name, index_name`,
    references: `
SELECT k.table_name AS table_name, k.column_name, k.referenced_table_name, k.referenced_column_name, r.update_rule,
  r.delete_rule
FROM information_schema.key_column_usage k JOIN information_schema.referential_constraints r
  ON r.constraint_schema = k.table_schema AND r.constraint_name = k.constraint_name
WHERE k.table_schema = DATABASE() ORDER BY k.table_name, k.column_name`,
  },
}

/** Returns the schema of all tables whose names start with a prefix. */
export const readSchema = async ({ db, engine }: Database, prefix = ''): Promise<Record<string, TableSchema>> => {
  const read = async (statement: string) => {
    const { rows } = await db.executeQuery<{ table_name: string }>(CompiledQuery.raw(statement))
    return groupBy(
      rows.filter(({ table_name }) => table_name.startsWith(prefix)),
      ({ table_name }) => table_name,
    )
  }
  const queries = catalogs[engine]
  const columns = await read(queries.columns)
  const indexes = await read(queries.indexes)
  const references = await read(queries.references)
  return Object.fromEntries(
    [...columns].map(([table, ofTable]) => [
      table,
      { columns: ofTable, indexes: indexes.get(table) ?? [], references: references.get(table) ?? [] },
    ]),
  )
}
