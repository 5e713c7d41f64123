import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds names of API keys. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_api_key_names (
      api_key_sid TEXT NOT NULL PRIMARY KEY,
      name TEXT COLLATE NOCASE NOT NULL
    )`,
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_api_key_names (
      api_key_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      name VARCHAR(64) NOT NULL
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
