import { alterTables, type Migration, type Statements } from './statements.ts'

/** Adds the values that bulk changes replaced, and the bulk change that each undo belongs to. */

const changes: Statements = {
  sqlite: [
    'ALTER TABLE patchbay_bulk_changes ADD COLUMN undoes_sid TEXT',
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_bulk_changes_idx_7 ON patchbay_bulk_changes (undoes_sid)',
    'ALTER TABLE patchbay_bulk_change_records ADD COLUMN changed_values TEXT',
  ],
  mysql: [
    'ALTER TABLE patchbay_bulk_changes ADD COLUMN undoes_sid VARCHAR(36) COLLATE utf8mb4_bin',
    'CREATE UNIQUE INDEX patchbay_bulk_changes_idx_7 ON patchbay_bulk_changes (undoes_sid)',
    'ALTER TABLE patchbay_bulk_change_records ADD COLUMN changed_values MEDIUMTEXT',
  ],
}

export const up: Migration = async (context) => {
  await alterTables(context, changes)
}
