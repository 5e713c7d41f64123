import { alterTables, type Migration, type Statements } from './statements.ts'

/**
 * Adds an index with all columns of phone numbers in the order of their lists. Without it, MySQL sorts the rows of a whole
 * list, and then reads each of them a second time. SQLite needs no other index. Adopted tables are not changed.
 */

const changes: Statements = {
  sqlite: [],
  mysql: [
    'CREATE INDEX patchbay_phone_numbers_complete ON phone_numbers (number, voip_carrier_sid, phone_number_sid, account_sid, service_provider_sid, application_sid)',
  ],
}

export const up: Migration = async (context) => {
  if (context.adopted) return
  await alterTables(context, changes)
}
