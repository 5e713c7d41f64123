import type { Table } from '@patchbay/server/database/columns'
import { ownTables } from '@patchbay/server/database/patchbay-schema'
import { platformTables } from '@patchbay/server/database/platform-schema'
import { createTestDatabase, isMysql } from '@patchbay/testkit/test-database'
import { expect, test } from 'vitest'

/** The tables that the migrations have created are those of the definitions. */

/** Tables of an engine that have no definition: the list of migrations, and the index of transcripts. */
const isInternal = (name: string): boolean =>
  name.startsWith('patchbay_migrations') || name.startsWith('patchbay_transcript_index')

/** SQLite writes new entries of the audit trail to this table first. */
const onlyOnSqlite = 'patchbay_audit_latest'

test('a new database has the tables and columns of the definitions, which allow NULL as they say', async () => {
  const { database, drop } = await createTestDatabase()
  try {
    const tables = await database.db.introspection.getTables()
    const created = Object.fromEntries(
      tables
        .filter(({ name }) => !isInternal(name))
        .map(({ name, columns }) => [
          name,
          Object.fromEntries(columns.map((column) => [column.name, column.isNullable])),
        ]),
    )
    const defined = Object.fromEntries(
      Object.entries<Table>({ ...ownTables, ...platformTables })
        .filter(([name]) => !isMysql || name !== onlyOnSqlite)
        .map(([name, { columns }]) => [
          name,
          Object.fromEntries(Object.entries(columns).map(([column, { nullable }]) => [column, nullable])),
        ]),
    )
    expect(created).toEqual(defined)
  } finally {
    await drop()
  }
})
