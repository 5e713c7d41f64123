import { alterTables, type Migration, type Statements } from './statements.ts'

/** Adds what the alert hooks of newer platforms need. */

const changes: Statements = {
  sqlite: [
    'ALTER TABLE patchbay_alert_destinations ADD COLUMN once_per_hour INTEGER CHECK ("once_per_hour" IN (0, 1)) NOT NULL DEFAULT 0',
    'ALTER TABLE patchbay_alert_destinations ADD COLUMN created_at INTEGER',
  ],
  mysql: [
    'ALTER TABLE patchbay_alert_destinations ADD COLUMN once_per_hour BOOLEAN NOT NULL DEFAULT 0',
    'ALTER TABLE patchbay_alert_destinations ADD COLUMN created_at BIGINT',
  ],
}

export const up: Migration = async (context) => {
  await alterTables(context, changes)
}
