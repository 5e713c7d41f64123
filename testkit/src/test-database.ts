import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '@patchbay/server/database/engine'
import { createSchema, type MigrationResult, migrate } from '@patchbay/server/database/migrations'
import { sqliteReader } from '@patchbay/server/database/sqlite-reader'
import { RawNode } from 'kysely'
import mysql from 'mysql2/promise'
import { inject } from 'vitest'

/** A fresh database of the engine that the test project selects. */
export interface TestDatabase {
  database: Database
  migrated: MigrationResult
  /** The database in the form of a setting: a file path or a mysql:// URL. */
  address: string
  drop(): Promise<void>
}

export const isMysql = process.env['TEST_ENGINE'] === 'mysql'

/** Whether the default collation ignores spaces at the end of a text, as that of MariaDB does. */
export const ignoresTrailingSpaces = isMysql && !inject('mariadb').isMysql

const emptySqlite = () => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-test-'))
  return {
    address: join(folder, 'patchbay.sqlite'),
    remove: () => Promise.resolve(rmSync(folder, { recursive: true })),
  }
}

const emptyMysql = async () => {
  const { port } = inject('mariadb')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const root = await mysql.createConnection({ host: '127.0.0.1', port, user: 'root' })
  await root.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`)
  const remove = async () => {
    await root.query(`DROP DATABASE ${name}`)
    await root.end()
  }
  return { address: `mysql://root@127.0.0.1:${port}/${name}`, remove }
}

/** The collation of the tables of the platform in tests with MySQL, which differs from that of Patchbay's own tables. */
const platformCollation = 'utf8mb4_unicode_520_ci'

/** Creates the tables of the platform in another collation, as those of an existing platform can have. */
const createPlatformTables = async (database: Database): Promise<void> => {
  if (!isMysql) return
  const withCollation = (fragment: string) =>
    fragment.replace('DEFAULT CHARSET=utf8mb4', `DEFAULT CHARSET=utf8mb4 COLLATE ${platformCollation}`)
  const db = database.db.withPlugin({
    transformQuery: ({ node }) =>
      RawNode.is(node) ? { ...node, sqlFragments: node.sqlFragments.map(withCollation) } : node,
    transformResult: ({ result }) => Promise.resolve(result),
  })
  await createSchema({ ...database, db }, '0002-platform-tables')
}

/** Opens a test database by its address. A second connection acts as another process. */
export const openTestDatabase = (address: string): Database =>
  openDatabase(
    isMysql ? { engine: 'mysql', url: address, connections: 5 } : { engine: 'sqlite', file: address },
    sqliteReader,
  )

export const createTestDatabase = async (): Promise<TestDatabase> => {
  const { address, remove } = isMysql ? await emptyMysql() : emptySqlite()
  const database = openTestDatabase(address)
  await createPlatformTables(database)
  const migrated = await migrate(database)
  const drop = async () => {
    await database.close()
    await remove()
  }
  return { database, migrated, address, drop }
}
