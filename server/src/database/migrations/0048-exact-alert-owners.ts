import { alterTables, type Migration, type Statements } from './statements.ts'

/**
 * Makes the owners of alert destinations binary on MySQL, which does not compare columns of two other collations. The tables
 * of a platform can have another one than those of Patchbay. SQLite compares both byte by byte.
 */

const changes: Statements = {
  sqlite: [],
  mysql: [
    `ALTER TABLE patchbay_alert_destinations
      MODIFY account_sid VARCHAR(36) COLLATE utf8mb4_bin,
      MODIFY service_provider_sid VARCHAR(36) COLLATE utf8mb4_bin`,
  ],
}

export const up: Migration = async (context) => {
  await alterTables(context, changes)
}
