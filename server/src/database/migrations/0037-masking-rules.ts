import { createTables, type Migration, type Statements } from './statements.ts'

/** Adds rules for masking. */

const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_masking_rules (
      service_provider_sid TEXT NOT NULL PRIMARY KEY,
      card_numbers INTEGER CHECK ("card_numbers" IN (0, 1)) NOT NULL,
      pressed_digits INTEGER CHECK ("pressed_digits" IN (0, 1)) NOT NULL,
      patterns TEXT NOT NULL
    )`,
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_masking_rules (
      service_provider_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
      card_numbers BOOLEAN NOT NULL,
      pressed_digits BOOLEAN NOT NULL,
      patterns MEDIUMTEXT NOT NULL
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

export const up: Migration = async (context) => {
  await createTables(context, tables)
}
