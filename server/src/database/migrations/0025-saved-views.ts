import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds saved views of lists. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_saved_views (
      saved_view_sid TEXT NOT NULL PRIMARY KEY,
      user_sid TEXT NOT NULL,
      screen TEXT NOT NULL,
      name TEXT COLLATE NOCASE NOT NULL,
      search TEXT NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_saved_views_idx_1 ON patchbay_saved_views (user_sid, screen, name)',
    `CREATE TABLE IF NOT EXISTS patchbay_list_columns (
      user_sid TEXT NOT NULL,
      screen TEXT NOT NULL,
      columns TEXT NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_list_columns_idx_1 ON patchbay_list_columns (user_sid, screen)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_saved_views (
      saved_view_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      user_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      screen VARCHAR(64) COLLATE utf8mb4_bin NOT NULL,
      name VARCHAR(60) NOT NULL,
      search MEDIUMTEXT NOT NULL,
      UNIQUE INDEX patchbay_saved_views_idx_1 (user_sid, screen, name)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
    `CREATE TABLE IF NOT EXISTS patchbay_list_columns (
      user_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      screen VARCHAR(64) COLLATE utf8mb4_bin NOT NULL,
      columns MEDIUMTEXT NOT NULL,
      UNIQUE INDEX patchbay_list_columns_idx_1 (user_sid, screen)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
