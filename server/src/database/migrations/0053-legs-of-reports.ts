import { alterTables, type Migration, type Statements } from './statements.ts'

/** Adds the choice of legs to links to reports. Without it, a link shows all legs, as those that exist. */

const changes: Statements = {
  sqlite: ['ALTER TABLE patchbay_call_shares ADD COLUMN report_legs TEXT'],
  mysql: ['ALTER TABLE patchbay_call_shares ADD COLUMN report_legs VARCHAR(16) COLLATE utf8mb4_bin'],
}

export const up: Migration = async (context) => {
  await alterTables(context, changes)
}
