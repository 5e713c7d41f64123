import { alterTables, type Migration, type Statements } from './statements.ts'

/** Adds the kind and the operation of single records to bulk changes. */

const changes: Statements = {
  sqlite: [
    'ALTER TABLE patchbay_bulk_change_records ADD COLUMN kind TEXT',
    'ALTER TABLE patchbay_bulk_change_records ADD COLUMN operation TEXT',
  ],
  mysql: [
    'ALTER TABLE patchbay_bulk_change_records ADD COLUMN kind VARCHAR(64) COLLATE utf8mb4_bin',
    'ALTER TABLE patchbay_bulk_change_records ADD COLUMN operation VARCHAR(16) COLLATE utf8mb4_bin',
  ],
}

export const up: Migration = async (context) => {
  await alterTables(context, changes)
}
