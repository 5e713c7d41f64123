import { alterTables, type Migration, type Statements } from './statements.ts'

/** Adds the capture agent of a message, and the order of arrival. */

const changes: Statements = {
  sqlite: [
    'ALTER TABLE patchbay_sip_messages ADD COLUMN agent INTEGER',
    'ALTER TABLE patchbay_sip_messages ADD COLUMN arrival INTEGER',
  ],
  mysql: [
    'ALTER TABLE patchbay_sip_messages ADD COLUMN agent BIGINT',
    'ALTER TABLE patchbay_sip_messages ADD COLUMN arrival BIGINT',
  ],
}

export const up: Migration = async (context) => {
  await alterTables(context, changes)
}
