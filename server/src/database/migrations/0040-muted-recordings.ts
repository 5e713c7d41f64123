import { alterTables, type Migration, type Statements } from './statements.ts'

/** Adds whether a provider mutes recordings. */

const changes: Statements = {
  sqlite: [
    'ALTER TABLE patchbay_masking_rules ADD COLUMN mute_recordings INTEGER CHECK ("mute_recordings" IN (0, 1)) NOT NULL DEFAULT 0',
  ],
  mysql: ['ALTER TABLE patchbay_masking_rules ADD COLUMN mute_recordings BOOLEAN NOT NULL DEFAULT 0'],
}

export const up: Migration = async (context) => {
  await alterTables(context, changes)
}
